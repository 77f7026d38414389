"""Sampling the next tokens of a batch: each row by its own temperature and seed, independent of the others.

Adding Gumbel noise to logits and taking the largest is an exact draw from their softmax (Gumbel 1954; Maddison et al.
2014, section 2), so greedy decoding does the sampling, and each row has its own noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from secrets import randbits
from typing import Any

from saiten.errors import ConfigurationError

Warp = Callable[[Any], Any]
"""Maps the logits of one row, shape (1, vocabulary), to new logits."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The sampling settings of one row."""

    temperature: float
    """Above 0; 0 takes the likeliest token."""
    seed: int
    """Seed of the noise, 63 bits."""
    warps: Sequence[Warp] = ()
    """The model's other default transformations of the logits, applied after the temperature."""


def seed_of(seed: int | None, prompt: Sequence[int]) -> int:
    """Derive 63 bits from the request's seed and prompt, so that prompts do not share noise; None: random."""
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
        """Return logits, shape (rows, vocabulary), whose largest entry is the drawn token.

        Raises:
            ConfigurationError: the model's logits are NaN.
        """
        if not self._checked:  # only the first step, since checking waits for the device
            self._checked = True
            if self._torch.isnan(logits).any():
                raise ConfigurationError("the model's logits are not numbers: its weights are damaged")
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
"""Keeps the noise finite."""
