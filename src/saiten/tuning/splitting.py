"""Splitting into training and held-out questions by digest, so that the order of rows does not matter."""

import hashlib
from collections.abc import Collection

from saiten.choices import HELD_OUT
from saiten.errors import BadInput

FEWEST_QUESTIONS = 10
"""Minimum number of questions, of which two would be held out."""


def held_out_questions(questions: Collection[str], seed: int, share: float = HELD_OUT) -> frozenset[str]:
    """Return the questions to hold out: this share of them, but at least two, leaving at least two.

    Raises:
        BadInput: there are too few questions.
    """
    every = sorted(set(questions), key=lambda question: digest(f"{seed}\t{question}"))
    if len(every) < FEWEST_QUESTIONS:
        raise BadInput(
            f"the graded answers cover {len(every)} questions; at least {FEWEST_QUESTIONS} are needed (better 100), "
            "since whole questions are held out for the evaluation"
        )
    return frozenset(every[: min(max(2, round(share * len(every))), len(every) - 2)])


def digest(text: str) -> str:
    """Return a text's digest, 64 hexadecimal digits; lone surrogates are tolerated."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
