"""The leak check: whether the agents credited the system with something it never said.

The composer may not add, and the questioner may not reveal to the system, content that is only in the reference. Their
prompts say so; this checks it. Words are compared by content units, as in the offline judge, so paraphrases of the
reference are missed. A number that the system denied, or a claim whose negation it stated, does not count as said.
Source: spec 02, the last of the rules; the definitions of a stating question and of a denial are saiten's own.
"""

from saiten.dialogue.claims import claims, denies, said_on
from saiten.dialogue.dialogue import Dialogue, Leak
from saiten.dialogue.statements import statements
from saiten.records import Language, Turn
from saiten.text.refusals import is_refusal
from saiten.text.words import content_units, has_digit, in_order, normalize, units_of

_HELPERS = frozenset("行使用出来見言成致様事物時")
"""Kanji of words that only help others: 支払いは社員証で行います is 社員証で支払います."""


def find_leak(dialogue: Dialogue) -> Leak:
    """Check a dialogue for leaks, including one that failed in the middle."""
    reference = content_units(dialogue.reference)
    heard = {unit for turn in dialogue.earlier for unit in content_units(turn.question) | content_units(turn.answer)}
    stating = []
    for number, turn in enumerate(dialogue.history, start=1):
        # The pair's own question opens the first turn; each later one is compared with what was said before it. A user
        # who is on record may say anything.
        said = statements(turn.question, dialogue.language) if number > 1 and not dialogue.recorded else []
        if any(_states(statement, reference, heard) for statement in said):
            stating.append(number)
        heard |= _heard_on(turn, number, dialogue.language)
    words = in_order(normalize(dialogue.answer).lower())
    turned = _turned_round(dialogue)
    leaked = tuple(
        word
        for word in words
        if _only_in(word, reference, heard) or (units_of(word) <= reference and units_of(word) & turned)
    )
    return Leak(len(leaked) / len(words) if words else None, leaked, tuple(stating))


def _heard_on(turn: Turn, number: int, language: Language) -> set[str]:
    """Return the units of a turn, without numbers in a follow-up question that the answer does not confirm."""
    asked, said = content_units(turn.question), content_units(turn.answer)
    if number > 1 and (denies(turn.answer) or is_refusal(turn.answer, language)):
        asked = {unit for unit in asked if not has_digit(unit)}
    return asked | said


def _turned_round(dialogue: Dialogue) -> set[str]:
    """Return the units of final-answer sentences that contradict the system and agree with the reference.

    Sentences that the system also said itself, at any time, do not count.
    """
    language = dialogue.language
    meant = list(claims(dialogue.reference, language))
    said = [claim for number, turn in enumerate(dialogue.history, 1) for claim in said_on(turn, number, language)]
    turned: set[str] = set()
    for claim in claims(dialogue.answer, language):
        about = [other.negated for other in said if other.is_about(claim)]
        as_meant = any(other.is_about(claim) and other.negated == claim.negated for other in meant)
        if as_meant and about and claim.negated not in about:
            turned |= claim.units
    return turned


def _states(statement: str, reference: set[str], heard: set[str]) -> bool:
    """Return whether two of its words, or one number, are found only in the reference."""
    words = [word for word in in_order(normalize(statement).lower()) if _only_in(word, reference, heard)]
    return len(words) >= 2 or any(map(has_digit, words))


def _only_in(word: str, reference: set[str], heard: set[str]) -> bool:
    units = units_of(word) - _HELPERS
    return bool(units) and units <= reference and not units <= heard
