"""An encoder of the transformers library, truncated after one of its layers, and the texts that it reads."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.networks import (
    best_device,
    configuration,
    encoder_with_tokenizer,
    fingerprint,
    loaded,
    longest_input,
    require,
    tokens_at_once,
)

LAYERS = MappingProxyType(
    {
        "bert-base-chinese": 8, "bert-base-multilingual-cased": 9, "bert-base-uncased": 9, "bert-large-uncased": 18,
        "deberta-large-mnli": 18, "deberta-v3-base": 9, "deberta-v3-large": 12, "deberta-xlarge-mnli": 40,
        "distilbert-base-multilingual-cased": 5, "distilbert-base-uncased": 5, "distilroberta-base": 5,
        "mdeberta-v3-base": 10, "roberta-base": 10, "roberta-large": 17, "roberta-large-mnli": 19,
        "xlm-roberta-base": 9, "xlm-roberta-large": 17,
    }
)  # fmt: skip
"""The layer that agreed best with people, by the last part of the model's name.

Source: `model2layers` of bert_score 0.3.13, chosen on WMT16 with the paper's method.
"""

EXPECTED = "a folder with an encoder and its tokenizer as transformers saves them, or a name on the Hugging Face hub"


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """A network and the layer to use, before its weights are loaded."""

    model: str
    layer: int
    config: Any
    made: str
    """The fingerprint of a folder, or the commit of a hub model."""


def find_encoder(model: str, layer: int | None) -> EncoderSpec:
    """Look up the model; without `layer`, use the one in `LAYERS`, else the last.

    Raises ConfigurationError if transformers is missing, or there is no such model or layer.
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
    return EncoderSpec(model, layer, config, fingerprint(model, config))


@dataclass(frozen=True)
class TokenEncoder:
    """A network that ends with the chosen layer, and its tokenizer."""

    tokenizer: Any
    network: Any
    reads: int
    """Maximum tokens per text, including special ones."""
    words: int
    """The size of the vocabulary."""

    @property
    def at_once(self) -> int:
        """The maximum number of tokens per forward pass."""
        return tokens_at_once(self.network)

    def states(self, texts: Sequence[Sequence[int]]) -> Any:
        """Return the last layer's states, shape (texts, longest text, dimensions); texts are padded on the right."""
        torch = import_module("torch")
        longest, device = max(map(len, texts)), self.network.device
        padding = self.tokenizer.pad_token_id or 0
        tokens = torch.tensor([[*text, *[padding] * (longest - len(text))] for text in texts], device=device)
        mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in texts], device=device)
        return self.network(input_ids=tokens, attention_mask=mask)[0]


def load(spec: EncoderSpec) -> TokenEncoder:
    """Load the weights, in 32 bits, onto the best device; takes seconds. No code in a repository is run.

    Folders never use the network. Raises ConfigurationError if it cannot be loaded, or weights are missing.
    """
    what = f"bertscore: the model {spec.model}"
    tokenizer, network, lacking = loaded(what, EXPECTED, lambda: _load(spec))
    if lacking:
        raise ConfigurationError(f"{what} has no weights for {lacking[0]} and {len(lacking) - 1} others of its parts")
    if not all(bool(weights.isfinite().all()) for weights in network.parameters()):
        raise ConfigurationError(f"{what} has weights that are not numbers; it is damaged")
    encoder = network.get_encoder() if spec.config.is_encoder_decoder else network
    words = encoder.get_input_embeddings().weight.shape[0]
    return TokenEncoder(tokenizer, encoder.to(best_device()).eval(), longest_input(tokenizer, encoder), words)


def _load(spec: EncoderSpec) -> tuple[Any, Any, list[str]]:
    config = deepcopy(spec.config)
    config.num_hidden_layers = spec.layer  # so that higher layers are neither loaded nor computed
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: spec.layer]
    commit = getattr(config, "_commit_hash", None)
    return encoder_with_tokenizer(spec.model, config=config, **({"revision": commit} if commit else {}))


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Counts of a text's tokens, without the special ones."""

    tokens: int
    """Tokens that the network reads."""
    left_out: int
    """Tokens truncated at the end."""
    unknown: int
    """Those of `tokens` outside the vocabulary."""

    @property
    def nothing(self) -> str:
        """The reason why there is nothing to match, or ""."""
        if not self.tokens:
            return "has no token that the model's tokenizer reads"
        return "has no token that the model knows: take a model of its language" if self.unknown == self.tokens else ""


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text as tokens."""

    ids: tuple[int, ...]
    """Including special tokens."""
    counts: tuple[bool, ...]
    """Whether each token counts: all but the two around a text."""
    tokens: TokenCounts


def tokenize(encoder: TokenEncoder, texts: Sequence[str]) -> list[TokenizedText]:
    """Tokenize the texts; special tokens written in them are plain text."""
    tokenizer = encoder.tokenizer
    plain = [text.encode("utf-8", "replace").decode().strip() for text in texts]  # lone surrogates are no text
    found = tokenizer(plain, split_special_tokens=True, verbose=False)["input_ids"]
    around, unknown = {tokenizer.cls_token_id, tokenizer.sep_token_id}, tokenizer.unk_token_id
    made = []
    for text, text_ids in zip(plain, found, strict=True):
        ids = text_ids
        if len(text_ids) > encoder.reads:
            ids = tokenizer(text, split_special_tokens=True, truncation=True, max_length=encoder.reads)["input_ids"]
        if ids and max(ids) >= encoder.words:
            raise ConfigurationError(
                f"bertscore: the tokenizer of {tokenizer.name_or_path} gave the token {max(ids)}, and the network "
                f"knows {encoder.words} tokens; they do not belong together"
            )
        counts = tuple(token not in around for token in ids)
        tokens = TokenCounts(sum(counts), len(text_ids) - len(ids), sum(token == unknown for token in ids))
        made.append(TokenizedText(tuple(ids), counts, tokens))
    return made
