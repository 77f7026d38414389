"""Effect of the order of two answers on a judge's verdicts.

The share of pairs whose verdict differs after the swap, and the share of verdicts for the answer
shown first (a tie counts half, so 0.5 is no position bias), both with bootstrap intervals by question. Measures as in
Zheng et al. 2023, *Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena*, section 3.3 (consistency, bias towards the
first); a tie in one order and a winner in the other counts as a change.
"""

from collections.abc import Mapping, Sequence

from saiten.records import Score, Usage
from saiten.results.answer_order import OrderRow
from saiten.stats.estimate import bootstrap_mean
from saiten.trust.probes.pairs import PREFERENCE
from saiten.trust.probes.plan import ProbePlan, ScoreKey, Trial

_TIE = 0.5


def order_rows(plan: ProbePlan, scores: Mapping[ScoreKey, Score]) -> tuple[OrderRow, ...]:
    """Return a row over all pairs, then one per form if there are several; no rows if no pairs were planned."""
    trials = [one for series in plan.series if series.metric == PREFERENCE for one in series.trials]
    names = list(dict.fromkeys(one.variant for one in trials))
    forms = [_order_row(name, [one for one in trials if one.variant == name], scores) for name in names]
    if len(names) < 2:
        return tuple(forms)
    return (_order_row(None, trials, scores), *forms)


def _order_row(variant: str | None, trials: Sequence[Trial], scores: Mapping[ScoreKey, Score]) -> OrderRow:
    usage = Usage()
    both: list[tuple[str, float, float]] = []
    for one in trials:
        before, after = scores.get(one.before), scores.get(one.after)
        usage = sum((each.usage for each in (before, after) if each is not None), usage)
        if before is not None and after is not None and before.value is not None and after.value is not None:
            both.append((one.question, before.value, after.value))
    questions = [question for question, _, _ in both]
    # The score is about one answer: the one shown first before the swap, and second after it.
    places = [(before, 1 - after) for _, before, after in both]
    return OrderRow(
        variant=variant,
        pairs=len(trials),
        changed=bootstrap_mean([float(before != after) for _, before, after in both], questions),
        first=bootstrap_mean([(first + then) / 2 for first, then in places], questions),
        same_place=sum(first == then != _TIE for first, then in places),
        ties=sum((first == _TIE) + (then == _TIE) for first, then in places),
        usage=usage,
    )
