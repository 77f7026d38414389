"""Replies of a real model, recorded earlier, are read today as they were then; needs the folder in SAITEN_DATA."""

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from saiten.judges.doubts import doubt
from saiten.judges.reading import read_reply
from saiten.protocols import Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.correctness import DecideCorrect, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.tasks.similarity import WriteQuestions
from saiten.tasks.statements import ClassifyStatements, ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.summaries import AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions

REPLIES = Path(os.environ.get("SAITEN_DATA") or "/nowhere", "large_model_replies", "replies.jsonl")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.witness,
    pytest.mark.skipif(not REPLIES.is_file(), reason="SAITEN_DATA names no folder with large_model_replies"),
]

KINDS: Mapping[str, tuple[type[Task[Any]], int]] = {
    "classification": (ClassifyStatements, 4),
    "closed_questions": (WriteClosedQuestions, 4),
    "context_verdict": (JudgeContext, 12),
    "critique": (CritiqueAspect, 12),
    "decision": (DecideCorrect, 180),
    "entities": (ListEntities, 8),
    "grade": (GradeAnswer, 40),
    "keyphrases": (ExtractKeyphrases, 4),
    "missing_and_extra": (FindMissingAndExtra, 16),
    "questions": (WriteQuestions, 4),
    "rating": (RateAspect, 32),
    "reference_units": (SplitGist, 16),
    "statement_verdicts": (VerifyStatements, 56),
    "statements": (SplitStatements, 56),
    "summary_answers": (AnswerFromSummary, 4),
}
"""The kind of reply (the title of its schema), the task that it answers, and how many were recorded: 448."""

NO_LONGER: Mapping[str, str] = {}
"""Prompts whose replies have another form today, with the reason; their recorded replies are refused, not misread."""

_BLOCK = re.compile(r"^<([a-z_]+)((?:-\d+)?)>\n(.*?)\n</\1\2>$", re.DOTALL | re.MULTILINE)
_JAPANESE = re.compile("[ぁ-ん]")


def recorded() -> list[dict[str, Any]]:
    """Return the recorded requests with their replies."""
    return [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]


def numbered(text: str) -> tuple[str, ...]:
    """Return the items of a list whose lines begin with [1], [2], …"""
    items: list[str] = []
    for line in text.split("\n"):
        head = f"[{len(items) + 1}] "
        if line.startswith(head):
            items.append(line.removeprefix(head))
        else:
            items[-1] += "\n" + line
    return tuple(items)


def task_of(record: Mapping[str, Any]) -> Task[Any]:
    """Rebuild the task from the request's last message; fields that it did not have get their default, or nothing."""
    kind, _ = KINDS[record["schema"]["title"]]
    system, last = record["messages"][0]["content"], record["messages"][-1]["content"]
    blocks = {name: text for name, _, text in _BLOCK.findall(last)}
    hints, given = get_type_hints(kind), {}
    if kind is RateAspect:
        given["values"] = tuple(int(line.partition(":")[0]) for line in blocks["grades"].split("\n"))
    for field in fields(kind):
        is_text = hints[field.name] is str
        if field.name in blocks:
            given[field.name] = blocks[field.name] if is_text else numbered(blocks[field.name])
        elif field.name not in {"language", *given} and field.default is MISSING:
            given[field.name] = "" if is_text else ()
    return kind(**given, language="ja" if _JAPANESE.search(system) else "en")


def test_every_recorded_reply_is_of_a_known_kind_so_that_none_is_skipped() -> None:
    """The recording consists of 448 replies to the tasks listed here, in both languages."""
    records = recorded()
    assert Counter(one["schema"]["title"] for one in records) == {title: n for title, (_, n) in KINDS.items()}
    assert {task_of(one).language for one in records} == {"ja", "en"}


def test_replies_of_a_real_model_are_read_as_they_were_and_need_no_repair() -> None:
    """A recorded reply is read today with the values that it has, without a doubt that would cost a repair.

    A reply in a form that is no longer asked for is refused rather than read as something else.
    """
    read: Counter[bool] = Counter()
    for record in recorded():
        task = task_of(record)
        applies = task.prompt not in NO_LONGER
        read[applies] += 1
        if not applies:
            with pytest.raises(ValueError, match=r"\w"):
                read_reply(task, record["reply"])
            continue
        reply = read_reply(task, record["reply"])
        assert reply.model_dump(mode="json", exclude_unset=True) == json.loads(record["reply"]), record["id"]
        assert doubt(task, reply) is None, record["id"]
    assert read[True] >= 400  # one or two changed forms are no reason to give up the rest
    assert bool(read[False]) == bool(NO_LONGER)
