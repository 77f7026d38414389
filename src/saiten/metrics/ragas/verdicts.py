"""Verdicts on numbered things: their share of yes, what is kept of them, and the sentence that sums them up."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from saiten.records import Score
from saiten.tasks.verdicts import Verdict

_QUOTED = 3
_LENGTH = 80


def share_of_yes(verdicts: Sequence[bool]) -> float:
    """|V| / |S|: the verdicts that are yes among all; at least one verdict is expected."""
    return sum(verdicts) / len(verdicts)


def share_score(items: Sequence[str], verdicts: Sequence[Verdict], *, yes: str, no: str, **details: Any) -> Score:
    """The share of yes with the sentence `3 of 4 {yes}; {no}: “…”`; undefined where nothing was judged."""
    if not verdicts:
        return Score.undefined("the judge gave no verdict", **details)
    value = share_of_yes([verdict.verdict for verdict in verdicts])
    counts = {"yes": sum(verdict.verdict for verdict in verdicts), "judged": len(verdicts)}
    return Score(
        value,
        reason=sentence(items, verdicts, yes=yes, no=no),
        details={**details, **counts, **verdict_details(verdicts)},
    )


def verdict_details(verdicts: Sequence[Verdict]) -> Mapping[str, Any]:
    """The verdicts as they came, by number.

    Where the judge gives probabilities, also `weakest` (their minimum, which finds bad answers best) and
    `support_index` (their mean, for comparing systems); where some are undecided, their number as `unclear`.
    """
    ordered = sorted(verdicts, key=lambda verdict: verdict.number)
    details: dict[str, Any] = {"verdicts": [verdict.model_dump(mode="json", exclude_none=True) for verdict in ordered]}
    probabilities = [verdict.p for verdict in ordered if verdict.p is not None]
    if probabilities:
        details |= {"weakest": min(probabilities), "support_index": fmean(probabilities)}
    if any(verdict.unclear for verdict in ordered):
        details["unclear"] = sum(verdict.unclear for verdict in ordered)
    return details


def sentence(items: Sequence[str], verdicts: Sequence[Verdict], *, yes: str, no: str) -> str:
    """For people: how many are yes, how many of these the judge is not sure of, and which are not."""
    refused = [items[verdict.number - 1] for verdict in sorted(verdicts, key=lambda v: v.number) if not verdict.verdict]
    unclear = sum(verdict.unclear for verdict in verdicts if verdict.verdict)
    text = f"{len(verdicts) - len(refused)} of {len(verdicts)} {yes}" + (
        f", {unclear} of them unclear" if unclear else ""
    )
    return f"{text}; {no}: {quoted(refused)}" if refused else text


def quoted(texts: Sequence[str]) -> str:
    """The first few in quotation marks, shortened, with the number of the others."""
    shown = "; ".join(f"“{_shortened(text)}”" for text in texts[:_QUOTED])
    return f"{shown} and {len(texts) - _QUOTED} more" if len(texts) > _QUOTED else shown


def _shortened(text: str) -> str:
    return text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"
