"""The gist samples are as they were designed, as far as a program can check."""

import json
from collections import Counter
from dataclasses import asdict
from itertools import pairwise, product

import pytest

from saiten.data import read_labels
from saiten.demo.gist import ANNOTATOR, ASPECTS, gist_labels, load_gist
from saiten.demo.samples import load_demo
from saiten.text.language import detect_language
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import misplaced, people_of

ALL = load_gist()
LANGUAGES = ("ja", "en")


def of(language):
    """The samples of a language."""
    return [one for one in ALL if one.sample.language == language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_24_samples_half_office_half_manual(language):
    """Each has its own ID, question and reference, and none of them is in the other built-in samples."""
    samples = [one.sample for one in of(language)]
    assert load_gist(language) == of(language)
    assert Counter(sample.group for sample in samples) == {"office": 12, "manual": 12}
    for field in ("id", "question", "reference", "answer"):
        assert len({getattr(sample, field) for sample in samples}) == 24
    assert not {sample.id for sample in samples} & {one.sample.id for one in load_demo()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_16_profiles_occur(language):
    """Every combination of extra and missing gist and supplement."""
    assert {one.profile for one in of(language)} == set(product((False, True), repeat=4))


def test_the_text_is_of_its_language():
    """The language is that given by the detector."""
    for one in ALL:
        sample = one.sample
        assert detect_language(sample.question, sample.answer, sample.reference) == sample.language, one.sample.id


def test_every_unit_is_at_its_offsets():
    """In the reference or in the answer."""
    for one in ALL:
        assert tuple(one.units) == ASPECTS, one.sample.id
        assert misplaced({(one.sample.id, a): one.units[a] for a in ASPECTS}, {one.sample.id: one.sample}) == (0, ""), (
            one.sample.id
        )


def test_every_part_of_the_reference_is_gist_or_supplement():
    """Each part is exactly one of them; only a space lies between two units."""
    for one in ALL:
        units = sorted((*one.units["gist"], *one.units["supplement"]), key=lambda unit: unit.start)
        assert units[0].start == 0, one.sample.id
        assert units[-1].end == len(one.sample.reference), one.sample.id
        gap = {"ja": "", "en": " "}[one.sample.language]
        assert {one.sample.reference[a.end : b.start] for a, b in pairwise(units)} <= {gap}, one.sample.id
        assert one.units["gist"], one.sample.id


def test_missing_units_are_units_of_the_reference_that_the_answer_does_not_have():
    """That is, not in these words; no unit is in two lists, and no unit of one list overlaps another."""
    for one in ALL:
        for name in ("gist", "supplement"):
            assert set(one.units[f"missing_{name}"]) <= set(one.units[name]), one.sample.id
            assert all(unit.text not in one.sample.answer for unit in one.units[f"missing_{name}"]), one.sample.id
            assert all(unit.text not in one.sample.reference for unit in one.units[f"extra_{name}"]), one.sample.id
        for two in (("gist", "supplement"), ("extra_gist", "extra_supplement")):
            units = sorted((unit for name in two for unit in one.units[name]), key=lambda unit: unit.start)
            assert all(a.end <= b.start for a, b in pairwise(units)), one.sample.id


def test_texts_are_clean():
    """No doubled punctuation, no space at an end, and sentences that end."""
    for one in ALL:
        for text in (one.sample.question, one.sample.reference, one.sample.answer):
            assert text == text.strip(), one.sample.id
            assert not any(wrong in text for wrong in ("  ", "。。", "、。", "、、", "..", " ,", "= G", "~ ")), (
                one.sample.id
            )
            assert text[-1] in "。.?!", one.sample.id


def test_some_references_have_no_supplement():
    """The two ratios of supplements are undefined there."""
    for language in LANGUAGES:
        assert sum(not one.units["supplement"] for one in of(language)) == 2


def test_the_labels_are_read_back_from_a_file(tmp_path):
    """There are six per sample; compared with themselves they agree fully."""
    labels = list(gist_labels(ALL))
    assert len(labels) == 6 * 48
    assert {label.annotator for label in labels} == {ANNOTATOR}
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(asdict(label)) + "\n" for label in labels), encoding="utf-8")
    assert list(read_labels(path)) == labels
    people = people_of(labels)
    (one,) = compare_spans(people, {"itself": people.by[ANNOTATOR]}, resamples=10).judges
    assert one.overall.per_unit.f.value == one.overall.per_answer.f.value == 1
    assert sum(one.empties) == 48
