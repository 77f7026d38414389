"""Loading a causal language model: a folder never asks the network, and no code that comes with a model is run."""

from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.causal_network import CausalNetwork
from saiten.models.local_model import LocalModel
from saiten.models.networks import best_device, configuration, held, loaded, quietly


def causal_network(found: LocalModel, device: str | None = None) -> CausalNetwork:
    """The network, which all who hold it share; call it in a thread, since loading takes its time.

    Raises:
        ConfigurationError: it cannot be loaded, or is not the one any more that was found.
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
    tokenizer = library.AutoTokenizer.from_pretrained(found.tokenizer, **_from(found.tokenizer))
    model = library.AutoModelForCausalLM.from_pretrained(whole, dtype=_dtype(device), **_from(whole))
    if found.base is not None:
        model = import_module("peft").PeftModel.from_pretrained(model, found.source).merge_and_unload()
    if not getattr(model, "is_quantized", False):  # those stay where they were loaded
        model = model.to(device)
    return CausalNetwork(model.eval(), tokenizer)


def _from(source: str) -> dict[str, bool]:
    return {"local_files_only": Path(source).is_dir(), "trust_remote_code": False}


def _dtype(device: str) -> Any:
    """bfloat16 where the device computes with it, else half precision; on a CPU single precision."""
    torch = import_module("torch")
    if device.startswith("cpu"):
        return torch.float32
    if device.startswith("cuda") and not torch.cuda.is_bf16_supported():
        return torch.float16
    return torch.bfloat16
