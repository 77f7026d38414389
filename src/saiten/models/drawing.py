"""How the next tokens of a batch are drawn: each row by its own temperature and seed, whatever else is in the batch.

Adding Gumbel noise to logits and taking the largest is an exact draw from their softmax (Gumbel 1954; Maddison et al.
2014, section 2), so greedy decoding does the sampling, and each row brings its own noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from secrets import randbits
from typing import Any

from saiten.errors import ConfigurationError

Warp = Callable[[Any], Any]
"""Logits of one row, shape (1, vocabulary), → logits."""


@dataclass(frozen=True, slots=True)
class Draw:
    """How one row is drawn."""

    temperature: float
    """Above 0; 0 takes the likeliest token."""
    seed: int
    """Of the noise, 63 bits."""
    warps: Sequence[Warp] = ()
    """What else the model's own settings do to the logits, after the temperature."""


def seed_of(seed: int | None, prompt: Sequence[int]) -> int:
    """63 bits out of the request's seed and its prompt, so that two prompts do not get the same noise; None: any."""
    if seed is None:
        return randbits(63)
    digest = sha256(f"{seed}|{','.join(map(str, prompt))}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Drawing:
    """A logits processor of the transformers library; `generate` is called with `do_sample=False`."""

    def __init__(self, draws: Sequence[Draw], device: Any) -> None:
        self._torch = import_module("torch")
        self._rows = [(row, draw, self._generator(draw, device)) for row, draw in enumerate(draws) if draw.temperature]
        self._checked = False

    def __call__(self, ids: Any, logits: Any) -> Any:
        """Logits, shape (rows, vocabulary), with which the largest is the token that was drawn.

        Raises:
            ConfigurationError: the model gives no numbers.
        """
        if not self._checked:  # the first step shows it, and looking costs a wait for the device
            self._checked = True
            if self._torch.isnan(logits).any():
                raise ConfigurationError("the model gives logits that are no numbers: its weights are damaged")
        for row, draw, generator in self._rows:
            warped = logits[row : row + 1] / draw.temperature
            for warp in draw.warps:
                warped = warp(warped)
            noise = self._torch.empty_like(warped).exponential_(generator=generator)
            logits[row : row + 1] = warped - noise.clamp_min(_SMALLEST).log()
        return logits

    def _generator(self, draw: Draw, device: Any) -> Any:
        return self._torch.Generator(device=device).manual_seed(draw.seed)


_SMALLEST = 1e-38
"""So that the noise is never infinite."""
