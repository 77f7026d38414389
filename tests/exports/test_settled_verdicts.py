"""The one verdict of several people's decisions, which exports have."""

import pytest

from saiten.exports.decisions import decision_on
from saiten.testsets.items import Decided, SetItem


def decided(*said, settled=()):
    """An item with decisions (`anna:rejected`), of which those in these places settle others."""
    pairs = [each.split(":") for each in said]
    return SetItem(
        "q",
        "Why?",
        "So.",
        decisions=tuple(Decided(verdict, by, adjudicated=at in settled) for at, (by, verdict) in enumerate(pairs)),
    )


@pytest.mark.parametrize(
    ("item", "verdict"),
    [
        (decided(), None),
        (decided("anna:approved"), ("approved", ("anna",))),
        (decided("anna:approved", "ben:approved", "anna:approved"), ("approved", ("anna", "ben"))),
        (decided("anna:approved", "ben:edited"), ("edited", ("anna", "ben"))),
        (decided("anna:rejected"), ("rejected", ("anna",))),
        (decided("anna:rejected", "anna:approved"), ("approved", ("anna",))),
        (decided("anna:approved", "ben:approved", "eve:rejected"), ("approved", ("anna", "ben"))),
        (decided("anna:approved", "ben:rejected", "eve:rejected"), ("rejected", ("ben", "eve"))),
        (decided("anna:approved", "ben:rejected"), ("approved", ("anna",))),
        (decided("anna:approved", "ben:approved", "eve:rejected", settled=(2,)), ("rejected", ("eve",))),
        (decided("eve:rejected", "dan:edited", "anna:rejected", settled=(0, 1)), ("edited", ("dan",))),
        (decided(":approved", ":rejected", ":rejected"), ("rejected", ())),
    ],
)
def test_the_verdict_that_counts(item, verdict):
    """Whoever settles the others, else each person's last word, and rejected only by more than half of them."""
    assert decision_on(item) == verdict
