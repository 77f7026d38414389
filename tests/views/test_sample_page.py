"""One sample in full, on the screen and as JSON."""

import io
import json

import pytest
from rich.console import Console

from saiten.judges.offline import OfflineJudge
from saiten.metrics.catalog import make_metric
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Sample, Score, Scored
from saiten.runs.scoring import score_once
from saiten.views.page.sample_page import print_sample, sample_json

SAMPLE = Sample(
    "q1/hasty",
    "How long is the warranty?",
    "The warranty lasts 24 months. It covers the battery.",
    ("The warranty lasts 24 months.", "The battery is not covered by any warranty."),
    "The warranty lasts 24 months.",
    ("Two years.",),
    system="hasty",
    group="manual",
)


def page(sample, *scores):
    """What is printed."""
    out = io.StringIO()
    print_sample(sample, scores, Console(file=out, width=120))
    return out.getvalue()


def test_the_page_shows_everything_that_was_judged():
    """Question, answer, each reference and context, and the sample's origin."""
    text = page(SAMPLE)
    for part in (
        SAMPLE.id,
        SAMPLE.question,
        SAMPLE.answer,
        *SAMPLE.contexts,
        *SAMPLE.references,
        "hasty · manual · en",
    ):
        assert part in text
    assert "(not given)" in page(Sample("s", "q"))
    assert "(empty)" in page(Sample("s", "q", ""))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("faithfulness", ["✓ The warranty lasts 24 months.", "It covers the battery."]),
        ("answer_correctness", ["answer\n", "reference\n", "The warranty lasts 24 months.", "It covers the battery."]),
        ("context_recall", ["The warranty lasts 24 months."]),
        ("context_precision", ["✓ context 1", "context 2"]),
    ],
)
async def test_statements_are_next_to_their_verdicts(metric, expected):
    """Each metric's statements, questions or contexts are shown with yes, no or undecided, and the reason."""
    score = await score_once(SAMPLE, make_metric(metric), OfflineJudge(BuiltinEmbedder()))
    assert score.status == "ok"
    text = "\n".join(line.strip() for line in page(SAMPLE, Scored(SAMPLE.id, metric, score)).split("\n"))
    below = text[text.rindex(metric) :]
    for part in expected:
        assert part in below
    assert "'verdicts'" not in below
    assert '"verdicts"' not in below


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"statements": ["A.", "B."], "verdicts": [{"number": 1, "verdict": True}, {"number": 2, "verdict": False, "reason": "no"}]}, ["✓ A.", "✗ B.", "no"]),
        ({"statements": ["A."], "verdicts": [{"number": 1, "verdict": True, "unclear": True}]}, ["? A."]),
        ({"statements": ["A."], "verdicts": [{"number": 7, "verdict": True}]}, ["✓ 7"]),
        ({"statements": ["A.", "B."], "verdicts": [{"number": 1, "verdict": False}, {"number": 2, "verdict": True}], "by_sentence": [{"sentence": "Aa.", "supported": False, "statements": [1]}]}, ["\n  ✗ Aa.", "\n    ✗ A.", "\n  ✓ B."]),
        ({"statements": ["A."], "verdicts": [{"number": 1, "verdict": True}], "by_sentence": [{"sentence": "Aa.", "statements": [3]}]}, ["✓ A.", '"by_sentence"']),
        ({"questions": ["Who?"], "similarities": [0.5]}, ["· Who?", '{"similarities": [0.5]}']),
        ({"verdicts": ["yes", 1]}, ['{"verdicts": ["yes", 1]}']),
        ({"verdicts": {"a": 1}, "statements": "one"}, ['"verdicts"', '"statements"']),
        ({"verdicts": [{}]}, ["? None"]),
        ({"grade": 4, "evidence": {"mode": "reference", "passages": [{"text": "# A\n\nB", "source": "a.md"}, {"text": "x" * 300}]}}, ["evidence  a.md  # A B ", "x …", '{"grade": 4}']),
        ({"evidence": {"mode": "answer"}}, ['{"evidence": {"mode": "answer"}}']),
        ({"evidence": {"passages": ["a"]}}, ['{"evidence": {"passages": ["a"]}}']),
    ],
)  # fmt: skip
def test_details_of_any_shape_can_be_shown(details, expected):
    """Built-in details are drawn; those of a custom metric, whatever they contain, are at least written out."""
    text = page(SAMPLE, Scored("s", "m", Score(0.5, details=details)))
    for part in expected:
        assert part in text


def test_a_score_without_a_value_shows_its_status_and_the_raw_reply():
    """Whoever looks at an unreadable score wants to see what the judge replied."""
    raw = "Well, I \x1b[31mthink\x1b[0m so"
    text = page(SAMPLE, Scored("s", "m", Score(None, "unreadable", "no JSON", {"raw": raw})))
    assert "unreadable" in text
    assert "no JSON" in text
    assert "Well, I" in text
    assert "\x1b" not in text


def test_votes_are_shown():
    """What each vote alone would have given, with a dash for a missing value."""
    assert "votes 5.000, –, 4.000" in page(SAMPLE, Scored("s", "m", Score(4.5, votes=(5.0, None, 4.0))))


@pytest.mark.parametrize("field", ["id", "question", "answer", "reference", "system", "group"])
def test_no_field_can_style_the_screen(field):
    """Every text of the sample may come from outside."""
    hostile = "[bold]x[/bold]\x1b[2J\x9b1m\x07\u202e"
    sample = Sample(**{"id": "s", "question": "q", "contexts": (hostile,), "evidence": (hostile,)} | {field: hostile})
    score = Score(0.5, reason=hostile, details={hostile: hostile, "statements": [hostile], "verdicts": [{"number": 1}]})
    text = page(sample, Scored("s", hostile, score))
    assert not set(text) & set("\x1b\x9b\x07\u202e")
    assert "[bold]x[/bold]␛[2J" in text
    assert not set(sample_json(sample, [Scored("s", "m", score)])) & set("\x1b\x9b\x07\u202e")


def test_the_json_of_a_sample_holds_all_of_it():
    """The sample's fields and each score's line, for other programs."""
    found = json.loads(sample_json(SAMPLE, [Scored("q1/hasty", "m", Score(0.5, reason="\x1b"))]))
    assert found["sample"]["answer"] == SAMPLE.answer
    assert found["scores"][0]["value"] == 0.5
    assert found["scores"][0]["reason"] == "\x1b"
