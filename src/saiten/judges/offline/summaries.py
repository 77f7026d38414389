"""Summaries: key phrases, closed questions, and whether they are answered."""

import re
from collections import Counter
from itertools import groupby

from saiten.judges.offline.entities import READ, entities_of
from saiten.judges.offline.statements import Sources
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.summaries import (
    MOST_KEYPHRASES,
    AnswerFromSummary,
    ClosedQuestions,
    ExtractKeyphrases,
    Keyphrases,
    SummaryAnswers,
    WriteClosedQuestions,
)
from saiten.text.words import STOP_WORDS

_CHUNK = re.compile(
    r"(?P<english>[A-Za-z][A-Za-z'’-]*(?: [A-Za-z][A-Za-z'’-]*)*)|[\u3005\u3400-\u9fff\u30a1-\u30fa\u30fc]{2,16}"
)
_ASKED: dict[Language, tuple[str, str, str]] = {
    "en": ("Does the text speak of “", "”", "?"),
    "ja": ("本文は「", "」", "について述べているか。"),
}


def extract_keyphrases(task: ExtractKeyphrases) -> Keyphrases:
    """Return up to 12 phrases: entities, and repeated runs of up to three content words (or kanji and katakana).

    Ordered by frequency, with entities counted twice, then by position.
    """
    text = "\n".join(task.contexts)[:READ]
    weights: Counter[str] = Counter()
    for entity in entities_of(text, task.language):
        weights[entity] = 2 * text.count(entity)
    runs = Counter(_runs(text))
    weights.update({run: times for run, times in runs.items() if times > 1 and run not in weights})
    if len(weights) < MOST_KEYPHRASES:
        weights.update(run for run in runs if run not in weights)
    places = {phrase: text.lower().find(phrase.lower()) for phrase in weights}
    ranked = sorted(weights, key=lambda phrase: (-weights[phrase], places[phrase], phrase))
    kept: list[str] = []
    for phrase in ranked:
        if len(kept) == MOST_KEYPHRASES:
            break
        if not any(phrase.lower() in other.lower() for other in kept):
            kept.append(phrase)
    return Keyphrases(keyphrases=kept)


def write_closed_questions(task: WriteClosedQuestions) -> ClosedQuestions:
    """Ask *Does the text speak of “…”?* for each key phrase in the contexts; nothing better is possible offline."""
    text = "\n".join(task.contexts).lower()
    before, after, end = _ASKED[task.language]
    questions = [f"{before}{phrase}{after}{end}" for phrase in task.keyphrases if phrase.lower() in text]
    return ClosedQuestions(questions=questions)


def answer_from_summary(task: AnswerFromSummary, tools: Tools) -> SummaryAnswers:
    """Return whether the summary supports each question's quoted phrase, or else all its content words."""
    sources = Sources(tools.indexes.of((task.summary,), task.language), "summary", task.language, tools)
    return SummaryAnswers(verdicts=sources.verdicts([_subject(question) for question in task.questions]))


def _subject(question: str) -> str:
    for before, after, end in _ASKED.values():
        if question.startswith(before) and question.endswith(after + end):
            return question[len(before) : -len(after + end)]
    return question


def _runs(text: str) -> list[str]:
    runs = []
    for chunk in _CHUNK.finditer(text):
        if chunk.lastgroup != "english":
            runs.append(chunk.group())
            continue
        for is_stop, group in groupby(chunk.group().split(" "), key=lambda word: word.lower() in STOP_WORDS):
            words = list(group)
            if not is_stop:
                runs.extend(" ".join(words[at : at + 3]) for at in range(0, len(words), 3))
    return runs
