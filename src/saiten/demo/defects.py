"""The defects of the demo's answers and the facts that follow from them; see the README in this folder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defect:
    """One way in which an answer was made wrong, or right."""

    name: str
    """Its name in the samples."""
    correct: bool = False
    """Whether the answer is right by the reference; it may be incomplete."""
    faithful: bool = False
    """Whether the contexts support every claim."""
    complete: bool = False
    """Whether it covers the whole reference."""


DEFECTS: tuple[Defect, ...] = (
    Defect("right", correct=True, faithful=True, complete=True),
    Defect("right_paraphrase", correct=True, faithful=True, complete=True),
    Defect("incomplete", correct=True, faithful=True),
    Defect("made_up_addition", correct=True, complete=True),
    Defect("contradicting"),
    Defect("wrong_number"),
    Defect("swapped_number"),
    Defect("off_topic", faithful=True),
    Defect("copied_context", faithful=True),
    Defect("refusing", faithful=True),
)
"""All of them, from right to refusing."""
