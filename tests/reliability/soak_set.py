"""The samples of the soak, what a judge must say about each, and which requests the server spoils.

All of it is a function of the seed, so that the server and the check agree without talking to each other.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal

Fault = Literal[
    "429", "429 with Retry-After", "500", "503", "cut before", "cut within", "silence", "half a body",
    "rubbish", "half a reply", "refusal", "empty",
]  # fmt: skip
Kind = Fault | Literal["good"]

PASSING: Sequence[Fault] = (
    "429",
    "429 with Retry-After",
    "500",
    "503",
    "cut before",
    "cut within",
    "silence",
    "half a body",
)
"""Faults after which the request is sent again."""
UNPAID: Sequence[Fault] = ("429", "429 with Retry-After", "500", "503")
"""Refusals, which cost nothing."""
UNKNOWN: Sequence[Fault] = ("cut before", "cut within", "silence", "half a body")
"""Replies that do not arrive whole, so that nobody can know what they cost."""
UNREADABLE: Sequence[Fault] = ("rubbish", "half a reply")
"""Replies that are paid for, and asked for once more."""
FINAL: Sequence[Fault] = ("refusal", "empty")
"""Replies that are paid for and without a verdict, which the model would repeat."""
FAULTS: Sequence[Fault] = (*PASSING, *UNREADABLE, *FINAL)

SHARE = 0.05
"""Of the requests, those that are spoiled."""
STUBBORN = 500
"""Of so many samples, one is always refused, and one always answered with rubbish."""

_ALIKE = ("alder", "birch", "cedar", "daphne", "elder")
_OTHER = ("fir", "gorse", "hazel", "ivy", "juniper")


@lru_cache(1 << 14)
def _draw(seed: int, *what: object) -> int:
    return int.from_bytes(blake2b(repr((seed, what)).encode(), digest_size=8).digest())


def verdict(seed: int, part: int) -> bool:
    """Return what the judge says about the sample's answer."""
    return bool(_draw(seed, "verdict", part) % 2)


def overlap(seed: int, part: int) -> float:
    """Return the token F1 of answer and reference, which have five words each."""
    return _draw(seed, "overlap", part) % 6 / 5


def kind_of(seed: int, part: int, earlier: int) -> Kind:
    """Return how the server treats a request about this sample, after so many earlier ones."""
    if part % STUBBORN == 7:
        return "503"
    if part % STUBBORN == 11:
        return "rubbish"
    drawn = random.Random(_draw(seed, "kind", part, earlier))
    return drawn.choice(FAULTS) if drawn.random() < SHARE else "good"


def rows(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield the samples; the question names the part, by which the server knows it again."""
    for part in range(count):
        same = round(overlap(seed, part) * 5)
        yield {
            "id": f"s{part}",
            "question": f"What is machine part P{part} made of?",
            "answer": " ".join([*_ALIKE[:same], *_OTHER[same:]]),
            "reference": " ".join(_ALIKE),
        }
