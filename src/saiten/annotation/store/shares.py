"""How much of the work is whose: numbers in, numbers out.

The places that are still open are poured, like water, onto what each annotator has had already: the level to which it
rises is everybody's share. Whoever has less may take another item; whoever has that much is done, until somebody leaves
or stays away. So fast annotators do not take the work of slow ones, somebody who comes later catches up as far as that
is possible, and in the end two annotators who took part all the time differ by one item; where an item needs nearly as
many annotators as there are, by a few, since somebody who has time may have had all that is left.
"""

from collections.abc import Collection, Mapping


def level(places: int, had: Collection[int]) -> int:
    """The smallest number L such that raising everybody who had less to L takes `places` items; 0 for nobody."""
    standing = sorted(had)
    filled = 0
    for count, amount in enumerate(standing, 1):
        # the `count` lowest are raised until the next one stands no higher
        filled += amount
        share = -(-(places + filled) // count)
        if count == len(standing) or share <= standing[count]:
            return share
    return 0


def below(places: int, had: Mapping[int, int]) -> dict[int, int]:
    """Who has had less than their share, and how many are lacking to it."""
    if places <= 0:
        return {}
    share = level(places, had.values())
    return {person: share - amount for person, amount in had.items() if amount < share}
