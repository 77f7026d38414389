"""What people decided on the items of a test set, in one verdict each."""

from typing import NamedTuple

from saiten.testsets.items import SetItem, Verdict


class SettledVerdict(NamedTuple):
    """A verdict, and the names of those who gave it."""

    verdict: Verdict
    people: tuple[str, ...]


def decision_on(item: SetItem) -> SettledVerdict | None:
    """Return the verdict that counts: the last one that settled others, else the last one; None without any."""
    settled = [each for each in item.decisions if each.adjudicated]
    counting = settled or item.decisions
    if not counting:
        return None
    verdict = counting[-1].verdict
    return SettledVerdict(verdict, tuple(dict.fromkeys(each.by for each in counting if each.verdict == verdict)))
