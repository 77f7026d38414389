"""Verdicts on numbered items: the share of yes, the details, and a summary sentence."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from saiten.tasks.verdicts import Verdict

_QUOTED = 3
_LENGTH = 80


def share_of_yes(verdicts: Sequence[bool]) -> float:
    """Return |V| / |S|, the share of yes among at least one verdict."""
    return sum(verdicts) / len(verdicts)


def expected_share(verdicts: Sequence[Verdict]) -> float | None:
    """Return the mean probability of yes over the verdicts that have one; None if none has."""
    probabilities = known_probabilities(verdicts)
    return fmean(probabilities) if probabilities else None


def known_probabilities(verdicts: Sequence[Verdict]) -> list[float]:
    """Return the probabilities of yes, as far as known."""
    return [verdict.p for verdict in verdicts if verdict.p is not None]


def verdict_details(verdicts: Sequence[Verdict]) -> Mapping[str, Any]:
    """Return the verdicts, ordered by number.

    If the judge gives probabilities, add their minimum as `weakest` (the best detector of bad answers); if some are
    undecided, their number as `unclear`.
    """
    ordered = sorted(verdicts, key=lambda verdict: verdict.number)
    details: dict[str, Any] = {"verdicts": [verdict.model_dump(mode="json", exclude_none=True) for verdict in ordered]}
    if probabilities := known_probabilities(ordered):
        details["weakest"] = min(probabilities)
    if any(verdict.unclear for verdict in ordered):
        details["unclear"] = sum(verdict.unclear for verdict in ordered)
    return details


def sentence(items: Sequence[str], verdicts: Sequence[Verdict], *, yes: str, no: str) -> str:
    """Summarize the verdicts: how many are yes, how many of those are unclear, and which are not."""
    refused = [items[verdict.number - 1] for verdict in sorted(verdicts, key=lambda v: v.number) if not verdict.verdict]
    unclear = sum(verdict.unclear for verdict in verdicts if verdict.verdict)
    text = f"{len(verdicts) - len(refused)} of {len(verdicts)} {yes}" + (
        f", {unclear} of them unclear" if unclear else ""
    )
    return f"{text}; {no}: {quoted(refused)}" if refused else text


def quoted(texts: Sequence[str]) -> str:
    """Quote the first few texts, shortened, with the number of the others."""
    shortened = (text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…" for text in texts[:_QUOTED])
    shown = "; ".join(f"“{text}”" for text in shortened)
    return f"{shown} and {len(texts) - _QUOTED} more" if len(texts) > _QUOTED else shown
