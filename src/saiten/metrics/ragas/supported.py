"""The figures made of verified statements: the share, the share of sentences, and the worst one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from statistics import fmean
from typing import Any

from saiten.metrics.ragas.verdicts import (
    expected_share,
    known_probabilities,
    quoted,
    sentence,
    share_of_yes,
    verdict_details,
)
from saiten.records import Score
from saiten.tasks.verdicts import Verdict
from saiten.text.placement import StatementPlace


@dataclass(frozen=True, slots=True)
class Verified:
    """The statements of a text with their verdicts."""

    text: str
    statements: Sequence[str]
    verdicts: Sequence[Verdict]
    """At least one, ordered by number."""
    places: Sequence[Sequence[StatementPlace]]
    """The sentences of the text that each statement comes from."""

    @property
    def details(self) -> Mapping[str, Any]:
        """The statements, their places as `[sentence, start, end]`, and the verdicts."""
        return {
            "statements": list(self.statements),
            "places": [[list(place) for place in places] for places in self.places],
            "yes": sum(verdict.verdict for verdict in self.verdicts),
            "judged": len(self.verdicts),
            **verdict_details(self.verdicts),
        }


def share_supported(found: Verified, *, yes: str, no: str) -> Score:
    """Return |V| / |S|, with the sentence `3 of 4 {yes}; {no}: …`."""
    return Score(
        share_of_yes([verdict.verdict for verdict in found.verdicts]),
        reason=sentence(found.statements, found.verdicts, yes=yes, no=no),
        details=found.details,
        expected=expected_share(found.verdicts),
    )


def sentences_supported(found: Verified) -> Score:
    """Return the share of the sentences with statements in which all of them are supported.

    Undefined if no statement was found in the text, for example because the judge wrote them in another language.
    """
    verdicts = verdicts_by_sentence(found)
    if not verdicts:
        return Score.undefined("no statement could be found in the answer's sentences", **found.details)
    sentences: list[dict[str, Any]] = [
        {
            "sentence": found.text[place.start : place.end],
            "supported": all(verdict.verdict for verdict in each),
            "statements": [verdict.number for verdict in each],
        }
        for place, each in verdicts.items()
    ]
    refused = [each["sentence"] for each in sentences if not each["supported"]]
    lost = sum(not found.places[verdict.number - 1] for verdict in found.verdicts)
    reason = f"{len(sentences) - len(refused)} of {len(sentences)} sentences are supported"
    reason += f", {lost} of {len(found.verdicts)} statements belong to none" if lost else ""
    reason += f"; not supported: {quoted(refused)}" if refused else ""
    return Score(
        1 - len(refused) / len(sentences),
        reason=reason,
        details={**found.details, "by_sentence": sentences},
        expected=expected_sentences(list(verdicts.values())),
    )


def verdicts_by_sentence(found: Verified) -> Mapping[StatementPlace, Sequence[Verdict]]:
    """Return the verdicts of each sentence that has any, in the order of the text."""
    verdicts: dict[StatementPlace, list[Verdict]] = {}
    for verdict in found.verdicts:
        for place in found.places[verdict.number - 1]:
            verdicts.setdefault(place, []).append(verdict)
    return dict(sorted(verdicts.items()))


def expected_sentences(sentences: Sequence[Sequence[Verdict]]) -> float | None:
    """Return the expected share of sentences, if the verdicts are independent; None if none has a probability.

    Verdicts without one are left out, as in `expected_share`.
    """
    known = [each for each in map(known_probabilities, sentences) if each]
    return fmean(map(prod, known)) if known else None


def worst_supported(found: Verified) -> Score:
    """Return the lowest probability of a statement; without probabilities 1 if all are supported, else 0.

    A statement that the judge could not compare (unclear, without a probability) counts only if there is no other.
    """
    compared = [verdict for verdict in found.verdicts if verdict.p is not None or not verdict.unclear]
    worst = min(compared or found.verdicts, key=support_of)
    value = support_of(worst)
    shown = quoted([found.statements[worst.number - 1]])
    likely = f", p = {worst.p:.2f}" if worst.p is not None else ""
    why = f"; {worst.reason}" if worst.reason else ""
    reason = f"worst of {len(found.verdicts)} statements{likely}: {shown}{why}"
    return Score(value, reason=reason, details=found.details, expected=worst.p)


def support_of(verdict: Verdict) -> float:
    """Return the probability of yes, or the verdict as 0 or 1 if the judge gave none."""
    return float(verdict.verdict) if verdict.p is None else verdict.p


FIGURES: Mapping[str, Callable[[Verified], Score]] = {
    "share": partial(share_supported, yes="statements are supported", no="not supported"),
    "sentences": sentences_supported,
    "worst": worst_supported,
}
"""The figures of faithfulness."""
