"""What follows from the worth of a test set, in sentences."""

from collections.abc import Iterator, Sequence

from saiten.results.set_difficulty import SetDifficulty
from saiten.results.set_pairs import PairWorth
from saiten.results.set_scores import SetScores
from saiten.results.set_worth import MeasuredSet, SetWorth
from saiten.stats.power import QuestionsNeeded
from saiten.testsets.asked_about import AskedBase
from saiten.views.charts.texts import written
from saiten.words import Message

_FEW_PAIRS = 3
"""Pairs with a sentence each; of more, the extremes are named."""


def worth_findings(worth: SetWorth) -> Iterator[Message]:
    """Yield what follows for the set, coverage first."""
    if worth.base is not None:
        yield _coverage(worth.base)
    if worth.measured is not None:
        yield from _difficulty(worth.measured.scores, worth.measured.difficulty)
        yield from _pairs(worth.measured)


def _coverage(base: AskedBase) -> Message:
    """Return how much of the documents the questions are about."""
    share = base.asked_chunks / base.chunks if base.chunks else 0.0
    return Message(
        "worth",
        "coverage",
        n=base.asked_documents,
        of=len(base.documents),
        chunks=base.asked_chunks,
        of_chunks=base.chunks,
        percent=100 * share,
    )


def _difficulty(scores: SetScores, difficulty: SetDifficulty) -> Iterator[Message]:
    """Yield how many questions are too easy, too hard, or say nothing about systems."""
    whole = difficulty.rows[0]
    if whole.n < whole.of:
        yield Message("worth", "unmeasured", n=whole.of - whole.n, of=whole.of, metric=scores.metric)
    if not whole.n:
        return
    if whole.easy is not None:
        key = "ends" if len(scores.systems) > 1 else "ends_of_one"
        yield Message("worth", key, easy=whole.easy, hard=whole.hard, of=whole.n)
    if whole.alike is not None:
        yield Message("worth", "alike", n=whole.alike, of=whole.n, percent=100 * whole.alike / whole.n)
    if difficulty.reversed:
        yield Message("worth", "reversed", n=len(difficulty.reversed), of=whole.n)


def _pairs(measured: MeasuredSet) -> Iterator[Message]:
    """Yield what differences show with the questions there are, and how many questions the wanted one takes."""
    scores, pairs, power = measured.scores, measured.pairs, measured.power
    if not pairs:
        yield Message("worth", "one_system")
    elif len(pairs) <= _FEW_PAIRS:
        for each in pairs:
            yield _of_pair(scores, each, power)
    else:
        visible = sorted((each for each in pairs if each.visible is not None), key=lambda each: each.visible or 0.0)
        for each in (*visible[:1], *visible[1:][-1:]):
            yield _of_pair(scores, each, power)
        if visible[2:]:
            yield Message("worth", "other_pairs", n=len(visible) - 2)
        if len(visible) < len(pairs):
            yield Message("worth", "no_pair", n=len(pairs) - len(visible))


def _of_pair(scores: SetScores, pair: PairWorth, power: float) -> Message:
    names = {"first": pair.first, "second": pair.second, "n": pair.spread.n}
    if not pair.spread.sd:
        return Message("worth", "no_spread" if pair.spread.n else "no_question", **names)
    needs = _needs(_chosen(pair.needed))
    if pair.visible is None:
        differing = pair.spread.differing
        return Message(
            "worth", "and_needs", shown=Message("worth", "few_differ", **names, differing=differing), needs=needs
        )
    out_of_reach = pair.visible > scores.scale.high - scores.scale.low
    visible = written(float(f"{pair.visible:.2g}"))
    shown = Message("worth", "shows_none" if out_of_reach else "shows", **names, visible=visible, percent=100 * power)
    return Message("worth", "and_needs", shown=shown, needs=needs)


def _chosen(needed: Sequence[QuestionsNeeded]) -> QuestionsNeeded:
    """Return the middle one, of an even number the smaller of the two in the middle."""
    return sorted(needed, key=lambda each: each.difference)[(len(needed) - 1) // 2]


def _needs(needed: QuestionsNeeded) -> Message:
    difference = written(needed.difference)
    if needed.n is None:
        return Message("worth", "needs_millions", difference=difference)
    about = _about(needed.n)
    if needed.low is None or needed.high is None:
        return Message("worth", "needs_about", difference=difference, about=about)
    return Message(
        "worth", "needs", difference=difference, about=about, low=_about(needed.low), high=_about(needed.high)
    )


def _about(n: int) -> str:
    """Round to two digits."""
    return written(float(f"{n:.2g}"))
