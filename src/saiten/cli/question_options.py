"""The options of the questions to be made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from saiten.choices import DIFFICULTIES, QUESTION_CHECKS, QUESTION_KINDS, CheckName, Difficulty, QuestionKind
from saiten.errors import ConfigurationError
from saiten.options import option
from saiten.records import Language

QUESTIONS = "Questions"
"""Heading in the help."""


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Which questions are made."""

    n: int = option(100, "Number of questions that pass all checks.", "--n", "-n", panel=QUESTIONS, min=1, max=100_000)
    kinds: str | None = option(
        None,
        f"Kinds of questions, with commas: {', '.join(QUESTION_KINDS)}; with shares: single=3,comparison. Default: all "
        "that the documents allow, in equal shares; single without a model.",
        panel=QUESTIONS,
    )
    language: Language | None = option(
        None, "Language of the questions. Default: that of the document.", panel=QUESTIONS
    )
    persona: tuple[str, ...] = option(
        (), "Who asks, in a few words: 'a new employee'. Repeatable; personas take turns.", panel=QUESTIONS
    )
    difficulty: str = option(
        "easy,medium,hard", "Difficulties that take turns, with commas: easy, medium, hard.", panel=QUESTIONS
    )
    skip_check: tuple[str, ...] = option(
        (), f"Check to leave out: {', '.join(QUESTION_CHECKS)}. Repeatable.", panel=QUESTIONS
    )

    @property
    def difficulties(self) -> tuple[Difficulty, ...]:
        """The difficulties, in order; raises ConfigurationError for an unknown one."""
        return tuple(_known(each, DIFFICULTIES, "--difficulty") for each in _listed(self.difficulty))

    @property
    def skipped(self) -> frozenset[CheckName]:
        """The checks to leave out; raises ConfigurationError for an unknown one."""
        return frozenset(_known(each, QUESTION_CHECKS, "--skip-check") for each in self.skip_check)

    def check(self) -> None:
        """Raise ConfigurationError for an unknown kind, difficulty or check."""
        _ = self.shares(), self.difficulties, self.skipped

    def shares(self) -> Mapping[QuestionKind, float]:
        """Return the share of each kind as typed, {} for the default.

        Raises:
            ConfigurationError: a kind is unknown, or a share is no positive number.
        """
        found: dict[QuestionKind, float] = {}
        for each in _listed(self.kinds or ""):
            name, _, share = (part.strip() for part in each.partition("="))
            kind = _known(name.replace("-", "_"), QUESTION_KINDS, "--kinds")
            found[kind] = _share(share or "1", name)
        return found


def numbers_by_kind(n: int, shares: Mapping[QuestionKind, float]) -> dict[QuestionKind, int]:
    """Divide n by the shares, by largest remainder; the sum is n.

    >>> numbers_by_kind(10, {"single": 2, "across": 1})
    {'single': 7, 'across': 3}
    """
    whole = sum(shares.values())
    exact = {kind: n * share / whole for kind, share in shares.items()}
    found = {kind: int(each) for kind, each in exact.items()}
    by_rest = sorted(exact, key=lambda kind: found[kind] - exact[kind])
    for kind in by_rest[: n - sum(found.values())]:
        found[kind] += 1
    return found


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _known(name: str, names: Sequence[Any], option: str) -> Any:
    if name in names:
        return name
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(names)}"
    raise ConfigurationError(f"{option} does not take {name!r}; {hint}")


def _share(text: str, kind: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1e9:
        raise ConfigurationError(f"the share of {kind} must be a number above 0, got {text!r}; for example {kind}=2")
    return share
