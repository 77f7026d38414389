"""An encoder of the transformers library, cut off after one of its layers: which layer, and how it is loaded."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.networks import best_device, configuration, fingerprint, loaded, quietly, require, safely

LAYERS = MappingProxyType(
    {
        "bert-base-chinese": 8,
        "bert-base-multilingual-cased": 9,
        "bert-base-uncased": 9,
        "bert-large-uncased": 18,
        "deberta-large-mnli": 18,
        "deberta-v3-base": 9,
        "deberta-v3-large": 12,
        "deberta-xlarge-mnli": 40,
        "distilbert-base-multilingual-cased": 5,
        "distilbert-base-uncased": 5,
        "distilroberta-base": 5,
        "mdeberta-v3-base": 10,
        "roberta-base": 10,
        "roberta-large": 17,
        "roberta-large-mnli": 19,
        "xlm-roberta-base": 9,
        "xlm-roberta-large": 17,
    }
)
"""The layer that agreed best with people, by the last part of the model's name.

Source: `model2layers` of bert_score 0.3.13, chosen on WMT16 with the paper's method.
"""

EXPECTED = "a folder with an encoder and its tokenizer as transformers saves them, or a name on the Hugging Face hub"

_LONGEST = 8192
"""The most tokens that are read of a text where neither tokenizer nor network names a limit, or a higher one."""


_TOKENS_ON_CPU, _TOKENS = 2048, 32768
"""Tokens in a forward pass, padding included, unless a single text is longer; the second elsewhere than on a CPU."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which network, and up to which layer; its weights are not loaded yet."""

    model: str
    layer: int
    config: Any
    """What transformers knows of it."""
    made: str
    """The fingerprint of a folder, or the commit of a model on the hub."""


def plan(model: str, layer: int | None) -> Plan:
    """What `model` is; `layer` None: the one in `LAYERS`, else the last.

    Raises:
        ConfigurationError: no transformers, no such model, no such layer.
    """
    require("bertscore", "neural", "torch", "transformers")
    config = configuration(model, f"bertscore: the model {model}", EXPECTED)
    count = getattr(config, "num_hidden_layers", None)
    if not isinstance(count, int):
        raise ConfigurationError(f"bertscore: {model} ({config.model_type}) has no layers; expected {EXPECTED}")
    if layer is None:
        layer = min(LAYERS.get(PurePath(model).name, count), count)
    if not 0 <= layer <= count:
        raise ConfigurationError(
            f"bertscore: {model} has no layer {layer}; it has 1 to {count}, and 0, the words without their context"
        )
    return Plan(model, layer, config, fingerprint(model) or getattr(config, "_commit_hash", None) or "")


@dataclass(frozen=True)
class Encoder:
    """A network that ends with the layer asked for, and its tokenizer."""

    tokenizer: Any
    network: Any
    reads: int
    """Tokens of a text that it reads, special ones included."""
    words: int
    """Tokens that it knows."""

    @property
    def at_once(self) -> int:
        """Tokens in a forward pass."""
        return _TOKENS_ON_CPU if self.network.device.type == "cpu" else _TOKENS

    def states(self, texts: Sequence[Sequence[int]]) -> Any:
        """The last layer's states, shape (texts, tokens of the longest, dimensions); texts are padded on the right."""
        torch = import_module("torch")
        longest, device = max(map(len, texts)), self.network.device
        padding = self.tokenizer.pad_token_id or 0
        tokens = torch.tensor([[*text, *[padding] * (longest - len(text))] for text in texts], device=device)
        mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in texts], device=device)
        return self.network(input_ids=tokens, attention_mask=mask)[0]


def load(planned: Plan) -> Encoder:
    """The weights, in 32 bits, on the fastest device that there is; takes seconds.

    A folder is loaded without any attempt to reach the network. No code out of a model's repository is run.

    Raises:
        ConfigurationError: it cannot be loaded, or not all of it is there.
    """
    what = f"bertscore: the model {planned.model}"
    tokenizer, network, report = loaded(what, EXPECTED, lambda: _load(planned))
    if lacking := sorted(key for key in map(str, report["missing_keys"]) if "pooler" not in key):
        raise ConfigurationError(f"{what} has no weights for {lacking[0]} and {len(lacking) - 1} others of its parts")
    if not all(bool(weights.isfinite().all()) for weights in network.parameters()):
        raise ConfigurationError(f"{what} has weights that are no numbers; it is damaged")
    encoder = network.get_encoder() if planned.config.is_encoder_decoder else network
    words = encoder.get_input_embeddings().weight.shape[0]
    return Encoder(tokenizer, encoder.to(best_device()).eval(), _reads(tokenizer, encoder), words)


def _load(planned: Plan) -> tuple[Any, Any, Any]:
    torch, library = import_module("torch"), import_module("transformers")
    config = deepcopy(planned.config)
    config.num_hidden_layers = planned.layer  # so that the layers above are neither loaded nor computed
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: planned.layer]
    commit = getattr(config, "_commit_hash", None)
    how: dict[str, Any] = {**safely(planned.model), **({"revision": commit} if commit else {})}
    with quietly(bars=not Path(planned.model).is_dir()):  # it would report the layers that are left out
        tokenizer = library.AutoTokenizer.from_pretrained(planned.model, **how)
        network, report = library.AutoModel.from_pretrained(
            planned.model, config=config, dtype=torch.float32, output_loading_info=True, **how
        )
    return tokenizer, network, report


def _reads(tokenizer: Any, network: Any) -> int:
    """The lowest of the limits that tokenizer, configuration and position embeddings name."""
    limits = [_LONGEST, tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", None)]
    for name, module in network.named_modules():
        if "position" in name and hasattr(module, "num_embeddings"):
            # RoBERTa and its kin count positions from behind the padding's.
            limits.append(module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1))
    return min(limit for limit in limits if isinstance(limit, int) and limit > 0)
