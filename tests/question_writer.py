"""A model that writes test sets by script, behind a real HTTP server: `server.reply = QuestionWriter()`.

It tells the tasks apart by the schema of the reply. Its questions name a case that no document has, so that each is new
and none gives its answer away; its references are sentences of the passages, which it answers from memory.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from saiten.text.language import detect_language
from saiten.text.sentences import split_sentences
from servers import Asked

_BLOCK = re.compile(r"<(\w+)((?:-\d+)?)>\n(.*?)\n</\1\2>", re.DOTALL)
_ITEM = re.compile(r"^\[\d+\] ?", re.MULTILINE)

QUESTION = {
    "en": "Which rule of the handbook applies to the case {case}?",
    "ja": "事例{case}には、手引きのどの決まりが当てはまりますか。",
}
NOT_SAID = {
    "en": "The documents do not say what applies to the case {case}.",
    "ja": "事例{case}の扱いは文書に書かれていません。",
}


@dataclass
class QuestionWriter:
    """Replies to every task of `saiten questions`; `faults` replace the reply to some."""

    faults: Callable[[Asked, str], str | None] = lambda _asked, _task: None
    """Called with each request and its task; a text is sent instead of the reply."""
    asked: list[str] = field(default_factory=list)
    """The tasks, in order."""
    references: dict[str, str] = field(default_factory=dict)
    """Question → reference, of all that were written; those without an answer are missing."""

    def __call__(self, asked: Asked) -> str | None:
        task = task_of(asked)
        if task is None:
            return None
        self.asked.append(task)
        fault = self.faults(asked, task)
        return json.dumps(self._reply(task, asked), ensure_ascii=False) if fault is None else fault

    def _reply(self, task: str, asked: Asked) -> dict[str, Any]:
        blocks = inputs_of(asked)
        if task.startswith("draft"):
            return self._draft(task, _ITEM.split(blocks["passages"])[1:] or [blocks["passages"]])
        if task == "closed_book":
            return {"reason": "It names the case.", "clear": True, "answer": ""}
        if task == "from_passages":
            known = self.references.get(blocks["question"].strip(), "")
            return {"answered": bool(known), "answer": known}
        if task == "verdicts":
            numbers = re.findall(r"^S(\d+):", asked.text, re.MULTILINE)
            last = numbers[-1] if numbers else "1"
            rows = [{"number": n, "reason": "It is there.", "verdict": True} for n in range(1, int(last) + 1)]
            return {"verdicts": rows}
        return {"feedback": "It says the same as the reference.", "grade": 5}

    def _draft(self, task: str, passages: list[str]) -> dict[str, Any]:
        language = detect_language(passages[0])
        sentences = [_first_sentence(passage, language) for passage in passages]
        case = sha256((task + passages[0]).encode()).hexdigest()[:8].upper()
        question = QUESTION[language].format(case=case)
        reference = sentences[0] if task == "draft_single" else (" " if language == "en" else "").join(sentences)
        if task == "draft_unanswerable":
            reference = NOT_SAID[language].format(case=case)
        else:
            self.references[question] = reference
        more = {
            "draft_unanswerable": {"missing": case},
            "draft_false_premise": {"premise": case},
            "draft_follow_up": {"first_question": f"{question[:-1]} 1?", "first_answer": sentences[-1]},
        }
        return {
            "situation": "Somebody asks.",
            **more.get(task, {}),
            "quotes": sentences,
            "question": question,
            "reference": reference,
        }


_BY_FIELD: Mapping[str, str] = {
    "missing": "draft_unanswerable",
    "premise": "draft_false_premise",
    "first_question": "draft_follow_up",
    "quotes": "draft_single",
    "clear": "closed_book",
    "answered": "from_passages",
    "verdicts": "verdicts",
    "feedback": "grade",
}


def task_of(asked: Asked) -> str | None:
    """Return the task by the fields of its reply; None for another, such as the first small call."""
    fields = (asked.schema or {}).get("properties", {})
    found = next((task for name, task in _BY_FIELD.items() if name in fields), None)
    if found != "draft_single":
        return found
    instruction = asked.body["messages"][0]["content"]
    return (
        "draft_several"
        if re.search("at least two of the numbered|compares two|二つ以上|二つを比べる", instruction)
        else found
    )


def inputs_of(asked: Asked) -> dict[str, str]:
    """Return the marked blocks of the last message, by name."""
    return {name: text for name, _, text in _BLOCK.findall(asked.text)}


def _first_sentence(passage: str, language: str) -> str:
    """The first whole sentence below the headings."""
    sentences = [one.text for one in split_sentences(passage.partition("\n")[2], language)]
    whole = [text for text in sentences if len(text) > 15 and text.endswith((".", "。"))]
    return (whole or sentences or [passage.strip()])[0]
