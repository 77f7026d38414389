"""A causal language model of the transformers library: loading, checks, and the likelihood of tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.models.networks import best_device, causal_weights, loaded, quietly, safely

Precision = Literal["float32", "bfloat16", "float16"]
"""The type of weights and activations, but not of probabilities."""

EXPECTED = (
    "a folder with the configuration, weights and tokenizer of a causal language model, or its name on the "
    "Hugging Face hub"
)

_LOGITS = 1 << 24
"""Logits computed at once, vocabulary × positions: 64 MiB as float32. A whole text may need gigabytes."""
_TOKENS_ON_CPU, _TOKENS = 1024, 32768
"""Maximum tokens per forward pass, with padding, unless a single window is longer; on a CPU and elsewhere."""
_UNLIMITED = 2048  # the window of a network that has no limit
_PROBE = 8  # tokens used to probe a network


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A span of a text's tokens: all but the last are read, those from `counted` on are measured."""

    text: tuple[int, ...]
    start: tuple[int, ...]
    """The token that begins every text, if any."""
    begin: int
    counted: int
    end: int

    def __len__(self) -> int:
        return len(self.start) + self.end - self.begin - 1

    def padded(self, length: int) -> tuple[int, ...]:
        """Return the tokens, padded with zeros to `length`."""
        return self.start + self.text[self.begin : self.end] + (0,) * (length - len(self))


@dataclass(frozen=True)
class CausalModel:
    """A network and its tokenizer."""

    tokenizer: Any
    network: Any
    window: int
    start: int | None
    """The token that begins every text, or None."""
    unknown: int | None
    """The token for text outside the vocabulary, or None."""
    in_slices: bool
    """Whether its logits are just the output layer on the last hidden states, so that they can be sliced."""

    def tokens(self, text: str) -> tuple[int, ...]:
        """Tokenize the text by itself; special tokens written in it are plain text."""
        ids = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        if (highest := max((*ids, self.start or 0))) >= _vocabulary(self.network):
            raise ConfigurationError(
                f"perplexity: the tokenizer of {self.tokenizer.name_or_path} gave the token {highest}, and the "
                f"network knows {_vocabulary(self.network)} tokens; they do not belong together"
            )
        return tuple(ids)

    def surprise(self, spans: Sequence[TokenSpan], wanted: Callable[[], bool]) -> list[float]:
        """Return for each span the sum over its measured tokens of -ln p(token | earlier tokens of the span), in nats.

        Spans are processed longest first, padded on the right, a few thousand tokens per forward pass. Raises
        RuntimeError before a pass if the result is no longer wanted.
        """
        sums = [0.0] * len(spans)
        order = sorted(range(len(spans)), key=lambda at: len(spans[at]), reverse=True)
        while order:
            if not wanted():
                raise RuntimeError("nobody waits for it any more")
            size = max(1, self._at_once // len(spans[order[0]]))
            batch, order = order[:size], order[size:]
            for at, surprise in zip(batch, self._surprise([spans[at] for at in batch]), strict=True):
                # overflow in the padding can spread to the text, since 0 × NaN is NaN: retry without padding
                sums[at] = surprise if isfinite(surprise) else self._surprise([spans[at]])[0]
        return sums

    @property
    def _at_once(self) -> int:
        most = _TOKENS_ON_CPU if self.network.device.type == "cpu" else _TOKENS
        return most if self.in_slices else min(most, _LOGITS // _vocabulary(self.network))

    def _surprise(self, spans: Sequence[TokenSpan]) -> list[float]:
        """Run one forward pass; the first span must be the longest."""
        torch = import_module("torch")
        device, longest = self.network.device, len(spans[0])
        tokens = torch.tensor([span.padded(longest) for span in spans], device=device)
        lengths = torch.tensor([[len(span)] for span in spans], device=device)
        measured_from = torch.tensor([[len(span) - (span.end - span.counted)] for span in spans], device=device)
        at = torch.arange(longest, device=device)
        shown = at < lengths
        measured = shown & (at >= measured_from)
        row, targets = measured.nonzero()[:, 0].cpu(), tokens[:, 1:][measured]
        sums = torch.zeros(len(spans), dtype=torch.float64)
        with torch.inference_mode():
            found = _outputs(self.network, tokens[:, :-1], shown.long(), logits=not self.in_slices)[measured]
            step = max(1, _LOGITS // _vocabulary(self.network))
            for start in range(0, len(targets), step):
                part = slice(start, start + step)
                logits = self.network.get_output_embeddings()(found[part]) if self.in_slices else found[part]
                surprise = torch.nn.functional.cross_entropy(logits.float(), targets[part], reduction="none")
                # rounding may make a certain token's value slightly negative
                sums.index_add_(0, row[part], surprise.clamp_min(0).cpu().double())
        return [float(value) for value in sums]


def load_causal_model(model: str, precision: Precision, made: str = "") -> CausalModel:
    """Load the model from a folder or hub name onto the best device; takes seconds.

    Folders never use the network; hub names are downloaded unless cached, in the version `made`. No code in a
    repository is run. Raises ConfigurationError if it cannot be loaded, or is no causal language model.
    """
    with quietly(bars=not Path(model).is_dir()):
        tokenizer, network = loaded(f"perplexity: the model {model}", EXPECTED, lambda: _load(model, precision, made))
    one, other = _outputs(network, _probe(network), None, logits=True)
    if not bool(one.isfinite().all()):
        raise ConfigurationError(
            f"perplexity: {model} gives values that are not numbers in {precision}; it is damaged, or needs "
            "dtype=float32"
        )
    if network.config.is_encoder_decoder or not _close(one[:-1], other[:-1]):
        raise ConfigurationError(
            f"perplexity: {model} ({type(network).__name__}) is not a causal language model: what it says about a "
            f"token depends on those after it; expected {EXPECTED}"
        )
    in_slices = _is_output_layer_all(network)
    return CausalModel(tokenizer, network, _window(network), tokenizer.bos_token_id, tokenizer.unk_token_id, in_slices)


def _load(model: str, precision: Precision, made: str) -> tuple[Any, Any]:
    torch, library = import_module("torch"), import_module("transformers")
    version = {"revision": made} if made and not Path(model).is_dir() else {}
    tokenizer = library.AutoTokenizer.from_pretrained(model, **safely(model), **version)
    network = causal_weights(model, f"perplexity: {model}", getattr(torch, precision), **version)
    return tokenizer, network.to(best_device()).eval()


def _vocabulary(network: Any) -> int:
    known: int = network.get_input_embeddings().weight.shape[0]
    return known


def _window(network: Any) -> int:
    longest = getattr(network.config.get_text_config(), "max_position_embeddings", None)
    return longest if isinstance(longest, int) and longest > 0 else _UNLIMITED


def _probe(network: Any) -> Any:
    """Return two rows of tokens that differ in the last one; shape (2, up to 8)."""
    torch, known = import_module("torch"), _vocabulary(network)
    tokens = torch.arange(min(_PROBE, _window(network)), device=network.device).repeat(2, 1) % known
    tokens[1, -1] = (tokens[1, -1] + known // 2) % known
    return tokens


def _is_output_layer_all(network: Any) -> bool:
    """Return whether the output layer on the last hidden states yields the logits; some networks scale or cap them."""
    tokens, torch = _probe(network), import_module("torch")
    try:
        with torch.inference_mode():
            found = network.get_output_embeddings()(_outputs(network, tokens, None, logits=False))
    except (AttributeError, TypeError, RuntimeError, ValueError):
        return False
    return _close(found, _outputs(network, tokens, None, logits=True))


def _outputs(network: Any, tokens: Any, mask: Any, *, logits: bool) -> Any:
    """Return logits, shape (rows, tokens, vocabulary), or the output layer's input, (rows, tokens, hidden)."""
    torch = import_module("torch")
    with torch.inference_mode():
        if logits:
            return network(input_ids=tokens, attention_mask=mask, use_cache=False).logits
        return network.base_model(input_ids=tokens, attention_mask=mask, use_cache=False)[0]


def _close(one: Any, other: Any) -> bool:
    if one.shape != other.shape:
        return False
    if not one.numel():
        return True
    torch = import_module("torch")
    allowed = 50 * torch.finfo(other.dtype).eps * float(other.float().abs().max())
    return bool((one.float() - other.float()).abs().max() <= allowed)
