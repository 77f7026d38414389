"""Questions out of English sentences, by moving the thing asked for to the front where the sentence is simple enough.

*Laptops are replaced every 4 years.* → *How often are laptops replaced?*
"""

import re
from collections.abc import Iterator

from saiten.testsets.offline.english_clauses import clause_of, depends
from saiten.testsets.offline.english_quantities import QuantityPhrase, gaps
from saiten.testsets.offline.english_question_words import fronted
from saiten.testsets.offline.english_sentences import questions_of_whole
from saiten.testsets.offline.posed import Posed
from saiten.testsets.offline.statements import Statement

_ASIDE = re.compile(r" ?\([^()]{0,120}\)")
_OPENING = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Also|Note that|Therefore|Thus|Finally|In general|Usually),? "
)
_BREAK = re.compile(r"; |: | – | — |, (?:(?:and|but|so|or|not|even) )?")
_CLAUSE_OPENERS = frozenset({", and", ", but", ", so"})
_LONGEST = 70
"""Maximum characters after the quantity, or after the verb, that go into the question."""
_NO_PLAIN_VERB = re.compile(r",|\d|\b(?:not|never|no|and|or|but|if|when)\b|n't\b")
_GOES_ON = re.compile(
    r" (?:of|in|on|at|for|from|to|with|per|a|by|before|after|during|until|within|without|each|as|between|under|over"
    r"|against|into)\b"
)
_SECOND_PART = re.compile(r" (?:and|but|while|whereas|if|because|unless)\b.*")
_SUBJECT = re.compile(r"(?P<noun>(?: [a-z-]+){0,4}) (?P<verb>is|are|was|were|can|may|must|should|will) (?P<rest>.+)$")
_THAN_WHAT = re.compile(r"\b(?:before|earlier|later|afterwards)\W*$")
_NO_PLAIN_NOUN = re.compile(r"ones\b|\b(?:whose|that|which|who)\b")
_NO_PLAIN_REST = re.compile(r"\b(?:not|never|no|ten|two|three)\b|\d")


def questions_of(statement: Statement, passage: str) -> Iterator[Posed]:
    """Yield the questions that the sentence answers, the most natural first; `passage`: the text it is from."""
    sentence = _ASIDE.sub("", statement.text)
    opening = _OPENING.match(sentence)
    if opening:
        sentence = sentence[opening.end()].upper() + sentence[opening.end() + 1 :]
    sentence = sentence.rstrip(".!")
    yield from (made for made in questions_of_whole(sentence, passage) if _is_clear(made.question))
    for gap in gaps(sentence):
        question = _about_subject(sentence, gap) or _about_rest(sentence, gap, passage)
        if question and _is_clear(question):
            yield Posed(re.sub(r"\s+", " ", f"{question.strip(' ,')}?"), "quantity")


def _is_clear(question: str) -> bool:
    return not depends(question.partition(" ")[2]) and not _THAN_WHAT.search(question)


def _part(sentence: str, gap: QuantityPhrase) -> tuple[int, int]:
    """Return where the clause with the gap begins and ends."""
    begin, end = 0, len(sentence)
    for found in _BREAK.finditer(sentence):
        sign = found.group()
        if found.end() <= gap.start and (sign[0] != "," or sign.strip() in _CLAUSE_OPENERS):
            begin = found.end()
        elif found.start() >= gap.end:
            end = found.start()
            break
    return begin, end


def _about_rest(sentence: str, gap: QuantityPhrase, passage: str) -> str | None:
    """Return a question for a quantity after the verb."""
    begin, end = _part(sentence, gap)
    clause = clause_of(sentence, begin, end, passage)
    if clause is None or clause.rest_start > gap.start:
        return None
    before, after = sentence[clause.rest_start : gap.start], sentence[gap.end : end]
    if _NO_PLAIN_VERB.search(before) or len(after) > _LONGEST or re.search(r" or (?!more\b|less\b)", after):
        return None
    after = _SECOND_PART.sub("", after)
    found = fronted(gap, before, after, clause) if not after or _GOES_ON.match(after) else None
    if found is None:
        return None
    verb, intro = (f" {each}" if each else "" for each in (clause.verb, clause.intro))
    return f"{found.front} {clause.auxiliary} {clause.subject}{verb}{before.rstrip()}{found.behind}{intro}"


def _about_subject(sentence: str, gap: QuantityPhrase) -> str | None:
    """Return *How many unused days are carried over …?* for *Up to 5 unused days are carried over …*."""
    begin, end = _part(sentence, gap)
    found = _SUBJECT.match(sentence, gap.end, end) if gap.start == begin and not gap.preposition else None
    if found is None or _NO_PLAIN_REST.search(found["rest"]) or len(found["rest"]) > _LONGEST:
        return None
    noun = f"{gap.noun}{found['noun']}"
    if gap.kind == "money":
        return None if noun else f"How much {gap.tail} {found['verb']} {found['rest']}"
    if gap.kind not in {"count", "duration", "measure"} or _NO_PLAIN_NOUN.search(noun):
        return None
    return f"How many {noun} {found['verb']} {found['rest']}"
