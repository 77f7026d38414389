"""The network: windows in, one feature vector per answer out (mean pooling); a linear head maps it to grades.

Source: Reimers and Gurevych 2019, *Sentence-BERT*, section 3: the mean over all tokens, including special ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError
from saiten.judges.encoder.texts import Texts
from saiten.judges.encoder.windows import Cut, Cutter, InputWindow
from saiten.models.networks import best_device, configuration, loaded, quietly, safely

Features = npt.NDArray[np.float64]
"""Shape (answers, width)."""

AT_ONCE = 16
"""Windows per forward pass."""

_EXPECTED = "a folder with an encoder that transformers or sentence-transformers saved, or a name on the hub"


@dataclass(frozen=True, eq=False)
class AnswerEncoder:
    """An encoder and its tokeniser; not thread-safe."""

    network: Any
    tokeniser: Any
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
        inputs = {"input_ids": padded([window.ids for window in windows], self.tokeniser.pad_token_id or 0)}
        if "token_type_ids" in self.tokeniser.model_input_names:
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
    tokeniser, network, lacking = loaded(what, _EXPECTED, lambda: _load(model))
    if lacking:
        raise ConfigurationError(
            f"{what} is no encoder: there are no weights for {lacking[0]}, so that it would read at random; expected "
            f"{_EXPECTED}"
        )
    if network.config.is_encoder_decoder or not isinstance(getattr(network.config, "hidden_size", None), int):
        raise ConfigurationError(f"{what} ({type(network).__name__}) is no encoder; expected {_EXPECTED}")
    shortest = min(length, _longest(network, tokeniser))
    return AnswerEncoder(network, tokeniser, shortest, most, Cutter(tokeniser, shortest, most))


def _load(model: str) -> tuple[Any, Any, list[str]]:
    library, torch = import_module("transformers"), import_module("torch")
    model = _place(model)
    with quietly(bars=not Path(model).is_dir()):
        tokeniser = library.AutoTokenizer.from_pretrained(model, **safely(model))
        network, report = library.AutoModel.from_pretrained(
            model, dtype=torch.float32, output_loading_info=True, **safely(model)
        )
    for part in network.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    lacking = sorted(str(key) for key in [*report["missing_keys"], *report["mismatched_keys"]])
    # BERT's pooler is not used here, and sentence-transformers saves none.
    return tokeniser, network.to(best_device()).eval(), [key for key in lacking if "pooler" not in key]


def _place(model: str) -> str:
    """Return the folder if there is one, else the hub name."""
    folder = Path(model).expanduser()
    return str(folder) if folder.is_dir() else model


def _longest(network: Any, tokeniser: Any) -> int:
    """Return the network's maximum length; RoBERTa's positions begin after the padding index."""
    positions = getattr(network.config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0:
        return int(min(tokeniser.model_max_length, 1 << 30))
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(min(tokeniser.model_max_length, positions - (0 if padding is None else padding + 1)))


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
    """Load the head from the folder.

    Raises:
        ConfigurationError: it is unreadable, or does not match this encoder.
    """
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
