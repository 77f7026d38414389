"""Every figure by group or system: that of the part's items alone, on the scale of the whole."""

import dataclasses

import numpy as np
import pytest

from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

RANDOM = np.random.default_rng(3)
N = 72
GROUPS = ("north", "south", None)
ITEMS = {f"i{i:02}": Place(f"q{i // 6:02}", f"s{i % 3}", GROUPS[i // 6 % 3]) for i in range(N)}
PEOPLE = RANDOM.integers(1, 6, N).astype(float)
JUDGE = np.clip(PEOPLE + RANDOM.integers(-2, 3, N), 1, 5)
QUICK = Settings(resamples=100, yes_from=3)


def world(people=PEOPLE, judge=JUDGE, only=None):
    """The items, or those of one part, with two annotators and another vendor's judge."""
    kept = [i for i, item in enumerate(ITEMS.values()) if only is None or only in (item.group, item.system)]
    ids = list(ITEMS)
    labels = [Label(ids[i], float(people[i] + (who == "b" and people[i] < 5)), who) for i in kept for who in "ab"]
    return pair({ids[i]: ITEMS[ids[i]] for i in kept}, [Output(ids[i], "judge", float(judge[i])) for i in kept], labels)


@pytest.mark.parametrize(("by", "name"), [("group", "north"), ("group", "south"), ("system", "s1")])
def test_the_figures_of_a_part_are_those_of_its_items_alone(by, name):
    """All figures have their intervals, as if nothing else had been labeled."""
    (found,) = meta_evaluate(world(), dataclasses.replace(QUICK, split_by=by)).aspects
    (alone,) = meta_evaluate(world(only=name), QUICK).aspects
    part = {part.name: part for part in found.parts}[name]
    assert part.n == alone.n
    assert part.metrics == alone.metrics
    assert part.metrics[0].items.pearson != found.metrics[0].items.pearson


def test_what_a_judge_declined_is_counted_in_the_part_where_it_did():
    """Human grades of declined answers are those of the part itself, wherever its items are in the whole."""
    ids = list(ITEMS)
    said = [
        Output(item, "judge", "declined" if i > 40 and i % 5 == 0 else float(JUDGE[i])) for i, item in enumerate(ids)
    ]
    labels = [Label(item, float(value)) for item, value in zip(ids, PEOPLE, strict=True)]
    (found,) = meta_evaluate(pair(ITEMS, said, labels), dataclasses.replace(QUICK, split_by="system")).aspects
    for s, part in enumerate(found.parts):
        own = [i for i in range(41, N) if i % 5 == 0 and i % 3 == s]
        left = part.metrics[0].easier
        assert (left.n, left.right) == (len(own), sum(PEOPLE[own] >= 3))
        assert part.metrics[0].missing == {"without a value": len(own)}


def test_items_without_a_group_are_in_no_part_and_counted():
    """A third of them here; every item has a system."""
    (found,) = meta_evaluate(world(), dataclasses.replace(QUICK, split_by="group")).aspects
    assert [(part.name, part.n) for part in found.parts] == [("north", 24), ("south", 24)]
    assert any("24 of 72 items have no group" in str(note) for note in found.notes)
    (found,) = meta_evaluate(world(), dataclasses.replace(QUICK, split_by="system")).aspects
    assert [part.n for part in found.parts] == [24, 24, 24]
    assert not any("have no" in note for note in found.notes)
    assert meta_evaluate(world(), QUICK).aspects[0].parts == ()


def test_scales_and_decisions_are_those_of_the_whole():
    """A part in which a judge only says 1 does not take that for a yes, nor for a scale from 0 to 1."""
    ones = np.array([item.group == "north" for item in ITEMS.values()])
    (found,) = meta_evaluate(
        world(judge=np.where(ones, 1.0, JUDGE)), dataclasses.replace(QUICK, split_by="group")
    ).aspects
    north = found.parts[0].metrics[0]
    assert north.decisions.confusion.values == (0.0, 1.0)
    assert all(row[1] == 0 for row in north.decisions.confusion.counts)
    assert north.bias.overall.value is not None


def test_a_part_that_is_too_small_says_so():
    """Two items make no correlation, one question no interval."""
    small = dict(list(ITEMS.items())[:8])
    items = {
        item: dataclasses.replace(place, group="few" if i < 2 else "more")
        for i, (item, place) in enumerate(small.items())
    }
    labels = [Label(item, float(PEOPLE[i])) for i, item in enumerate(items)]
    said = [Output(item, "judge", float(JUDGE[i])) for i, item in enumerate(items)]
    (found,) = meta_evaluate(pair(items, said, labels), dataclasses.replace(QUICK, split_by="group")).aspects
    few, more = (part.metrics[0] for part in found.parts)
    assert few.items.pearson.value is None
    assert "2" in str(few.items.pearson.reason)
    assert few.bias.overall.low is None
    assert more.items.pearson.value is not None


def test_preferences_have_parts_too():
    """Parts are by the group of the first answer, with the judge's orders."""
    items = {f"{side}{i}": Place(f"q{i}", side, "xy"[i % 2]) for i in range(20) for side in "ab"}
    truth = RANDOM.choice([-1, 1], 20)
    said = [Output(f"a{i} vs b{i}", "j", float(truth[i] if i % 4 else -truth[i])) for i in range(20)]
    said += [Output(f"b{i} vs a{i}", "j", float(-truth[i])) for i in range(0, 20, 2)]
    labels = [Label(f"a{i} vs b{i}", float(truth[i])) for i in range(20)]
    (found,) = meta_evaluate(pair(items, said, labels), Settings(resamples=100, split_by="group")).aspects
    x, y = (part.metrics[0].preferences for part in found.parts)
    assert (x.n, x.accuracy.value, x.orders.consistent.value) == (10, 0.5, 0.5)
    assert (y.n, y.accuracy.value, y.orders) == (10, 1.0, None)
