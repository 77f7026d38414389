"""Loading of causal language models: local folders never use the network, and no code in a repository is run."""

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.causal_network import CausalNetwork
from saiten.models.local_model import LocalModel
from saiten.models.networks import best_device, causal_weights, configuration, held, loaded, quietly, safely


def causal_network(found: LocalModel, device: str | None = None) -> CausalNetwork:
    """Return the network, shared by all who hold it; call this in a thread, since loading takes time.

    Raises:
        ConfigurationError: it cannot be loaded, or its files changed since it was found.
    """
    where = device or best_device()
    return held(("causal", found, where), lambda: _loaded(found, where))


def _loaded(found: LocalModel, device: str) -> CausalNetwork:
    with quietly(bars=not Path(found.base or found.source).is_dir()):
        expected = "a causal language model with its tokeniser, or a LoRA adapter over one"
        configuration(found.base or found.source, found.name, expected)
        network = loaded(found.name, expected, lambda: _load(found, device))
    if LocalModel.find(found.typed) != found:
        raise ConfigurationError(f"{found.name}: the files changed since the command began; run it again")
    return network


def _load(found: LocalModel, device: str) -> CausalNetwork:
    library = import_module("transformers")
    whole = found.base or found.source
    tokenizer = library.AutoTokenizer.from_pretrained(found.tokenizer, **safely(found.tokenizer))
    model = causal_weights(whole, found.name, _dtype(device))
    if found.base is not None:
        model = _merged(model, found.source)
    if not getattr(model, "is_quantized", False):  # quantized weights stay where they were loaded
        model = model.to(device)
    return CausalNetwork(model.eval(), tokenizer)


def _merged(model: Any, adapter: str) -> Any:
    """Merge the adapter into the model's weights."""
    library = import_module("peft")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft 0.21 uses names that transformers 5 deprecates
        return library.PeftModel.from_pretrained(model, adapter).merge_and_unload()


def _dtype(device: str) -> Any:
    """Return bfloat16 if the device supports it, else half precision; single precision on a CPU."""
    torch = import_module("torch")
    if device.startswith("cpu"):
        return torch.float32
    if device.startswith("cuda") and not torch.cuda.is_bf16_supported():
        return torch.float16
    return torch.bfloat16
