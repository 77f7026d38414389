"""The passages behind a verdict, marked in the contexts of an opened answer: only as far as the judge named them."""

import pytest
from matrix_page import cell

import browsing
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run

browsing.playwright()
pytestmark = [*browsing.MARKS, pytest.mark.parametrize("opened", ["file"], indirect=True)]
browser = browsing.browser

CONTEXTS = (
    "The office opens at nine on weekdays. The application fee is 1,200 yen for residents.",
    "Dogs are welcome in the park.",
)
JAPANESE = ("申請の窓口は市役所の二階にあります。手数料は住民なら無料です。", "公園に犬を連れて入れます。")


def verdicts(*found):
    """The details of a metric that verifies statements: (statement, verdict, reason)."""
    return {
        "statements": [statement for statement, _, _ in found],
        "verdicts": [{"number": n, "verdict": v, "reason": reason} for n, (_, v, reason) in enumerate(found, 1)],
    }


@pytest.fixture
def marks(opened, run):
    """`marks(scores, contexts, language)`: (class, text) of each marked passage in an answer with these scores."""

    def found(scores, contexts=CONTEXTS, language="en"):
        sample = Sample("q1", "Q?", "A", contexts, language=language)
        of = [Scored(sample.id, metric, Score(0.5, "ok", "half", details)) for metric, details in scores]
        page = opened([read_run(run("first", [sample], lambda *_: of))], language="en")
        cell(page, 0).click()
        page.get_by_role("dialog").locator(".passages li").first.wait_for()
        found = page.locator("ol.passages mark")
        return page, [(each.get_attribute("class"), each.inner_text()) for each in found.all()]

    return found


def test_what_the_judge_quoted_is_marked_as_quoted(marks):
    """A quotation in the reason of a verdict that is in a context word by word; the title names the statement."""
    details = verdicts(("The fee is 1,200 yen.", True, "The passage says “The application fee is 1,200 yen”."))
    page, found = marks([("faithfulness", details)])
    assert found == [("quoted", "The application fee is 1,200 yen")]
    title = page.locator("ol.passages mark").get_attribute("title")
    assert title == "quoted by the judge for: The fee is 1,200 yen."
    assert page.locator("dialog .kinds li").all_inner_texts() == ["quoted by the judge in the reason of a verdict"]


def test_without_a_quotation_the_most_similar_sentence_is_called_so(marks):
    """Only for a supported statement, only if most of its words are there; never as the judge's own choice."""
    details = verdicts(
        ("Residents pay an application fee of 1,200 yen.", True, "it says so"),
        ("The office opens at nine on weekdays.", False, "no"),
        ("Bicycles may be parked everywhere.", True, "yes"),
    )
    page, found = marks([("faithfulness", details)])
    assert found == [("similar", "The application fee is 1,200 yen for residents.")]
    assert "the judge named no passage" in page.locator("dialog .kinds").inner_text()


def test_japanese_sentences_are_compared_by_words(marks):
    """Particles do not count."""
    _, found = marks(
        [("faithfulness", verdicts(("住民の手数料は無料である。", True, "そう書かれている")))], JAPANESE, "ja"
    )
    assert found == [("similar", "手数料は住民なら無料です。")]


def test_statements_compared_with_something_else_mark_nothing(marks):
    """The statements of answer correctness are compared with the reference, not with the contexts."""
    _, found = marks([("answer_correctness", verdicts(("The application fee is 1,200 yen for residents.", True, "")))])
    assert found == []


def test_contexts_and_sentences_that_the_judge_decided_on(marks):
    """Useful or not, by context precision; needed sentences, by context relevance, in the context they are from."""
    useful = {
        "verdicts": [{"context": 1, "useful": True, "reason": "r"}, {"context": 2, "useful": False, "reason": "r"}]
    }
    needed = {"sentences": [{"context": 1, "text": "The office opens at nine on weekdays.", "needed": True}, {"context": 2, "text": "Dogs are welcome in the park.", "needed": False}]}  # fmt: skip
    page, found = marks([("context_precision", useful), ("context_relevance", needed)])
    assert found == [("needed", "The office opens at nine on weekdays.")]
    assert page.locator("ol.passages .judged").all_inner_texts() == [
        "✓ context_precision: useful, says the judge",
        "✗ context_precision: not useful, says the judge",
    ]
