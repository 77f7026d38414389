"""The network: windows in, one feature vector per answer out (mean pooling).

Source: Reimers and Gurevych 2019, *Sentence-BERT*, section 3: the mean over all tokens, including special ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from saiten.judges.encoder.frame import InputWindow
from saiten.judges.encoder.texts import Texts
from saiten.judges.encoder.windows import Cut, Cutter

Features = npt.NDArray[np.float64]
"""Shape (answers, width)."""

AT_ONCE = 16
"""Windows per forward pass."""


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
