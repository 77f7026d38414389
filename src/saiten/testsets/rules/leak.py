"""The check of leaks: whether a question already contains its answer.

Words are compared by content units, as everywhere without a model, so that a leak in other words is missed. What counts
is what the reference adds to the question: a number or a name that the question lacks is an answer, however much of the
rest repeats it. A question that *yes* answers gives its answer away by its form.
"""

from typing import Any

from saiten.judges.offline.names import japanese_names, latin_names
from saiten.testsets.items import Checked, SetItem
from saiten.testsets.rules.asking import asks_yes_or_no, names_alternatives
from saiten.text.numbers import claimed_numbers, known_numbers
from saiten.text.words import normalize, units_of

LEAKED = 0.8
"""From this share of the reference's content units in the question, the reference adds next to nothing.

Of 3,019 questions of Natural Questions with their short answers, 32 (1.1 %) reach it or contain their answer, most of
them rightly (*what album is help by the beatles on*); of 280 with long answers (RAGChecker), 4.
"""

_SHORT = 3
"""A reference of at most this many content units must not be in the question as a whole."""


def check_leak(item: SetItem, threshold: float = LEAKED) -> Checked:
    """Return whether the question keeps its answer to itself; `details` has the share found in it.

    Not made for unanswerable questions, whose reference says only that there is no answer. A question with a false
    premise may be answered by yes or no, and repeats what its reference corrects.
    """
    if item.kind in _NOT_CHECKED:
        return Checked("leak", reason=_NOT_CHECKED[item.kind])
    share = leaked_share(item.question, item.reference)
    details: dict[str, Any] = {"share": round(share, 3)}
    reason = ""
    if asks_yes_or_no(item.question):
        reason, details = "yes or no would answer it, and the question suggests which", {"form": "yes_no"}
    elif names_alternatives(item.question):
        pass  # the answer is one of several that the question names
    elif _is_inside(item.question, item.reference):
        reason = f"the question contains its answer: “{item.reference}”"
    elif share >= threshold and not adds_something(item.question, item.reference):
        percent = f"{share:.0%}"
        reason = f"{percent} of the answer's words are in the question already"
    return Checked("leak", passed=not reason, reason=reason, details=details)


_NOT_CHECKED: dict[str, str] = {
    "unanswerable": "an unanswerable question has no answer to give away",
    "false_premise": "the reference of a false premise repeats it to correct it",
}


def leaked_share(question: str, reference: str) -> float:
    """Return the share of the reference's content units that the question contains; 0 for a reference without any."""
    asked, meant = (units_of(normalize(text).lower()) for text in (question, reference))
    return len(meant & asked) / len(meant) if meant else 0.0


def adds_something(question: str, reference: str) -> bool:
    """Return whether the reference has a number or a name that the question lacks."""
    asked, meant = normalize(question), normalize(reference)
    known = known_numbers(asked.lower())
    if any(known.isdisjoint(number.readings) for number in claimed_numbers(meant.lower())):
        return True
    lowered = asked.lower()
    return any(name.lower() not in lowered for name in (*latin_names(meant), *japanese_names(meant)))


def _is_inside(question: str, reference: str) -> bool:
    """Return whether a short reference is in the question, word for word."""
    asked, meant = normalize(question).lower(), normalize(reference).lower().strip(" .。!?！？、,\"'“”「」『』")
    units = units_of(meant)
    if not units or len(units) > _SHORT or len(meant) < 2:
        return False
    return (
        f" {meant} " in f" {''.join(sign if sign.isalnum() else ' ' for sign in asked)} "
        if meant.isascii()
        else meant in asked
    )
