"""Verdicts and grades without a reason are scored and shown like any others, with nothing where the reason would be."""

import json

import orjson
import pytest

from saiten.cli import main
from saiten.judges.panel import Panel
from saiten.judges.reply_schema import schema_of
from saiten.judges.scripted import ScriptedJudge
from saiten.tasks.preference import PreferAnswer, Preference
from saiten.wiring.prompt_uses import TASKS

METRICS = [
    "faithfulness", "faithfulness[worst]", "context_precision", "context_recall", "aspect_critique[harmfulness]",
    "accuracy", "accuracy[grounded]", "correctness", "aspects", "direct", "summarization_score",
]  # fmt: skip
SAMPLE = {
    "id": "s",
    "question": "Where?",
    "answer": "In Kobe.",
    "contexts": ["It is in Kobe."],
    "reference": "In Kobe.",
}
WITHOUT = {
    "statements": {"statements": ["It is in Kobe."]},
    "verdicts": {"verdicts": {"1": "○"}},
    "useful": {"useful": True},
    "supported": {"correct": True, "supported": False},
    "correct": {"correct": True},
    "verdict": {"verdict": False},
    "grade": {"grade": 1},
    "keyphrases": {"keyphrases": ["Kobe"]},
    "questions": {"questions": ["Is it in Kobe?"]},
}
"""By a field that only this reply has: the reply, without a reason."""


def reply_to(asked):
    """The first reply whose field is requested."""
    fields = (asked.schema or {}).get("properties", {})
    return next((json.dumps(reply) for name, reply in WITHOUT.items() if name in fields), None)


def test_scores_without_reasons_are_stored_and_shown(openai_server, tmp_path, monkeypatch, capsys):
    """From `score` to `show`, the report and JUnit: values as usual, no dangling punctuation, and no repair."""
    monkeypatch.chdir(tmp_path)
    openai_server.reply = reply_to
    (tmp_path / "data.jsonl").write_text(json.dumps(SAMPLE) + "\n", encoding="utf-8")
    judge = f"openai:m@{openai_server.base_url}"
    for command in (
        ["score", "data.jsonl", "--judge", judge, "-o", "run", *(f"-m{name}" for name in METRICS)],
        ["show", "run"],
        ["show", "run", "--sample", "s"],
        ["show", "run", "--format", "json"],
        ["report", "run", "-o", "report.html"],
    ):
        with pytest.raises(SystemExit) as end:
            main(command)
        assert not end.value.code, capsys.readouterr().err
    lines = [orjson.loads(line) for line in (tmp_path / "run" / "scores.jsonl").read_bytes().splitlines()]
    assert {line["metric"] for line in lines} >= {"faithfulness", "accuracy[grounded]", "correctness"}
    assert {line["status"] for line in lines} == {"ok"}
    assert all(line["reason"] is None or line["reason"].rstrip(" ;:/") == line["reason"] for line in lines)
    assert not any("None" in (line["reason"] or "") for line in lines)


async def test_a_tie_of_votes_without_explanations_has_none():
    """Only the explanations that exist are joined."""
    for first, explanation in (("", ""), ("f", "f")):
        members = [
            ScriptedJudge({PreferAnswer: Preference(explanation=text, better=better)})
            for text, better in ((first, "first"), ("", "second"))
        ]
        merged = await Panel(tuple(members)).perform(PreferAnswer("q", "a", "b", language="en"))
        assert (merged.better, merged.explanation) == ("tie", explanation)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_the_schema_still_requires_every_field(task):
    """A model that is held to the schema writes its reason, and writes it first."""
    schema = schema_of(task.reply, "ja")
    assert schema["required"] == list(schema["properties"])
    assert not {"reason", "explanation", "feedback"} & set(schema["required"][1:])
