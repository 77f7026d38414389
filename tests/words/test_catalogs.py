"""Both catalogs say the same things."""

import pickle
from itertools import pairwise
from string import Formatter
from typing import get_args

import pytest

from saiten.records import STATUSES
from saiten.results.drift import Measure
from saiten.results.figure import counted
from saiten.results.probe import Expectation, Verdict
from saiten.stats.estimate import Unit
from saiten.trust.probes import PROBES, Field
from saiten.views.render import as_csv, as_json
from saiten.views.table import Table
from saiten.words import Message, catalog, in_language, joined


def places(text):
    """Return the names of the values in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_catalogs_have_the_same_entries_and_places():
    """A word that one language lacks would be missing on a page."""
    english, japanese = catalog("en"), catalog("ja")
    assert english.keys() == japanese.keys()
    for key, texts in english.items():
        assert {frozenset(places(text)) for text in texts} >= {frozenset(places(text)) for text in japanese[key]}, key


@pytest.mark.parametrize("language", ["en", "ja"])
def test_entries_are_sorted_so_that_two_changes_seldom_meet(language):
    """By section, then by key."""
    assert all(first < second for first, second in pairwise(catalog(language)))


def test_what_probes_and_drift_call_by_a_word_of_the_record_is_there():
    """Their keys are made of the words that records have, so no search of the code finds them."""
    asked = {("probe", probe.no_changes) for probe in PROBES.values()}
    asked |= {("expectation", each.replace(" ", "_")) for each in get_args(Expectation)}
    asked |= {("verdict", each.replace(" ", "_")) for each in get_args(Verdict)}
    asked |= {("measure", each) for each in get_args(Measure)} | {("field", each) for each in get_args(Field)}
    asked |= {("remark", key) for unit in get_args(Unit) for key in (f"single_{unit}", f"few_{unit}s")}
    assert asked <= catalog("en").keys()


def test_a_message_has_words_in_both_languages():
    """With its values, which may be messages."""
    cost = Message("column", "cost", currency="EUR")
    assert str(cost) == "cost (EUR)"
    assert in_language(cost, "ja") == "費用（EUR）"
    low = Message("column", "ci_low_of", column=Message("column", "mean"))
    assert (str(low), in_language(low, "ja")) == ("mean from", "平均 下限")


def test_several_messages_are_joined_and_empty_ones_left_out():
    """By the signs of the language."""
    text = joined([Message("cell", "yes"), None, "", "x"])
    assert (str(text), in_language(text, "ja")) == ("yes; x", "はい；x")
    assert not joined([None])
    assert str(joined([])) == ""


def test_a_message_is_a_value():
    """Equal ones count once, and one with a wrong key is refused."""
    one = Message("column", "cost", currency="EUR")
    assert {one, Message("column", "cost", currency="EUR")} == {one}
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own
    with pytest.raises(KeyError):
        str(Message("column", "no such key"))


def test_a_table_of_keys_has_its_words_in_every_form():
    """English in files, Japanese on a Japanese page."""
    table = Table(Message("title", "scores"), ("metric", "ci_low", "passed"), (("n", Message("cell", "all"), True),))
    assert table.key == "scores"
    assert as_csv([table]) == "metric,95 % from,passed\nn,all,True\n"
    assert '"95 % from": "all"' in as_json([table])
    shown = table.in_language("ja")
    assert (shown.title, shown.columns[1], shown.rows) == ("スコア", "95 % 下限", (("n", "すべて", "はい"),))


@pytest.mark.parametrize("name", [*STATUSES, "no output", "without a value"])
def test_what_is_counted_has_words(name):
    """Whatever a metric lacks, in both languages."""
    assert str(counted({name: 2})) == f"2 {'measured' if name == 'ok' else name}"
    assert in_language(counted({name: 2}), "ja").endswith("：2 件")
