"""Questions that a whole English sentence answers: what something is, why, what is needed, what to do in a case."""

import re
from collections.abc import Iterator

from saiten.testsets.offline.english_clauses import clause_of, depends, lowered
from saiten.testsets.offline.english_quantities import gaps
from saiten.testsets.offline.posed import Posed
from saiten.text.common_words import is_common

_IS = re.compile(r"^(?P<term>[^,;:.]{2,50}?) is (?:an?|the|one of the) [a-z].{12,}$")
_MEANS = re.compile(r"^(?P<term>[^,;:.]{1,40}?) (?P<verb>means|stands for|refers to) .{8,}$")
_TODO = re.compile(
    r"^(?P<when>If|When|Whenever|Before|After|To) (?P<case>[^,;:]{6,110}), (?:please )?"
    r"(?P<main>(?:you (?:must|should|have to|need to) )?(?P<verb>[a-z]+)\b.{6,})$"
)
_FORBIDDEN = ("do not ", "you must not ", "you should not ", "do nothing")
_IMPERATIVES = frozenset(
    """add adjust allow ask attach avoid call change check choose clean clear click close complete confirm connect
    consult contact copy create cut delete disconnect do download drain enter fill follow give go hold inform
    install keep leave let lift lock log look lower make mount move notify open pass pay place press print pull
    push put raise read record refill release remove repeat replace report request reset restart return rinse run
    save scan select send set sign speak start stop submit switch take talk tell test turn unlock unplug update
    upload use wait wash wipe write you""".split()  # noqa: SIM905 - a list of words
)
_NEEDED = re.compile(
    r"^(?:An?|The) [^,;:.]{3,50}? (?:is|are) (?P<how>needed|required|necessary) "
    r"(?P<case>(?:for|to|if|when|before|from) [^,;:.]{6,80})"
)
_BECAUSE = re.compile(r"^(?P<main>[^,;:]{8,90}?),? because (?:of )?.{8,}$")


def questions_of_whole(sentence: str, passage: str) -> Iterator[Posed]:
    """Yield the questions; `sentence` is without its full stop, `passage` the text it is from."""
    for made in (
        _definition(sentence, passage),
        _condition(sentence),
        _requirement(sentence),
        _reason(sentence, passage),
    ):
        if made is not None:
            yield made


def _definition(sentence: str, passage: str) -> Posed | None:
    found = _MEANS.match(sentence)
    if found and _is_term(found["term"]):
        verb = {"means": "mean", "stands for": "stand for", "refers to": "refer to"}[found["verb"]]
        return Posed(f"What does {lowered(found['term'], passage)} {verb}?", "definition")
    found = _IS.match(sentence)
    if found and _is_term(found["term"]) and not gaps(found["term"]) and not found["term"].startswith("The "):
        return Posed(f"What is {lowered(found['term'], passage)}?", "definition")
    return None


_NO_TERM = frozenset(
    """what how of one all each every and no some any most monday tuesday wednesday thursday friday saturday
    sunday today is are was were can may must will has have does do you your not first last only in on at by to
    from with among against between under over after before into than as if when within inside near along beyond
    during outside like unlike""".split()  # noqa: SIM905 - a list of words
)


def _is_term(text: str) -> bool:
    """Return whether the text is a noun that can be asked about alone: few words, one of them not an everyday one."""
    plain = [word.strip('`"“”').lower() for word in text.split()]
    if not 1 <= len(plain) <= 5 or depends(text) or plain[0].endswith("ly") or not any(map(str.isalpha, text)):
        return False
    return _NO_TERM.isdisjoint(plain) and any(not is_common(word) or re.search(r"\d", word) for word in plain)


def _condition(sentence: str) -> Posed | None:
    found = _TODO.match(sentence)
    if found is None or found["verb"] not in _IMPERATIVES or found["main"].startswith(_FORBIDDEN):
        return None
    if found["when"] == "To":
        return Posed(f"How do you {found['case']}?", "condition")
    return Posed(f"What should you do {found['when'].lower()} {found['case']}?", "condition")


def _requirement(sentence: str) -> Posed | None:
    found = _NEEDED.match(sentence)
    return None if found is None else Posed(f"What is {found['how']} {found['case']}?", "requirement")


def _reason(sentence: str, passage: str) -> Posed | None:
    found = _BECAUSE.match(sentence)
    clause = clause_of(sentence, 0, found.end("main"), passage) if found else None
    if found is None or clause is None or clause.intro:
        return None
    verb = f" {clause.verb}" if clause.verb else ""
    rest = sentence[clause.rest_start : found.end("main")]
    return Posed(f"Why {clause.auxiliary} {clause.subject}{verb}{rest}?", "reason")
