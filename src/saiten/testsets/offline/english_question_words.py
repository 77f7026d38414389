"""The question words for quantities in English, and what moves to the front of the sentence with them."""

import re
from typing import NamedTuple

from saiten.testsets.offline.english_clauses import EnglishClause
from saiten.testsets.offline.english_quantities import Kind, QuantityPhrase


class Fronted(NamedTuple):
    """The words of a question before its verb, and those that stay behind, each with its space before it."""

    front: str
    """*How many days of paid leave*, *Within how many days*."""
    behind: str
    """ in a calendar year."""


_BE = frozenset({"is", "are", "was", "were"})
_LONG = frozenset({"long", "wide", "high", "deep", "tall", "thick", "old"})
_LASTING = frozenset({"last", "take", "run", "wait", "remain", "stay", "work", "open"})
_BOUNDS = frozenset({"up to", "at least", "at most"})
_INVARIABLE = frozenset("ml mL kg g mg cm km m mm feet bar dB kWh kW W V A GB MB KB TB GiB MiB Hz kHz MHz GHz".split())  # noqa: SIM905 - a list of units
_PERIOD = re.compile(
    r"\b(?:period|time|limit|term|number|maximum|minimum|age|capacity|size|length|interval|deadline|allowance)\b"
)
"""Subjects that are a number or a period themselves."""
_OF = re.compile(
    r" of [A-Za-z -]+?(?= (?:in|on|at|for|from|to|with|per|by|during|each|every|within|as|before|after)\b|$)"
)
_AFTER_AUXILIARY = re.compile(r"^ (?:(?:only|normally|usually|automatically|always) )?(?:be )?[a-z]+ ?$")

_SPECIAL: dict[tuple[str, Kind], str] = {
    ("every", "duration"): "How often",
    ("in", "date"): "When",
    ("for", "money"): "For how much",
}
_FRONTS: dict[Kind, tuple[frozenset[str], str]] = {
    "clock": (frozenset({"at", "by", "until", "from", "before", "after"}), "{} what time"),
    "date": (frozenset({"by", "on", "until", "from", "after", "before"}), "{} what date"),
    "duration": (
        frozenset({"within", "for", "after", "before", "on", "in", "over", "during", "until"}),
        "{} {}how many {}",
    ),
    "temperature": (frozenset({"at", "to", "above", "below"}), "{} what temperature"),
    "money": (frozenset({"from", "to", "above", "below", "at"}), "{} what amount"),
    "percent": (frozenset({"by", "at"}), "{} what percentage"),
    "count": (frozenset({"on", "after", "with", "from", "to", "for"}), "{} {}how many {}"),
}
"""By kind: the prepositions that may go to the front, and the words that go with them: *Within up to how many days*."""
_WHAT: dict[Kind, str] = {"money": "amount", "temperature": "temperature", "percent": "percentage"}


def fronted(gap: QuantityPhrase, before: str, after: str, clause: EnglishClause) -> Fronted | None:
    """Return what asks for a quantity; None if no rule is safe.

    `before`, `after`: what is between the verb and the quantity, and what follows it.
    """
    direct, be = not before.strip(), clause.auxiliary in _BE and not clause.verb
    if gap.preposition == "of":
        return None
    if direct and not gap.preposition:
        return _what_it_is(gap, after, clause) if be else _object(gap, after, clause)
    if after.startswith(" of") or gap.tail in {"before", "after", "later", "earlier"}:
        return None  # later than what, is said elsewhere
    if gap.preposition:
        front = None if be and direct and gap.kind not in {"date", "clock"} else _with_preposition(gap)
        return None if front is None else Fronted(f"{front}{_space(gap.tail)}", after)
    return _adverb(gap, after, clause) or (None if be else _object_of_second_verb(gap, before, after))


def _what_it_is(gap: QuantityPhrase, after: str, clause: EnglishClause) -> Fronted | None:
    """*The inlet hose is 1.5 m long*, *The daily allowance is £38*."""
    how = gap.tail.split(" ", maxsplit=1)[0]
    if how in _LONG:
        return Fronted(f"How {how}", after)
    named = clause.auxiliary == "is" and clause.subject[:1].isupper()
    definite = clause.subject.split(" ", maxsplit=1)[0] in {"the", "your", "each", "every"} or named
    countable = gap.kind not in {"count", "duration"} or _PERIOD.search(clause.subject)
    return Fronted("What", f"{_space(gap.tail)}{after}") if definite and countable else None


def _object(gap: QuantityPhrase, after: str, clause: EnglishClause) -> Fronted | None:
    """*Passwords have at least 14 characters*, *The DX-40 uses 9.5 litres of water*."""
    if gap.tail.split(" ", maxsplit=1)[0] in _LONG:
        return None
    of = _OF.match(after)
    counted, kept = (of.group(), after[of.end() :]) if of else ("", after)
    behind = f"{_space(gap.tail)}{kept}"
    if gap.kind == "percent":
        return Fronted(f"What percentage{counted}", kept) if counted else None
    if gap.kind == "money" or (gap.kind == "duration" and clause.verb in _LASTING):
        return None if counted else Fronted("How much" if gap.kind == "money" else "How long", behind)
    if gap.kind not in {"duration", "measure", "count"}:
        return None
    limit = gap.limit if gap.limit in _BOUNDS else ""
    return Fronted(f"{_capital(f'{limit} how'.strip())} many {plural(gap.noun)}{counted}", behind)


def _adverb(gap: QuantityPhrase, after: str, clause: EnglishClause) -> Fronted | None:
    """*are booked up to 4 weeks ahead*, *are reimbursed up to £130*."""
    limit = gap.limit if gap.limit in _BOUNDS else ""
    if gap.kind == "duration" and gap.tail.startswith(("ahead", "before", "in advance", "after", "later", "earlier")):
        return Fronted(f"{_capital(f'{limit} how'.strip())} many {plural(gap.noun)} {gap.tail}", after)
    if limit and gap.kind in _WHAT and not clause.verb:
        return Fronted(f"{_capital(limit)} what {_WHAT[gap.kind]}", f"{_space(gap.tail)}{after}")
    return None


def _object_of_second_verb(gap: QuantityPhrase, before: str, after: str) -> Fronted | None:
    """*may store up to 5 files*."""
    if not _AFTER_AUXILIARY.match(before) or gap.kind not in {"count", "duration", "money", "measure"}:
        return None
    word = "How much" if gap.kind == "money" else f"How many {plural(gap.noun)}"
    return Fronted(word, f"{_space(gap.tail)}{after}")


def _with_preposition(gap: QuantityPhrase) -> str | None:
    """Return *Within how many days* for *within 3 days*, *By what date* for *by 31 March*."""
    special = _SPECIAL.get((gap.preposition, gap.kind))
    if special:
        return special
    if (gap.preposition, gap.kind) == ("for", "duration") and gap.limit in {"", "up to"} and not gap.tail:
        return "For how long"
    prepositions, form = _FRONTS.get(gap.kind, (frozenset(), ""))
    limit = f"{gap.limit} " if gap.limit in {*_BOUNDS, "more than", "less than"} else ""
    return form.format(_capital(gap.preposition), limit, plural(gap.noun)) if gap.preposition in prepositions else None


def plural(noun: str) -> str:
    """Return the noun as it is after *how many*: days for day, kg for kg."""
    last = noun.rsplit(" ", maxsplit=1)[-1]
    if last.endswith("s") or last in _INVARIABLE:
        return noun
    return "inches" if last == "inch" else f"{noun}s"


def _space(text: str) -> str:
    return f" {text}" if text else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
