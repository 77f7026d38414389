"""Which metric to take first, and what the page of one says."""

import json
import shlex

import pytest

from saiten.dialogue.scores import SCORES
from saiten.metrics.catalog import ENTRIES, make_metrics
from saiten.metrics.first_choices import first_choices
from saiten.records import Sample

ROW = {"id": "q1", "question": "When?", "answer": "In 1998.", "contexts": ["It opened in 1998."], "reference": "1998."}
NAMES = {"questions": "question", "answers": "answer", "long answers": "answer", "contexts": "contexts", "references": "reference"}  # fmt: skip
SCORED = [choice for choice in first_choices() if choice.command == "score"]


@pytest.mark.parametrize("choice", SCORED, ids=lambda choice: choice.take[0])
def test_a_first_choice_needs_what_one_has_and_takes_the_calls_that_it_names(saiten, data, choice):
    """The fields are those of the metrics; the calls those of a dry run, of each metric by itself."""
    have = {NAMES[name] for name in choice.have["en"].removesuffix("; no model").split(", ")}
    metrics = [metric for name in choice.take for metric in make_metrics([name])]
    assert set().union(*(metric.needs for metric in metrics)) == have <= set(Sample.__annotations__)
    file = data([ROW], "one.jsonl")
    for name, calls in zip(choice.take, choice.calls, strict=True):
        said = saiten("score", file, "-m", name, "--judge", "openai:m", "--dry-run", "--format", "json")
        (rows,) = json.loads(said.out).values()
        assert rows[-1]["calls"] == calls, name


def test_dialogues_are_a_choice_with_a_command_of_their_own(saiten):
    """Their scores are no metrics of `saiten score`, so the command is named."""
    (talk,) = [choice for choice in first_choices() if choice.command != "score"]
    assert set(talk.take) <= set(SCORES)
    assert saiten(*talk.command.split(), "--help").status == 0
    assert f"saiten {talk.command}: " in talk.typed


def test_the_choices_come_before_the_list_in_both_languages(saiten):
    """What one wants to know first is at the top, within a screen."""
    for words, title, asked in (
        (("metrics",), "Which metric first?", "Are they right?"),
        (("metrics", "--ja"), "", "回答は正しいか"),
    ):
        lines = saiten(*words).out.splitlines()
        at = next(at for at, line in enumerate(lines) if asked in line)
        assert lines[0].startswith(title)
        assert at < 12
        assert any("faithfulness" in line for line in lines[:at])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_the_page_of_a_metric_begins_with_when_to_take_it_and_an_example(saiten, data, entry):
    """When, when not, then a command that a shell reads; the docstring comes below."""
    shown = saiten("metrics", entry.title).out
    assert f"Take it {entry.use['en']}." in " ".join(shown.split())
    assert f"Not {entry.avoid['en']}." in " ".join(shown.split())
    (example,) = [line for line in shown.splitlines() if line.startswith("  saiten score answers.jsonl -m ")]
    assert shown.index(example) < 800
    words = shlex.split(example)
    assert [metric.name for metric in make_metrics([words[4]])]
    assert ("--judge" in words) is bool(entry.load().tasks)
    japanese = saiten("metrics", entry.title, "--ja").out
    assert f"{entry.title}（{entry.gloss}）" in japanese
    assert "".join(entry.use["ja"].split()) in "".join(japanese.split())
