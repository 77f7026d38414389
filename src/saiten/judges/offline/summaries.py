"""Entities, recognized by their form, and summaries: key phrases, closed questions, and whether they are answered."""

import re
from collections import Counter

from saiten.judges.offline.index import Tools
from saiten.judges.offline.statements import Sources
from saiten.judges.offline.support import SUFFIXED
from saiten.records import Language
from saiten.tasks.contexts import (
    AnswerFromSummary,
    ClosedQuestions,
    ExtractKeyphrases,
    Keyphrases,
    SummaryAnswers,
    WriteClosedQuestions,
)
from saiten.tasks.statements import Entities, ListEntities
from saiten.text.numbers import NUMBER
from saiten.text.sentences import split_sentences
from saiten.text.words import STOP_WORDS

_LIMIT = 300
_READ = 200_000
"""Number of characters of a text that are searched."""

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = (
    rf"{_MONTH}\s\d{{1,2}}(?:,\s\d{{4}})?(?!\d)|\d{{1,2}}\s{_MONTH}(?:\s\d{{4}})?|{_MONTH}\s\d{{4}}|\d{{4}}-\d\d-\d\d"
    r"|(?:(?:明治|大正|昭和|平成|令和)(?:\d{1,2}|元)|\d{2,4})年(?:\d{1,2}月(?:\d{1,2}日)?)?(?!間)|\d{1,2}月\d{1,2}日"
)
_AMOUNT = (
    rf"[$€£¥￥]?{NUMBER}(?:\s?(?:thousand|million|billion|trillion)\b|[十百千万億兆]+)?"
    r"(?:\s?(?:%|％|°C|℃|(?:percent|[kcm]?m|[mk]?g|[kmgt]b|km/h|[kmg]?hz|years?|months?|weeks?|days?|hours?|minutes?|people|dollars?"
    r"|yen|euros?)\b)|(?:年間|[かヶカケ]月|日間|時間|分間|週間|メートル|キロ|グラム|トン|パーセント|ドル|ユーロ|[円人名個件回台本枚歳年月日時分秒倍割階位度社校頭匹泊]))?"
)
_CAPITALISED = (
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f](?:[^\W_\u3041-\u9fff]|['’&-](?=[^\W_\u3041-\u9fff])){0,40}"
)
_NAME = rf"{_CAPITALISED}(?:(?: (?:of|de|van|von))?(?: the)? {_CAPITALISED}|\s?\d{{1,4}}\b){{0,6}}"
_ENTITY = re.compile(
    rf"(?P<date>{_DATE})|(?P<amount>{_AMOUNT})|『[^』\n]{{1,60}}』|{SUFFIXED}|[\u30a1-\u30fa\u30fc・]{{3,}}|(?P<name>{_NAME})"
)
_SMALL = re.compile(r"\d{1,3}[.)．）]")


def list_entities(task: ListEntities) -> Entities:
    """Return the entities as written; only those marked by a capital, unit, script or suffix are found."""
    return Entities(entities=entities_of(task.text, task.language))


def entities_of(text: str, language: Language) -> list[str]:
    """Return at most 300 entities from the first 200,000 characters.

    A single capitalized word at the beginning of a sentence counts only if it also occurs elsewhere, or is no plain
    word (`NASA`, `iPhone`): *Paris is …* cannot be distinguished from *Wine is …*.
    """
    found: dict[str, None] = {}
    openers: list[str] = []
    for sentence in split_sentences(text[:_READ], language):
        mark = _SMALL.match(sentence.text)
        for match in _ENTITY.finditer(sentence.text, mark.end() if mark else 0):
            entity = match.group().strip("・ ")
            if match.lastgroup == "name":
                entity = _without_stop_words(entity)
                if match.start() == 0 and entity[1:].islower() and " " not in entity:
                    openers.append(entity)
                    continue
            if entity:
                found.setdefault(entity)
        if len(found) >= _LIMIT:
            break
    later = {word for entity in found for word in entity.split()}
    return [entity for entity in found if entity not in openers or entity in later][:_LIMIT]


def _without_stop_words(entity: str) -> str:
    """Strip the article of `The Hague Convention`, since a text may also say *this Hague Convention*."""
    words = entity.split()
    while words and words[0].lower() in STOP_WORDS:
        words.pop(0)
    return " ".join(words)


_PHRASES = 20
"""Maximum number of key phrases per set of contexts."""

_CHUNK = re.compile(
    r"(?P<english>[A-Za-z][A-Za-z'’-]*(?: [A-Za-z][A-Za-z'’-]*)*)|[\u3005\u3400-\u9fff\u30a1-\u30fa\u30fc]{2,16}"
)
_ASKED: dict[Language, tuple[str, str, str]] = {
    "en": ("Does the text speak of “", "”", "?"),
    "ja": ("本文は「", "」", "について述べているか。"),
}


def extract_keyphrases(task: ExtractKeyphrases) -> Keyphrases:
    """Return up to 20 phrases: entities, and repeated runs of up to three content words (or kanji and katakana).

    Ordered by frequency, with entities counted twice, then by position.
    """
    text = "\n".join(task.contexts)[:_READ]
    weights: Counter[str] = Counter()
    for entity in entities_of(text, task.language):
        weights[entity] = 2 * text.count(entity)
    runs = Counter(_runs(text))
    weights.update({run: times for run, times in runs.items() if times > 1 and run not in weights})
    if len(weights) < _PHRASES:
        weights.update(run for run in runs if run not in weights)
    places = {phrase: text.lower().find(phrase.lower()) for phrase in weights}
    ranked = sorted(weights, key=lambda phrase: (-weights[phrase], places[phrase], phrase))
    kept: list[str] = []
    for phrase in ranked:
        if len(kept) == _PHRASES:
            break
        if not any(phrase.lower() in other.lower() for other in kept):
            kept.append(phrase)
    return Keyphrases(keyphrases=kept)


def write_closed_questions(task: WriteClosedQuestions) -> ClosedQuestions:
    """Ask *Does the text speak of “…”?* for each key phrase in the contexts; nothing better is possible offline."""
    text = "\n".join(task.contexts).lower()
    before, after, end = _ASKED[task.language]
    return ClosedQuestions(
        questions=[f"{before}{phrase}{after}{end}" for phrase in task.keyphrases if phrase.lower() in text]
    )


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
        words: list[str] = []
        for word in [*chunk.group().split(" "), "the"]:
            if word.lower() not in STOP_WORDS:
                words.append(word)
            else:
                runs.extend(" ".join(words[at : at + 3]) for at in range(0, len(words), 3))
                words = []
    return runs
