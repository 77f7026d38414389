"""Each annotator's share of the work: plain arithmetic.

The open places are distributed by water-filling over what each annotator has had already; the level reached is
everybody's quota. Annotators below it may take another item, those at it are done until somebody leaves or stays away.
So fast annotators do not take the work of slow ones, latecomers catch up as far as possible, and two annotators who
take part throughout end one item apart. Where an item needs nearly as many annotators as there are, they may end a few
apart, since somebody who has time may have had everything that is left.
"""

from collections.abc import Collection, Mapping


def quota(places: int, had: Collection[int]) -> int:
    """Return the smallest L such that raising everybody below it to L takes `places` items; 0 for nobody."""
    workloads = sorted(had)
    filled = 0
    for count, workload in enumerate(workloads, 1):
        # raise the `count` lowest until they reach the next one
        filled += workload
        level = -(-(places + filled) // count)
        if count == len(workloads) or level <= workloads[count]:
            return level
    return 0


def shortfalls(places: int, had: Mapping[int, int]) -> dict[int, int]:
    """Return how many items each annotator below the quota lacks."""
    if places <= 0:
        return {}
    level = quota(places, had.values())
    return {person: level - workload for person, workload in had.items() if workload < level}
