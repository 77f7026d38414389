"""The demo's samples are what their defects say, as far as a program can check."""

import re
from collections import Counter
from dataclasses import replace
from importlib.resources import as_file, files
from statistics import fmean

import pytest

from saiten.data import read_samples
from saiten.demo import DEFECTS, load_demo
from saiten.text.language import detect_language

ALL = load_demo()
BY_NAME = {defect.name: defect for defect in DEFECTS}
LANGUAGES = ("ja", "en")
REFUSALS = {
    "ja": r"お答えできません|わかりません|判断できません|確認できませんでした|見つけられませんでした|差し控えます|控えさせて|回答できません|読み取れませんでした",
    "en": r"could not find|don't know|cannot give|does not allow me|unable to|no information|not have enough information",
}


def numbers(text):
    """The numbers of a text in order, without separators of thousands."""
    return [found.replace(",", "") for found in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", text)]


def of(language, *defects):
    """The samples of a language, or those with one of these defects."""
    return [one for one in ALL if one.sample.language == language and (not defects or one.defect in defects)]


def with_defect(*defects):
    """The answers with one of these defects, in both languages."""
    return [one.sample for one in ALL if one.defect in defects]


def allowed(sample, texts):
    """Numbers in these texts or in the question."""
    return set(numbers(" ".join([sample.question, *texts])))


def test_ids_are_unique_across_both_languages():
    """An ID names one answer, even if both languages are scored in one run."""
    assert len({one.sample.id for one in ALL}) == len(ALL) == 192


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_system_answers_every_question_once(language):
    """24 questions, half about each text, and the same four systems answer each of them, so that they can be paired."""
    questions = {(one.sample.question, one.sample.group) for one in of(language)}
    assert Counter(group for _, group in questions) == {"handbook": 12, "manual": 12}
    answered = Counter((one.sample.question, one.sample.system) for one in of(language))
    systems = {one.sample.system for one in of(language)}
    assert systems == {"careful", "hasty", "chatty", "broken"}
    assert answered == {(question, system): 1 for question, _ in questions for system in systems}


@pytest.mark.parametrize("language", LANGUAGES)
def test_kinds_are_balanced(language):
    """Every defect occurs at least 8 times, on both texts, and none makes up a fifth; every system has 4 kinds."""
    counts = Counter(one.defect for one in of(language))
    assert set(counts) == set(BY_NAME)
    assert min(counts.values()) >= 8
    assert max(counts.values()) < 96 / 5
    assert all({one.sample.group for one in of(language, name)} == {"handbook", "manual"} for name in BY_NAME)
    for system in ("careful", "hasty", "chatty", "broken"):
        assert len({one.defect for one in of(language) if one.sample.system == system}) >= 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_careful_is_the_best_system_and_broken_the_worst(language):
    """The order of the systems by correct answers is clear, so it is visible whether a metric gets it right."""
    right = Counter(one.sample.system for one in of(language) if one.correct)
    assert right["broken"] == 0 < right["hasty"] < min(right["careful"], right["chatty"])


def test_facts_follow_from_the_defect():
    """Correct, faithful and complete are those of the kind of defect."""
    for one in ALL:
        kind = BY_NAME[one.defect]
        assert (one.correct, one.faithful, one.complete) == (kind.correct, kind.faithful, kind.complete), one.sample.id


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("group", ["handbook", "manual"])
def test_contexts_are_passages_of_the_corpus(language, group):
    """Contexts are whole paragraphs, 2 to 4 and different; the evidence is among them, part of it at rank 1 or 2."""
    text = (files("saiten.demo") / "corpus" / language / f"{group}.md").read_text(encoding="utf-8")
    paragraphs = set(text.rstrip("\n").split("\n\n"))
    for sample in (one.sample for one in of(language) if one.sample.group == group):
        assert 2 <= len(set(sample.contexts)) == len(sample.contexts) <= 4, sample.id
        assert set(sample.contexts) <= paragraphs, sample.id
        assert set() < set(sample.evidence) <= set(sample.contexts), sample.id
        assert set(sample.evidence) & set(sample.contexts[:2]), sample.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_some_rankings_have_a_distractor_first(language):
    """Context precision has something to find: a quarter to three quarters of the rankings begin with the evidence."""
    first = {one.sample.question: one.sample.contexts[0] in one.sample.evidence for one in of(language)}
    assert 0.25 <= fmean(first.values()) <= 0.75


def test_the_answers_to_one_question_share_everything_else():
    """Only the answer and its system differ between the answers to one question."""
    rest = {replace(one.sample, id="", answer=None, system=None) for one in ALL}
    assert len(rest) == len({sample.question for sample in rest}) == 48


def test_no_answer_is_a_reference_or_occurs_twice():
    """Every answer was written; none equals a reference, so exact match is always 0, and none another answer."""
    answers = [one.sample.answer for one in ALL]
    assert len(set(answers)) == len(answers)
    assert all(answer.strip() == answer != "" for answer in answers)
    assert not set(answers) & {reference for one in ALL for reference in one.sample.references}


def test_languages_are_detected_from_every_text():
    """Question, answer and references are all recognized as the sample's language."""
    for sample in (one.sample for one in ALL):
        for text in (sample.question, sample.answer, *sample.references):
            assert detect_language(text) == sample.language, text


def test_references_follow_from_the_evidence():
    """Every number of a reference is in the evidence or in the question."""
    for sample in (one.sample for one in ALL):
        for reference in sample.references:
            assert set(numbers(reference)) <= allowed(sample, sample.evidence), sample.id


def test_numbers_of_right_answers_are_in_the_evidence():
    """A right answer, complete or not, has no number that is not in the evidence or the question."""
    for sample in with_defect("right", "right_paraphrase", "incomplete"):
        assert set(numbers(sample.answer)) <= allowed(sample, sample.evidence), sample.id


def test_wrong_numbers_are_nowhere():
    """A wrong number is in no context, no reference and not in the question."""
    for sample in with_defect("wrong_number"):
        known = allowed(sample, [*sample.contexts, *sample.references])
        assert set(numbers(sample.answer)) - known, sample.id


def test_swapped_numbers_are_in_the_contexts_but_elsewhere():
    """Every number of the answer is in the contexts, but they are not the reference's numbers in order."""
    for sample in with_defect("swapped_number"):
        given = numbers(sample.answer)
        assert set() < set(given) <= allowed(sample, sample.contexts), sample.id
        rest = iter(numbers(sample.reference))
        assert not all(number in rest for number in given), sample.id


def test_contradictions_and_digressions_bring_no_new_number():
    """The fault in these is not a number: each of their numbers is in the contexts or in the question."""
    for sample in with_defect("contradicting", "off_topic"):
        assert set(numbers(sample.answer)) <= allowed(sample, sample.contexts), sample.id


def test_additions_come_on_top_of_everything_that_the_reference_says():
    """The answer before the invention is complete: all numbers of the reference are there."""
    for sample in with_defect("made_up_addition"):
        assert set(numbers(sample.reference)) <= set(numbers(sample.answer)), sample.id
        assert len(sample.answer) > len(sample.reference), sample.id


def test_copies_are_verbatim_and_do_not_hold_the_answer():
    """The answer is a part of one context, verbatim, and lacks a number of the reference if that has one."""
    for sample in with_defect("copied_context"):
        assert any(sample.answer in context for context in sample.contexts), sample.id
        needed = set(numbers(sample.reference))
        assert not needed or not needed <= set(numbers(sample.answer)), sample.id


def test_only_refusals_refuse():
    """A refusal says that it cannot answer and gives no number; no other answer says so."""
    for one in ALL:
        refuses = re.search(REFUSALS[one.sample.language], one.sample.answer, re.IGNORECASE) is not None
        assert refuses == (one.defect == "refusing"), one.sample.id
        assert not (refuses and numbers(one.sample.answer)), one.sample.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_paraphrases_are_hard_for_overlap(language):
    """Paraphrases share clearly fewer of their character bigrams with the evidence than other right answers do."""

    def shared(sample):
        source = "".join(sample.evidence).casefold()
        size = 2 if language == "ja" else 5
        grams = [sample.answer[i : i + size].casefold() for i in range(len(sample.answer) - size + 1)]
        return fmean(gram in source for gram in grams)

    right, paraphrase = ([shared(one.sample) for one in of(language, kind)] for kind in ("right", "right_paraphrase"))
    assert fmean(paraphrase) < 0.7 * fmean(right)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_language_can_be_loaded_alone(language):
    """`load_demo(language)` gives that language's samples only, in the same order as within all."""
    assert load_demo(language) == of(language)
    assert len(load_demo(language)) == 96


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_ordinary_input(language):
    """The files can be passed to `saiten score` unchanged: the reader makes the same samples of them."""
    with as_file(files("saiten.demo") / f"samples.{language}.jsonl") as path:
        assert list(read_samples(path, detect_language=detect_language)) == [one.sample for one in of(language)]
