"""Questions out of English sentences, by moving the thing asked for to the front where the sentence is simple enough.

*Laptops are replaced every 4 years.* → *How often are laptops replaced?*
"""

import re
from collections.abc import Iterator

from saiten.testsets.offline.english_clauses import EnglishClause, clause_of, depends, lowered
from saiten.testsets.offline.english_quantities import QuantityPhrase, gaps
from saiten.testsets.offline.posed import Posed
from saiten.testsets.offline.statements import Statement
from saiten.text.common_words import is_common

_ASIDE = re.compile(r" ?\([^()]{0,120}\)")
_OPENING = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Also|Note that|Therefore|Thus|Finally|In general|Usually),? "
)
_BREAK = re.compile(
    r"; |: | – | — |, (?:and|but|so|which|who|where|while|whereas|because|since|unless|although|though|not|even|whatever|or) |, "
)
_MOST_AFTER = 70
"""Maximum characters after the quantity that go into the question."""
_PARTICIPLE = re.compile(r"^ (?:(?:not|only|normally|usually|automatically|always) )?(?:be )?[a-z]+")


def questions_of(statement: Statement, passage: str) -> Iterator[Posed]:
    """Yield the questions that the sentence answers, the most natural first; `passage`: the text it is from."""
    sentence = _ASIDE.sub("", statement.text)
    opening = _OPENING.match(sentence)
    if opening:
        rest = sentence[opening.end() :]
        sentence = rest[:1].upper() + rest[1:]
    sentence = sentence.rstrip(".!")
    for made in (
        _definition(sentence, passage),
        _condition(sentence),
        _requirement(sentence),
        _reason(sentence, passage),
    ):
        if made is not None and not depends(made.question.split(" ", 1)[1]):
            yield made
    for gap in gaps(sentence):
        question = _about_subject(sentence, gap) or _about_rest(sentence, gap, passage)
        if question and not depends(question.split(" ", 1)[1]):
            yield Posed(re.sub(r"\s+", " ", f"{question.strip(' ,')}?"), "quantity")


# ------------------------------------------------------------------------------------------ quantities


def _part(sentence: str, gap: QuantityPhrase) -> tuple[int, int]:
    """Return where the clause with the gap begins and ends."""
    begin, end = 0, len(sentence)
    for found in _BREAK.finditer(sentence):
        sign = found.group()
        if found.end() <= gap.start and (sign[0] != "," or sign.strip() in {", and", ", but", ", so"}):
            begin = found.end()
        elif found.start() >= gap.end:
            end = found.start()
            break
    return begin, end


def _about_rest(sentence: str, gap: QuantityPhrase, passage: str) -> str | None:
    begin, end = _part(sentence, gap)
    clause = clause_of(sentence, begin, end, passage)
    if clause is None or clause.rest_start > gap.start:
        return None
    before, after = sentence[clause.rest_start : gap.start], sentence[gap.end : end]
    if "," in before or len(after) > _MOST_AFTER or re.search(r"\b(?:not|never|no|and|or|but|if|when)\b|n't\b", before):
        return None
    if re.search(r" or (?!more\b|less\b)", after):
        return None
    after = re.split(r" (?:and|but|or|while|whereas|if|because|unless)\b", after)[0]
    if re.search(r"\d", before) or (
        after
        and not re.match(
            r" (?:of|in|on|at|for|from|to|with|per|a|by|before|after|during|until|within|without|each|without|as|between|under|over|against|into|under)\b",
            after,
        )
    ):
        return None
    asked = _question_word(gap, before, after, clause)
    if asked is None:
        return None
    word, kept = asked
    verb, intro = (f" {each}" if each else "" for each in (clause.verb, clause.intro))
    return f"{word} {clause.auxiliary} {clause.subject}{verb}{before.rstrip()}{kept}{intro}"


_LONG = {"long", "wide", "high", "deep", "tall", "thick", "old"}
_LASTING = frozenset({"last", "take", "run", "wait", "remain", "stay", "work", "open"})


def _question_word(gap: QuantityPhrase, before: str, after: str, clause: EnglishClause) -> tuple[str, str] | None:
    """Return the question word with what moves to the front, and what stays behind; None if none is safe."""
    direct = not before.strip()
    be = clause.auxiliary in {"is", "are", "was", "were"} and not clause.verb
    if gap.preposition == "of":
        return None
    if direct and not gap.preposition:
        return _of_object(gap, after, clause, be=be)
    if after.startswith(" of"):
        return None
    if gap.tail in {"before", "after", "later", "earlier"}:
        return None  # than what, is said elsewhere
    tail = f" {gap.tail}" if gap.tail else ""
    if gap.preposition:
        if be and direct and gap.kind not in {"date", "clock"}:
            return None
        front = _of_phrase(gap)
        return None if front is None else (front + tail, after)
    if gap.kind == "duration" and (gap.tail.startswith(("ahead", "before", "in advance", "after", "later", "earlier"))):
        limit = f"{gap.limit} " if gap.limit in {"at least", "up to", "at most"} else ""
        return f"{limit.capitalize()}{'how' if limit else 'How'} many {_plural(gap.noun)}{tail}", after
    if gap.kind == "money" and gap.limit in {"up to", "at least", "at most"} and not clause.verb:
        return f"{gap.limit.capitalize()} what amount", f"{tail}{after}"
    if gap.limit in {"up to", "at least", "at most"} and gap.kind in {"temperature", "percent"}:
        what = "temperature" if gap.kind == "temperature" else "percentage"
        return f"{gap.limit.capitalize()} what {what}", after
    if (
        be
        or _PARTICIPLE.match(before) is None
        or gap.kind not in {"count", "duration", "money", "measure"}
        or before.count(" ") > 1
    ):
        return None
    # the object of the verb after an auxiliary: may store up to 5 files
    return ("How much" if gap.kind == "money" else f"How many {_plural(gap.noun)}"), f"{tail}{after}"


def _of_object(gap: QuantityPhrase, after: str, clause: EnglishClause, *, be: bool) -> tuple[str, str] | None:
    tail = f" {gap.tail}" if gap.tail else ""
    if be:
        first = gap.tail.split(" ")[0]
        if first in _LONG:
            return f"How {first}", after
        definite = clause.subject.split(" ")[0] in {"the", "your", "each", "every"} or (
            clause.auxiliary == "is" and clause.subject[:1].isupper()
        )
        if gap.kind in {"count", "duration"} and not re.search(
            r"\b(?:period|time|limit|term|number|maximum|minimum|age|capacity|size|length|interval)\b", clause.subject
        ):
            return None
        return ("What", f"{tail}{after}") if definite else None
    if gap.tail.split(" ")[0] in _LONG:
        return None
    of = re.match(
        r" of [A-Za-z -]+?(?= (?:in|on|at|for|from|to|with|per|by|during|each|every|within|as|before|after)\b|$)", after
    )
    kept = after[of.end() :] if of else after
    counted = of.group() if of else ""
    if gap.kind == "money":
        return None if counted else ("How much", f"{tail}{after}")
    if gap.kind == "duration" and clause.verb in _LASTING:
        return None if counted else ("How long", f"{tail}{after}")
    if gap.kind in {"duration", "measure", "count"}:
        limit = gap.limit if gap.limit in {"at least", "at most", "up to"} else ""
        how = f"{limit.capitalize()} how" if limit else "How"
        return f"{how} many {_plural(gap.noun)}{counted}", f"{tail}{kept}"
    if gap.kind == "percent" and counted:
        return f"What percentage{counted}", kept
    return None


def _of_phrase(gap: QuantityPhrase) -> str | None:
    """Return *Within how many days* for *within 3 days*, *By what date* for *by 31 March*."""
    preposition = gap.preposition.capitalize()
    limit = f"{gap.limit} " if gap.limit in {"up to", "at least", "at most", "more than", "less than"} else ""
    if gap.preposition == "every" and gap.kind in {"duration", "measure"}:
        return "How often" if gap.kind == "duration" else None
    if gap.kind == "clock" and gap.preposition in {"at", "by", "until", "from", "before", "after"}:
        return f"{preposition} what time"
    if gap.kind == "date" and gap.preposition in {"by", "on", "until", "from", "after", "before", "in"}:
        return f"{preposition} what date" if gap.preposition != "in" else "When"
    if gap.kind == "duration" and gap.preposition in {
        "within",
        "for",
        "after",
        "before",
        "on",
        "in",
        "over",
        "during",
        "until",
    }:
        if gap.preposition == "for" and limit.strip() in {"", "up to"} and not gap.tail:
            return "For how long"
        return f"{preposition} {limit}how many {_plural(gap.noun)}"
    if gap.kind == "temperature" and gap.preposition in {"at", "to", "above", "below"}:
        return f"{preposition} what temperature"
    if gap.kind == "money" and gap.preposition in {"from", "for", "to", "above", "below", "at"}:
        return f"{preposition} what amount" if gap.preposition != "for" else "For how much"
    if gap.kind == "percent" and gap.preposition in {"by", "at"}:
        return f"{preposition} what percentage"
    if (
        gap.kind == "count"
        and gap.preposition in {"on", "after", "with", "from", "in", "to", "for"}
        and gap.preposition != "in"
    ):
        return f"{preposition} {limit}how many {_plural(gap.noun)}"
    return None


def _plural(noun: str) -> str:
    first = noun.split(" ")[-1]
    if first.endswith("s") or first in {
        "ms",
        "ml",
        "kg",
        "g",
        "cm",
        "km",
        "m",
        "mm",
        "feet",
        "bar",
        "dB",
        "kWh",
        "kW",
        "W",
        "V",
        "A",
        "GB",
        "MB",
        "KB",
        "TB",
        "mL",
        "mg",
        "Hz",
        "kHz",
        "MHz",
        "GHz",
        "GiB",
        "MiB",
    }:
        return noun
    return f"{noun}s" if first != "inch" else "inches"


_SUBJECT = re.compile(r"(?P<noun>(?: [a-z-]+){0,4}) (?P<verb>is|are|was|were|can|may|must|should|will) (?P<rest>.+)$")


def _about_subject(sentence: str, gap: QuantityPhrase) -> str | None:
    """Return *How many unused days are carried over …?* for *Up to 5 unused days are carried over …*."""
    begin, end = _part(sentence, gap)
    if gap.start != begin or gap.preposition:
        return None
    found = _SUBJECT.match(sentence, gap.end, end)
    if (
        found is None
        or re.search(r"\b(?:not|never|no|ten|two|three)\b|\d", found["rest"])
        or len(found["rest"]) > _MOST_AFTER
    ):
        return None
    noun = f"{gap.noun}{found['noun']}"
    if re.search(r"ones$|ones\b|\b(?:whose|that|which|who)\b", noun):
        return None
    if gap.kind == "money":
        return None if found["noun"] else f"How much {gap.tail} {found['verb']} {found['rest']}"
    if gap.kind not in {"count", "duration", "measure"}:
        return None
    return f"How many {noun} {found['verb']} {found['rest']}"


# ------------------------------------------------------------------------------------------ whole sentences


_IS = re.compile(r"^(?P<term>[^,;:.]{2,50}?) (?P<be>is) (?:an?|the|one of the) [a-z].{12,}$")
_MEANS = re.compile(r"^(?P<term>[^,;:.]{1,40}?) (?P<verb>means|stands for|refers to) .{8,}$")
_TODO = re.compile(
    r"^(?P<when>If|When|Whenever|Before|After|To) (?P<case>[^,;:]{6,110}), (?:please )?(?P<main>(?:you (?:must|should|have to|need to) )?[a-z]+\b.{6,})$"
)
_IMPERATIVE = frozenset(
    """add adjust allow ask attach avoid call change check choose clean clear click close complete confirm connect consult
    contact copy create cut delete disconnect do download drain enter fill follow give go hold inform install keep leave let
    lift lock log look lower make mount move notify open pass pay place press print pull push put raise read record refill
    release remove repeat replace report request reset restart return rinse run save scan select send set sign speak start
    stop submit switch take talk tell test turn unlock unplug update upload use wait wash wipe write you""".split()  # noqa: SIM905 - a list of words
)
_NEEDED = re.compile(
    r"^(?:An?|The) [^,;:.]{3,50}? (?P<be>is|are) (?P<how>needed|required|necessary) (?P<for>(?:for|to|if|when|before|from) [^,;:]{6,80})"
)
_BECAUSE = re.compile(r"^(?P<main>[^,;:]{8,90}?),? because (?:of )?.{8,}$")


def _definition(sentence: str, passage: str) -> Posed | None:
    if found := _MEANS.match(sentence):
        term = lowered(found["term"], passage)
        if _is_term(found["term"]):
            verb = {"means": "mean", "stands for": "stand for", "refers to": "refer to"}[found["verb"]]
            return Posed(f"What does {term} {verb}?", "definition")
    if found := _IS.match(sentence):
        if _is_term(found["term"]) and not gaps(found["term"]) and not found["term"].startswith("The "):
            return Posed(f"What {found['be']} {lowered(found['term'], passage)}?", "definition")
    return None


_BETWEEN = frozenset(
    "in on at by to from with among against between under over after before into than as if when within inside near along beyond during outside like unlike".split()
)  # noqa: SIM905 - a list of words
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday today".split())  # noqa: SIM905 - a list of words


def _is_term(text: str) -> bool:
    """Return whether the text is a noun that can be asked about alone: few words, one of them not an everyday one."""
    words = text.split()
    plain = [word.strip('`"“”').lower() for word in words]
    if (
        not 1 <= len(words) <= 5
        or depends(text)
        or plain[0] in {"what", "how", "of", "one", "all", "each", "every", "and", "no", "some", "any", "most"}
    ):
        return False
    if set(plain) & {
        "is",
        "are",
        "was",
        "were",
        "can",
        "may",
        "must",
        "will",
        "has",
        "have",
        "does",
        "do",
        "you",
        "your",
        "not",
        "first",
        "last",
        "only",
    }:
        return False
    if {*plain[1:]} & _BETWEEN or plain[0] in _BETWEEN or plain[0].endswith("ly") or not any(map(str.isalpha, text)):
        return False
    return not all(is_common(word) and not any(map(str.isdigit, word)) for word in plain) and plain[0] not in _DAYS


def _condition(sentence: str) -> Posed | None:
    found = _TODO.match(sentence)
    if found is None or found["main"].split(" ")[0] not in _IMPERATIVE:
        return None
    main, case = found["main"], found["case"]
    if main.startswith("you ") and not re.match("you (?:must|should|have to|need to) ", main):
        return None
    if main.startswith(("do not ", "you must not ", "you should not ", "do nothing")):
        return None
    when = found["when"].lower()
    if when == "to":
        return Posed(f"How do you {case}?", "condition")
    return Posed(f"What should you do {when} {case}?", "condition")


def _requirement(sentence: str) -> Posed | None:
    found = _NEEDED.match(sentence)
    return (
        None
        if found is None
        else Posed(f"What {found['be'].replace('are', 'is')} {found['how']} {found['for']}?", "requirement")
    )


def _reason(sentence: str, passage: str) -> Posed | None:
    found = _BECAUSE.match(sentence)
    if found is None:
        return None
    clause = clause_of(sentence, 0, found.end("main"), passage)
    if clause is None or clause.intro:
        return None
    verb = f" {clause.verb}" if clause.verb else ""
    return Posed(
        f"Why {clause.auxiliary} {clause.subject}{verb}{sentence[clause.rest_start : found.end('main')]}?", "reason"
    )
