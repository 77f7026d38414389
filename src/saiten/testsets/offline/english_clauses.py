"""Simple English clauses, taken apart into subject, verb and rest: enough to put a question word first.

There is no parser here. A clause counts only if its words leave no doubt: its subject has no pronoun and no clause in
it, and its verb is an auxiliary or one of those that sentences with quantities are made of.
"""

import re
from typing import NamedTuple

from saiten.text.common_words import is_common

_AUXILIARIES = frozenset("is are was were can could may might must should shall will would has have had".split())  # noqa: SIM905 - a list of words
_VERBS = frozenset(
    """last take cost hold weigh contain use need require receive get seat run support allow pay earn cover
    include measure serve store keep charge start begin end open close expire wait offer provide save add raise
    reduce wash travel work employ fall rise grow produce generate handle process send return accept reject show
    print retry stop lock deduct grant award remain stay apply return lead consist belong arrive leave meet reach
    exceed drop refund deliver ship replace review publish attract host house span comprise consume yield stand
    lie""".split()  # noqa: SIM905 - as above
)
_IRREGULAR = {
    "took": "take", "cost": "cost", "held": "hold", "got": "get", "ran": "run", "paid": "pay", "kept": "keep",
    "began": "begin",
    "fell": "fall", "rose": "rise", "grew": "grow", "sent": "send", "showed": "show", "led": "lead", "left": "leave",
    "met": "meet",
    "stood": "stand", "lay": "lie", "spent": "spend", "won": "win", "sold": "sell", "built": "build", "made": "make",
}  # fmt: skip
_PRONOUNS = frozenset(
    """it they he she we i this that these those there what which who whoever whatever here such so and or but if
    when while because since unless although though whether where how not never nobody nothing none only also then
    than both either neither its their his her our us them him some others another one ones no yet together later
    once even just""".split()  # noqa: SIM905 - as above
)
_NO_END = frozenset(
    """of in on at to by for from with without a an the and or as than per every each any more most very up out
    own both no""".split()  # noqa: SIM905 - a list of words
)
_WORD = re.compile(r"[^\s]+")
_LONGEST_SUBJECT = 9
_DEPENDENT = re.compile(
    r"\b(?:it|they|them|this|that|these|those|then|there|he|she|him|we|us|our|such|otherwise|latter|former|here|same|"
    r"so|"
    r"above|below|following|whoever|whatever|others?|another|instead|therefore|thus|however|also|too|as well)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:that|which) (?:is|are|was|were|has|have|can|may|must|will|the|you|employees|users|customers)\b|\bso that\b"
)
_NOMINAL = re.compile(
    r"(?:tion|sion|ment|ness|ity|ance|ence|age|ship|ing|ery|ism|ure|cy|ers?|ors?|ies|ts|ds|es|ns|ks|ms|ps|ls)$"
)


class EnglishClause(NamedTuple):
    """*Laptops are replaced every 4 years* without its full stop."""

    subject: str
    """As in the middle of a sentence: *the laptops*."""
    auxiliary: str
    """The verb that goes before the subject in a question: *are*, *does*."""
    verb: str
    """The rest of the verb in a question after *does* or *did*: *last*; else empty."""
    rest_start: int
    """Where the rest begins in the sentence."""
    intro: str
    """*after probation*, for a clause that begins with it; "" if there is none."""


def clause_of(sentence: str, start: int, end: int, passage: str) -> EnglishClause | None:
    """Return the clause in `sentence[start:end]`, None if it is not a plain one."""
    intro = _INTRO.match(sentence, start, end)
    begin = intro.end() if intro else start
    words = list(_WORD.finditer(sentence, begin, end))[: _LONGEST_SUBJECT + 1]
    for at, word in enumerate(words[1:], start=1):
        subject = sentence[begin : words[at - 1].end()]
        following = words[at + 1].group().lower() if at + 1 < len(words) else ""
        found = _verb(word.group(), following, subject)
        if found is None:
            continue
        before = sentence[start : intro.end() - 2] if intro else ""
        if not before and words[0].group().lower() in _PREPOSITIONS:
            before, subject = _apart(subject)
        if not subject or not _is_subject(subject.split(" ")):
            return None
        auxiliary, verb = found
        rest = words[at + 1].end() if verb == "have to" else word.end()
        plain = subject if before else lowered(subject, passage)
        return EnglishClause(plain, auxiliary, verb, rest, f"{before[:1].lower()}{before[1:]}")
    return None


_PREPOSITIONS = frozenset(
    """in on at for after before during by with without from outside within under until between of to""".split()  # noqa: SIM905 - a list of words
)


def _apart(text: str) -> tuple[str, str]:
    """Split *During probation the notice period* before its last article; the second part is empty without one."""
    found = re.match(r"(?P<intro>\S+ .+) (?P<subject>(?:the|an?) .+)$", text)
    return (found["intro"], found["subject"]) if found else (text, "")


_INTRO = re.compile(
    r"(?:In|On|At|For|After|Before|During|By|With|Without|From|Outside|Within|Under|Until|As of|Between) "
    r"(?:(?!\b(?:it|they|this|that|these|those"
    r"|he|she|we|is|are|was|were|has|have)\b)[^,;:]){3,50}, "
)


def _verb(word: str, following: str, subject: str) -> tuple[str, str] | None:
    """Return (auxiliary, verb) if the word is the verb of the clause; the verb is "" after *is* and the like."""
    low = word.lower()
    if low in _HAVE:
        to = following == "to" and low != "had"
        return _HAVE[low], "have to" if to else "have"
    if low in _AUXILIARIES:
        return low, ""
    return None if following in _AUXILIARIES else _full_verb(low, subject)


_HAVE = {"has": "does", "have": "do", "had": "did"}


def _full_verb(low: str, subject: str) -> tuple[str, str] | None:
    if low in _VERBS:
        return ("do", low) if re.search(r"(?<!s)s$|\bpeople$|^you$", subject, re.IGNORECASE) else None
    base = _singular(low)
    if base in _VERBS:
        return "does", base
    past = _IRREGULAR.get(low) or _past(low)
    return ("did", past) if past else None


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else ""


def _past(word: str) -> str:
    if not word.endswith("ed"):
        return ""
    return next((base for base in (word[:-1], word[:-2], word[:-3]) if base in _VERBS), "")


def _is_subject(words: list[str]) -> bool:
    """Return whether the words are a noun with its article and what describes it, and no more."""
    low = [word.lower().strip("`\"'“”") for word in words]
    if any(word[-1] in ",;:." for word in words) or low[-1] in _NO_END or low == ["i"]:
        return False
    if any(each in _PRONOUNS or each in _AUXILIARIES for each in low):
        return False
    if any(re.fullmatch(r"\d[\d.,]*|[a-z]'s|two|three|four|five|ten", each) for each in low):
        return False
    return low[-1] not in {"the", "a", "an"} and not (len(low) == 1 and low[0] in {"please", "do", "note", "see"})


_DETERMINERS = frozenset("The A An Every Each All Any Most Your New Large Small Old".split())  # noqa: SIM905 - as above


def lowered(text: str, passage: str) -> str:
    """Return the text as in the middle of a sentence: its first word with a small letter, unless it is a name."""
    first, _, rest = text.partition(" ")
    if first in _DETERMINERS:
        return text[0].lower() + text[1:]
    if any(map(str.isupper, first[1:])) or not first[:1].isupper() or any(map(str.isdigit, first)):
        return text
    small = first[0].lower() + first[1:]
    if (
        rest[:1].isupper()
        or rest[:1].isdigit()
        or (re.search(rf"[a-z,] {re.escape(first)}\b", passage) and small not in passage)
    ):
        return text  # a name, or a capital in the middle of a sentence
    plural = first.endswith("s") and not first.endswith("ss")
    known = bool(rest) or plural or re.search(rf"\b{re.escape(small)}\b", passage) or _NOMINAL.search(small)
    return f"{small} {rest}".strip() if known or (len(small) > 3 and is_common(small)) else text


def depends(text: str) -> bool:
    """Return whether the text refers to something outside it; a relative clause does not."""
    return bool(_DEPENDENT.search(_RELATIVE.sub(" ", text)))
