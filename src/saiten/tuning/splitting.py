"""What is learned from and what is held out: whole questions, drawn by digest, so that the rows' order is no matter."""

import hashlib
from collections.abc import Collection

from saiten.choices import HELD_OUT
from saiten.errors import BadInput

FEWEST_QUESTIONS = 10
"""Below this nothing is learned: two would be held out."""


def held_out_questions(questions: Collection[str], seed: int, share: float = HELD_OUT) -> frozenset[str]:
    """The questions that are held out: this share of them, two at the least, and two are left to learn from.

    Raises:
        BadInput: there are too few questions.
    """
    every = sorted(set(questions), key=lambda question: digest(f"{seed}\t{question}"))
    if len(every) < FEWEST_QUESTIONS:
        raise BadInput(
            f"the graded answers are of {len(every)} questions; {FEWEST_QUESTIONS} are needed at the least (better "
            "100), since whole questions are held out to see how far what was learned can be believed"
        )
    return frozenset(every[: min(max(2, round(share * len(every))), len(every) - 2)])


def digest(text: str) -> str:
    """Of a text, 64 hexadecimal digits; half a character is no reason to fail."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
