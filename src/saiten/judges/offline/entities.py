"""Entities, recognized by their form."""

import re
from itertools import dropwhile

from saiten.judges.offline.names import SUFFIXED
from saiten.records import Language
from saiten.tasks.statements import Entities, ListEntities
from saiten.text.numbers import NUMBER
from saiten.text.sentences import split_sentences
from saiten.text.words import STOP_WORDS

_LIMIT = 300
READ = 200_000
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
_CAPITALIZED = (
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f](?:[^\W_\u3041-\u9fff]|['’&-](?=[^\W_\u3041-\u9fff])){0,40}"
)
_NAME = rf"{_CAPITALIZED}(?:(?: (?:of|de|van|von))?(?: the)? {_CAPITALIZED}|\s?\d{{1,4}}\b){{0,6}}"
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
    for sentence in split_sentences(text[:READ], language):
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
    return " ".join(dropwhile(lambda word: word.lower() in STOP_WORDS, entity.split()))
