"""A causal language model of the transformers library: loaded, seen to be one, and asked how likely tokens are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.models.causal_weights import whole_weights
from saiten.models.networks import best_device, configuration, fingerprint, loaded, quietly, require, safely

Precision = Literal["float32", "bfloat16", "float16"]
"""Of the weights and of what is computed with them, probabilities apart."""

EXPECTED = (
    "a folder with the configuration, weights and tokenizer of a causal language model, or its name on the "
    "Hugging Face hub"
)

_LOGITS = 1 << 24
"""Logits at once, vocabulary × positions: 64 MiB as float32. All of a text at once may be gigabytes."""
_TOKENS_ON_CPU, _TOKENS = 1024, 32768
"""Tokens in a forward pass, padding included, unless a single window is longer; the second elsewhere than on a CPU."""
_UNLIMITED = 2048
"""The window of a network that names no limit."""
_PROBE = 8
"""Tokens with which a network is tried."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a text's tokens: all but the last are shown, those from `counted` on are measured."""

    text: tuple[int, ...]
    start: tuple[int, ...]
    """What stands before every piece: the token that begins a text, or nothing."""
    begin: int
    counted: int
    end: int

    def __len__(self) -> int:
        """The tokens that are shown."""
        return len(self.start) + self.end - self.begin - 1

    def padded(self, length: int) -> tuple[int, ...]:
        """The tokens, and zeros up to `length` after those that are shown."""
        return self.start + self.text[self.begin : self.end] + (0,) * (length - len(self))


@dataclass(frozen=True)
class CausalModel:
    """A network and its tokenizer."""

    tokenizer: Any
    network: Any
    window: int
    """The most tokens that it reads."""
    start: int | None
    """The token that begins every text, or None."""
    unknown: int | None
    """The token that stands for what the tokenizer does not know, or None."""
    in_slices: bool
    """Whether its logits are nothing but the output layer on the last hidden states, so that they can be sliced."""

    def tokens(self, text: str) -> tuple[int, ...]:
        """The tokens of the text alone; what looks like a special token in it is text.

        Raises:
            ConfigurationError: the tokenizer has tokens that the network does not know.
        """
        ids = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        if (highest := max((*ids, self.start or 0))) >= _vocabulary(self.network):
            raise ConfigurationError(
                f"perplexity: the tokenizer of {self.tokenizer.name_or_path} gave the token {highest}, and the "
                f"network knows {_vocabulary(self.network)} tokens; they do not belong together"
            )
        return tuple(ids)

    def surprise(self, pieces: Sequence[Piece], wanted: Callable[[], bool]) -> list[float]:
        """For each piece the sum over its measured tokens of -ln p(token | tokens before it in the piece), in nats.

        The longest are worked on first, padded on the right, some thousand tokens in a forward pass.

        Raises:
            RuntimeError: it is not wanted any more; looked at before each forward pass.
        """
        sums = [0.0] * len(pieces)
        order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]), reverse=True)
        while order:
            if not wanted():
                raise RuntimeError("nobody waits for it any more")
            size = max(1, self._at_once // len(pieces[order[0]]))
            batch, order = order[:size], order[size:]
            for at, surprise in zip(batch, self._surprise([pieces[at] for at in batch]), strict=True):
                # Padding that overflows reaches the tokens before it, though it counts nothing: 0 × NaN is NaN.
                sums[at] = surprise if isfinite(surprise) else self._surprise([pieces[at]])[0]
        return sums

    @property
    def _at_once(self) -> int:
        """Tokens in a forward pass."""
        most = _TOKENS_ON_CPU if self.network.device.type == "cpu" else _TOKENS
        return most if self.in_slices else min(most, _LOGITS // _vocabulary(self.network))

    def _surprise(self, pieces: Sequence[Piece]) -> list[float]:
        """The same for one forward pass; the first piece is the longest."""
        torch = import_module("torch")
        device, longest = self.network.device, len(pieces[0])
        tokens = torch.tensor([piece.padded(longest) for piece in pieces], device=device)
        lengths = torch.tensor([[len(piece)] for piece in pieces], device=device)
        measured_from = torch.tensor([[len(piece) - (piece.end - piece.counted)] for piece in pieces], device=device)
        at = torch.arange(longest, device=device)
        shown = at < lengths
        measured = shown & (at >= measured_from)
        row, targets = measured.nonzero()[:, 0].cpu(), tokens[:, 1:][measured]
        sums = torch.zeros(len(pieces), dtype=torch.float64)
        with torch.inference_mode():
            found = _outputs(self.network, tokens[:, :-1], shown.long(), logits=not self.in_slices)[measured]
            step = max(1, _LOGITS // _vocabulary(self.network))
            for start in range(0, len(targets), step):
                part = slice(start, start + step)
                logits = self.network.get_output_embeddings()(found[part]) if self.in_slices else found[part]
                surprise = torch.nn.functional.cross_entropy(logits.float(), targets[part], reduction="none")
                # Rounding may leave a token that is certain a little below 0.
                sums.index_add_(0, row[part], surprise.clamp_min(0).cpu().double())
        return [float(value) for value in sums]


def identify(model: str) -> str:
    """The fingerprint of a folder, or the commit of a model on the hub; its weights are not loaded yet.

    Raises:
        ConfigurationError: torch or transformers is not installed, there is no such model, or it wants code.
    """
    require("perplexity", "neural", "torch", "transformers")
    config = configuration(model, f"perplexity: the model {model}", EXPECTED)
    return fingerprint(model) or getattr(config, "_commit_hash", None) or ""


def load_causal_model(model: str, precision: Precision, made: str = "") -> CausalModel:
    """The model of this folder or name, on the fastest device that there is; takes seconds.

    A folder is loaded without any attempt to reach the network; a name is downloaded unless it is on the disk already,
    in the version that `made` names. No code out of a model's repository is run.

    Raises:
        ConfigurationError: it cannot be loaded, or it is no causal language model.
    """
    with quietly(bars=not Path(model).is_dir()):
        tokenizer, network = loaded(f"perplexity: the model {model}", EXPECTED, lambda: _load(model, precision, made))
    one, other = _outputs(network, _probe(network), None, logits=True)
    if not bool(one.isfinite().all()):
        raise ConfigurationError(
            f"perplexity: {model} says what is no number in {precision}; it is damaged, or needs dtype=float32"
        )
    if network.config.is_encoder_decoder or not _close(one[:-1], other[:-1]):
        raise ConfigurationError(
            f"perplexity: {model} ({type(network).__name__}) is no causal language model: what it says about a token "
            f"depends on those after it; expected {EXPECTED}"
        )
    in_slices = _is_output_layer_all(network)
    return CausalModel(tokenizer, network, _window(network), tokenizer.bos_token_id, tokenizer.unk_token_id, in_slices)


def _load(model: str, precision: Precision, made: str) -> tuple[Any, Any]:
    torch, library = import_module("torch"), import_module("transformers")
    version = {"revision": made} if made and not Path(model).is_dir() else {}
    tokenizer = library.AutoTokenizer.from_pretrained(model, **safely(model), **version)
    network = whole_weights(model, f"perplexity: {model}", getattr(torch, precision), **version)
    return tokenizer, network.to(best_device()).eval()


def _vocabulary(network: Any) -> int:
    """How many tokens it knows."""
    known: int = network.get_input_embeddings().weight.shape[0]
    return known


def _window(network: Any) -> int:
    longest = getattr(network.config.get_text_config(), "max_position_embeddings", None)
    return longest if isinstance(longest, int) and longest > 0 else _UNLIMITED


def _probe(network: Any) -> Any:
    """Two rows of tokens that differ in the last one; shape (2, up to 8)."""
    torch, known = import_module("torch"), _vocabulary(network)
    tokens = torch.arange(min(_PROBE, _window(network)), device=network.device).repeat(2, 1) % known
    tokens[1, -1] = (tokens[1, -1] + known // 2) % known
    return tokens


def _is_output_layer_all(network: Any) -> bool:
    """Whether the output layer on the last hidden states gives the network's logits: some scale or cap them."""
    tokens, torch = _probe(network), import_module("torch")
    try:
        with torch.inference_mode():
            found = network.get_output_embeddings()(_outputs(network, tokens, None, logits=False))
    except (AttributeError, TypeError, RuntimeError, ValueError):
        return False
    return _close(found, _outputs(network, tokens, None, logits=True))


def _outputs(network: Any, tokens: Any, mask: Any, *, logits: bool) -> Any:
    """Logits, shape (rows, tokens, vocabulary); or what the output layer makes them of, (rows, tokens, hidden)."""
    torch = import_module("torch")
    with torch.inference_mode():
        if logits:
            return network(input_ids=tokens, attention_mask=mask, use_cache=False).logits
        return network.base_model(input_ids=tokens, attention_mask=mask, use_cache=False)[0]


def _close(one: Any, other: Any) -> bool:
    """Equal but for rounding, of which numbers of few digits have more."""
    if one.shape != other.shape:
        return False
    if not one.numel():
        return True
    torch = import_module("torch")
    allowed = 50 * torch.finfo(other.dtype).eps * float(other.float().abs().max())
    return bool((one.float() - other.float()).abs().max() <= allowed)
