"""The leak check: did the agents say for the system what it never said?

The composer may not add what stands only in the reference, and the questioner may not tell it to the system. Both are
asked so; this holds them to it. Words are compared as the offline judge does, by their content units, so a paraphrase
of the reference is not seen.
Source: spec 02, the last of the rules; what counts as a question that states is ours.
"""

import re

from saiten.dialogue.dialogue import Dialogue, Leak
from saiten.text.sentences import split_sentences
from saiten.text.words import in_order, normalise, units_of

_ASKS = re.compile(
    r"[?？]\s*$|か[。．.]?\s*$|(?:ください|下さい|教えて|ましょう|どう)[。．.]?\s*$"
    r"|^\s*(?:please|could|can|would|tell|explain|describe|what|which|who|when|where|why|how|is|are|does|do|did)\b",
    re.IGNORECASE,
)
"""What asks or requests; any other sentence of a question states something."""

_STATED = 2
"""So many words that only the reference has make a statement of them; of numbers one is enough."""


def find_leak(dialogue: Dialogue) -> Leak:
    """The leak check of a dialogue, also of one that failed in the middle."""
    reference = _units(dialogue.reference)
    heard: set[str] = set()
    stating = []
    for number, turn in enumerate(dialogue.history, start=1):
        # The pair's own question opens the first turn; each later one is held against what was said before it.
        if number > 1 and any(_states(sentence, reference, heard) for sentence in _statements(turn.question, dialogue)):
            stating.append(number)
        heard |= _units(f"{turn.question}\n{turn.answer}")
    words = in_order(normalise(dialogue.answer).lower())
    leaked = tuple(word for word in words if _only_in(word, reference, heard))
    return Leak(len(leaked) / len(words) if words else None, leaked, tuple(stating))


def _statements(question: str, dialogue: Dialogue) -> list[str]:
    found = [question[each.start : each.end] for each in split_sentences(question, dialogue.language)]
    return [sentence for sentence in found if not _ASKS.search(sentence)]


def _states(sentence: str, reference: set[str], heard: set[str]) -> bool:
    words = [word for word in in_order(normalise(sentence).lower()) if _only_in(word, reference, heard)]
    return len(words) >= _STATED or any(character.isdigit() for word in words for character in word)


def _only_in(word: str, reference: set[str], heard: set[str]) -> bool:
    units = units_of(word)
    return bool(units) and units <= reference and not units <= heard


def _units(text: str) -> set[str]:
    return units_of(normalise(text).lower())
