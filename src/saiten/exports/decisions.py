"""What people decided on the items of a test set, in one verdict each."""

from typing import NamedTuple

from saiten.testsets.items import Decided, SetItem, Verdict


class SettledVerdict(NamedTuple):
    """A verdict, and the names of those who gave it."""

    verdict: Verdict
    people: tuple[str, ...]


def decision_on(item: SetItem) -> SettledVerdict | None:
    """Return the verdict that counts; None if nobody has decided.

    The last decision that settles those of others counts alone. Otherwise the last one of each person counts, and the
    item is rejected if more than half of them reject it: `saiten testset accept` has weighed them before.
    """
    counting = [each for each in item.decisions if each.adjudicated][-1:] or _last_of_each(item.decisions)
    if not counting:
        return None
    rejecting = [each for each in counting if each.verdict == "rejected"]
    if 2 * len(rejecting) > len(counting):
        return SettledVerdict("rejected", _names(rejecting))
    accepting = [each for each in counting if each.verdict != "rejected"]
    edited = any(each.verdict == "edited" for each in accepting)
    return SettledVerdict("edited" if edited else "approved", _names(accepting))


def _last_of_each(decisions: tuple[Decided, ...]) -> list[Decided]:
    return list({each.by or f"unnamed {at}": each for at, each in enumerate(decisions)}.values())


def _names(decisions: list[Decided]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.by for each in decisions if each.by))
