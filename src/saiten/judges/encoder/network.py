"""The network: windows in, one feature vector per answer out (mean pooling); a linear head maps it to grades.

Texts longer than the encoder's input are split into several windows, each with the question: `[CLS] question [SEP] a
piece of the answer [SEP]`, as the tokenizer formats a pair of texts. Texts cannot write control tokens: `[SEP]` inside
an answer stays five characters.

Source: Reimers and Gurevych 2019, *Sentence-BERT*, section 3: the mean over all tokens, including special ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError
from saiten.judges.encoder.texts import Texts
from saiten.models.networks import best_device, configuration, loaded, quietly, safely

SHORTEST = 16
"""Minimum tokens per window."""


@dataclass(frozen=True, slots=True)
class InputWindow:
    """One input of the encoder."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Which of the two texts each token belongs to, for encoders that use it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All windows of a pair of texts."""

    windows: tuple[InputWindow, ...]
    left_out: str
    """A description of what no window contains; empty if everything is read."""

    @property
    def tokens(self) -> int:
        """The number of tokens the encoder reads."""
        return sum(len(window.ids) for window in self.windows)


class Cutter:
    """Cuts texts into at most `most` windows of at most `length` tokens."""

    def __init__(self, tokenizer: Any, length: int, most: int) -> None:
        """`tokenizer`: from the transformers library.

        Raises:
            ConfigurationError: it cannot join two texts, or the length is too short.
        """
        if length < SHORTEST or most < 1:
            raise ConfigurationError(f"an encoder must read at least {SHORTEST} tokens at once, not {length}")
        self._tokenizer = tokenizer
        self._length = length
        self._most = most
        self._frame = _frame(tokenizer)

    def cut(self, texts: Texts) -> Cut:
        """Return windows with pieces of equal length, together the whole answer.

        The question and other context get at most half of a window. If the answer needs more than `most` windows, its
        end is not read.
        """
        room = self._length - self._frame.tokens
        context, answer = self._ids(texts.context), self._ids(texts.answer)
        kept = context[: room // 2]
        piece = room - len(kept)
        read = answer[: piece * self._most]
        count = max(1, ceil(len(read) / piece))
        size = max(1, ceil(len(read) / count))
        pieces = [read[start : start + size] for start in range(0, len(read), size)] or [[]]
        said = [
            f"{what} ({len(used):,} of {len(all_):,} tokens read)"
            for what, used, all_ in (("what stands beside the answer", kept, context), ("the answer", read, answer))
            if len(used) < len(all_)
        ]
        return Cut(tuple(self._frame.around(kept, each) for each in pieces), " and ".join(said))

    def _ids(self, text: str) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # JSON may contain lone surrogates
        found: list[int] = self._tokenizer(
            whole, add_special_tokens=False, split_special_tokens=True, verbose=False, return_attention_mask=False
        )["input_ids"]
        return found


@dataclass(frozen=True, slots=True)
class _Frame:
    """The tokens that the tokenizer writes around and between two texts, and their types."""

    ids: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    """Before the first text, between them, and after the second."""
    types: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    of_texts: tuple[int, int]

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ids))

    def around(self, first: Sequence[int], second: Sequence[int]) -> InputWindow:
        before, between, after = self.ids
        types = (
            self.types[0] + (self.of_texts[0],) * len(first) + self.types[1] + (self.of_texts[1],) * len(second)
        ) + self.types[2]
        return InputWindow((*before, *first, *between, *second, *after), types)


def _frame(tokenizer: Any) -> _Frame:
    """Derive the frame from a pair of one-letter texts, since every tokenizer has its own."""
    first, second = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("a", "b"))
    pair = tokenizer("a", "b")
    ids = tuple(pair["input_ids"])
    types = tuple(pair.get("token_type_ids") or (0,) * len(ids))
    starts = [at for at in range(len(ids)) if first and ids[at : at + len(first)] == tuple(first)]
    ends = [at for at in range(len(ids), 0, -1) if second and ids[at - len(second) : at] == tuple(second)]
    if not starts or not ends or starts[0] + len(first) > ends[0] - len(second):
        raise ConfigurationError(
            "the encoder's tokenizer does not join two texts; expected that of a BERT-like encoder"
        )
    at, end = starts[0], ends[0]
    then, until = at + len(first), end - len(second)
    return _Frame(
        (ids[:at], ids[then:until], ids[end:]),
        (types[:at], types[then:until], types[end:]),
        (types[at], types[until]),
    )


Features = npt.NDArray[np.float64]
"""Shape (answers, width)."""

AT_ONCE = 16
"""Windows per forward pass."""

_EXPECTED = "a folder with an encoder that transformers or sentence-transformers saved, or a name on the hub"


@dataclass(frozen=True, eq=False)
class AnswerEncoder:
    """An encoder and its tokenizer; not thread-safe."""

    network: Any
    tokenizer: Any
    length: int
    """Maximum tokens per window."""
    most: int
    """Maximum windows per answer."""
    cutter: Cutter

    @property
    def width(self) -> int:
        """Number of features per answer."""
        return int(self.network.config.hidden_size)

    def cut(self, texts: Sequence[Texts]) -> list[Cut]:
        """Cut each pair of texts into windows."""
        return [self.cutter.cut(each) for each in texts]

    def features(self, cuts: Sequence[Cut]) -> Features:
        """Return the mean over all tokens of each answer's windows, without gradients."""
        torch = import_module("torch")
        sums = np.zeros((len(cuts), self.width))
        with torch.inference_mode():
            for chosen in batched(cuts):
                found = self.sums([cuts[answer].windows[at] for answer, at in chosen]).cpu().numpy()
                np.add.at(sums, [answer for answer, _ in chosen], found.astype(np.float64))
        means: Features = sums / np.array([[cut.tokens] for cut in cuts])
        return means

    def sums(self, windows: Sequence[InputWindow]) -> Any:
        """Return the sum over each window's tokens, as a tensor of shape (windows, width)."""
        torch, device = import_module("torch"), self.network.device
        longest = max(len(window.ids) for window in windows)

        def padded(rows: Sequence[tuple[int, ...]], padding: int = 0) -> Any:
            return torch.tensor([row + (padding,) * (longest - len(row)) for row in rows], device=device)

        mask = padded([(1,) * len(window.ids) for window in windows])
        inputs = {"input_ids": padded([window.ids for window in windows], self.tokenizer.pad_token_id or 0)}
        if "token_type_ids" in self.tokenizer.model_input_names:
            inputs["token_type_ids"] = padded([window.types for window in windows])
        hidden = self.network(**inputs, attention_mask=mask).last_hidden_state
        return (hidden * mask[..., None]).sum(1)


def batched(cuts: Sequence[Cut], at_once: int = AT_ONCE) -> Iterator[list[tuple[int, int]]]:
    """Yield the windows of all answers as (answer, place), in batches of similar length."""
    every = [(answer, at) for answer, cut in enumerate(cuts) for at in range(len(cut.windows))]
    every.sort(key=lambda one: len(cuts[one[0]].windows[one[1]].ids), reverse=True)
    for start in range(0, len(every), at_once):
        yield every[start : start + at_once]


def load_encoder(model: str, length: int, most: int, *, what: str) -> AnswerEncoder:
    """Load the encoder from a folder or hub name onto the best device; takes seconds.

    Folders never use the network; hub names are downloaded unless cached. No code in a repository is run. Dropout is
    off, even in training: for a few hundred grades it is noise, and without it training is reproducible. `what`: the
    name used in errors.

    Raises:
        ConfigurationError: it cannot be loaded, or is no encoder.
    """
    configuration(_place(model), what, _EXPECTED)
    tokenizer, network, lacking = loaded(what, _EXPECTED, lambda: _load(model))
    if lacking:
        raise ConfigurationError(
            f"{what} is no encoder: there are no weights for {lacking[0]}, so that it would read at random; expected "
            f"{_EXPECTED}"
        )
    if network.config.is_encoder_decoder or not isinstance(getattr(network.config, "hidden_size", None), int):
        raise ConfigurationError(f"{what} ({type(network).__name__}) is no encoder; expected {_EXPECTED}")
    shortest = min(length, _longest(network, tokenizer))
    return AnswerEncoder(network, tokenizer, shortest, most, Cutter(tokenizer, shortest, most))


def _load(model: str) -> tuple[Any, Any, list[str]]:
    library, torch = import_module("transformers"), import_module("torch")
    model = _place(model)
    with quietly(bars=not Path(model).is_dir()):
        tokenizer = library.AutoTokenizer.from_pretrained(model, **safely(model))
        network, report = library.AutoModel.from_pretrained(
            model, dtype=torch.float32, output_loading_info=True, **safely(model)
        )
    for part in network.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    lacking = sorted(str(key) for key in [*report["missing_keys"], *report["mismatched_keys"]])
    # BERT's pooler is not used here, and sentence-transformers saves none.
    return tokenizer, network.to(best_device()).eval(), [key for key in lacking if "pooler" not in key]


def _place(model: str) -> str:
    folder = Path(model).expanduser()
    return str(folder) if folder.is_dir() else model


def _longest(network: Any, tokenizer: Any) -> int:
    """Return the network's maximum length; RoBERTa's positions begin after the padding index."""
    positions = getattr(network.config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0:
        return int(min(tokenizer.model_max_length, 1 << 30))
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(min(tokenizer.model_max_length, positions - (0 if padding is None else padding + 1)))


FILE = "head.safetensors"


@dataclass(frozen=True, eq=False)
class LinearHead:
    """A linear map from features to grades."""

    weights: npt.NDArray[np.float64]
    """Shape (aspects, features)."""
    bias: npt.NDArray[np.float64]
    """Shape (aspects,)."""

    def grades(self, features: Features) -> npt.NDArray[np.float64]:
        """Return grades of shape (answers, aspects), not clipped to any scale."""
        grades: npt.NDArray[np.float64] = features @ self.weights.T + self.bias
        return grades

    def save(self, folder: Path) -> None:
        """Write `head.safetensors`."""
        import_module("safetensors.numpy").save_file({"weights": self.weights, "bias": self.bias}, folder / FILE)


def load_head(folder: Path, aspects: int, width: int) -> LinearHead:
    """Load the head from the folder; raises ConfigurationError if it is unreadable, or does not match this encoder."""
    library = import_module("safetensors")
    try:
        found = import_module("safetensors.numpy").load_file(folder / FILE)
        head = LinearHead(np.asarray(found["weights"], np.float64), np.asarray(found["bias"], np.float64))
    except (OSError, KeyError, ValueError, library.SafetensorError) as error:
        raise ConfigurationError(f"{folder / FILE} cannot be read: {error}; {_AGAIN}") from error
    if head.weights.shape != (aspects, width) or head.bias.shape != (aspects,):
        raise ConfigurationError(
            f"{folder / FILE} has weights of {head.weights.shape}, but the encoder next to it, with {aspects} aspects, "
            f"needs {(aspects, width)}; {_AGAIN}"
        )
    return head


_AGAIN = "make the judge again with `saiten tune judge`"
