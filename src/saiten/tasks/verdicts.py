"""Numbered yes/no verdicts, which most replies share: checking them, and merging votes."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import Annotated, Any, Protocol, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

HIDDEN: dict[str, JsonValue] = {"hidden": True}
"""Marks a field that is never requested from a model: it is left out of the JSON schema."""

_YES = ("yes", "y", "true", "1", "supported", "はい", "真", "是", "正しい", "支持される", *"○◯〇⭕✓✔✅")
_NO = (
    "no",
    "n",
    "false",
    "0",
    "not supported",
    "unsupported",
    "いいえ",
    "偽",
    "否",
    "誤り",
    "支持されない",
    *"×✕✖✗✘❌",
)
MEANINGS: Mapping[str, bool] = dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)
"""Words and signs for yes and no; not △, and not the letters x and o, which mean either."""
_AROUND = " \t\n\r.。!！、,*_`[]()\"'“”‘’「」『』\ufe0e\ufe0f"
"""Marks around a verdict that do not change it; the last two choose between a sign's text and its picture."""
_LONGEST_WORD = 40


def read_yes_no(value: Any, meanings: Mapping[str, bool] = MEANINGS) -> Any:
    """Return the boolean meant by `Yes.`, `1`, `はいです`, `○`, …; leave anything else for pydantic to refuse."""
    return meanings.get(plain_word(value), value) if isinstance(value, str) and len(value) <= _LONGEST_WORD else value


def plain_word(text: str) -> str:
    """Return a word without width, case, marks and `です`, as it is in `MEANINGS`."""
    return unicodedata.normalize("NFKC", text).strip(_AROUND).removesuffix("です").casefold()


YesNo = Annotated[bool, BeforeValidator(read_yes_no)]


class Verdict(BaseModel):
    """Yes or no to one numbered item, with the reason first, so that the model thinks before it decides."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: int
    """The number of the item judged, from 1."""
    reason: str
    verdict: YesNo
    p: float | None = Field(default=None, json_schema_extra=HIDDEN)
    """The probability of yes, if known: the offline judge's, a model's by its tokens, or the share of the votes."""
    unclear: bool = Field(default=False, json_schema_extra=HIDDEN)
    """Whether `p` is in the judge's undecided band; `verdict` is then the likelier side."""
    evidence: tuple[tuple[int, int, int], ...] = Field(default=(), json_schema_extra=HIDDEN)
    """The place of the evidence, as (index of the context, start, end) in characters, if the judge knows it."""


def renumbered(verdicts: list[Verdict]) -> list[Verdict]:
    """Renumber the verdicts in their order if their numbers are meaningless.

    Models asked to number from 1 sometimes number from 0, or give every item the same number. As long as there is only
    one possible reading, the reply is accepted; the number of verdicts is checked in any case.
    """
    numbers = [verdict.number for verdict in verdicts]
    from_zero = 0 in numbers and sorted(numbers) == list(range(len(numbers)))
    all_the_same = len(numbers) > 1 and len(set(numbers)) == 1
    if from_zero:
        return [verdict.model_copy(update={"number": verdict.number + 1}) for verdict in verdicts]
    if all_the_same:
        return [verdict.model_copy(update={"number": n}) for n, verdict in enumerate(verdicts, 1)]
    return verdicts


Verdicts = Annotated[list[Verdict], AfterValidator(renumbered)]


def check_numbers(verdicts: Sequence[Verdict], expected: int, *, partial: bool = False, what: str = "item") -> None:
    """Check that every item is judged exactly once, or with `partial` at most once; raises ValueError for the model."""
    numbers = [verdict.number for verdict in verdicts]
    if numbers == list(range(1, expected + 1)):
        return
    twice = sorted(n for n, times in Counter(numbers).items() if times > 1)
    unknown = sorted({n for n in numbers if not 1 <= n <= expected})
    missing = sorted(set(range(1, expected + 1)) - set(numbers))
    if unknown:
        raise ValueError(f"there is no {what} {unknown[0]}; the numbers are 1 to {expected}")
    if twice:
        raise ValueError(f"{what} {twice[0]} has more than one verdict; give it one")
    if missing and not partial:
        raise ValueError(f"{what} {missing[0]} of {expected} has no verdict; each needs exactly one")


def merge_verdicts(votes: Sequence[Sequence[Verdict]]) -> list[Verdict]:
    """Return the majority per number, with the reason of the first vote that agrees; a tie is a no."""
    numbers = sorted({verdict.number for vote in votes for verdict in vote})
    return [agreeing([v for vote in votes for v in vote if v.number == n], lambda v: v.verdict) for n in numbers]


def majority(votes: Sequence[bool]) -> bool:
    """Return yes if more than half say yes; a tie is a no, since yes is the claim."""
    return 2 * sum(votes) > len(votes)


class _Vote(Protocol):
    @property
    def p(self) -> float | None: ...

    def model_copy(self, *, update: dict[str, Any]) -> Self: ...


V = TypeVar("V", bound=_Vote)


def agreeing(votes: Sequence[V], verdict: Callable[[V], bool]) -> V:
    """Return the first vote whose verdict is that of the majority; its `p` is the mean over the votes.

    A vote without a probability counts as 0 or 1, so without any it is the share of yes.
    """
    decided = majority([verdict(vote) for vote in votes])
    p = fmean(float(verdict(vote)) if vote.p is None else vote.p for vote in votes)
    return next(vote for vote in votes if verdict(vote) == decided).model_copy(update={"p": p})


def expectation(probabilities: Mapping[int, float], *, otherwise: float | None = None) -> float | None:
    """Return the mean grade by its probabilities, scaled to a total of 1; `otherwise` if no grade is possible."""
    total = fsum(probabilities.values())
    return fsum(grade * p for grade, p in probabilities.items()) / total if total > 0 else otherwise
