"""The leak check: did the agents say for the system what it never said?

The composer may not add what stands only in the reference, and the questioner may not tell it to the system. Both are
asked so; this checks that they did. Words are compared as the offline judge does, by their content units, so a
paraphrase of the reference is not seen. A number that the system was asked to confirm and denied was not said by it,
nor was a claim whose negation it stated.
Source: spec 02, the last of the rules; the definitions of a stating question and of a denial are our own.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from saiten.dialogue.dialogue import Dialogue, Leak
from saiten.records import Language, Turn
from saiten.text.polarity import is_negated, opens_with
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import in_order, normalise, units_of

_ASKS = re.compile(
    r"[?？]\s*$|か[。．.]?\s*$|(?:ください|下さい|教えて|ましょう|どう)[。．.]?\s*$"
    r"|^\s*(?:please|could|can|would|tell|explain|describe)\b"
    r"|^\s*(?:what|which|who|when|where|why|how|is|are|does|do|did)\b.*(?<![.])\s*$",
    re.IGNORECASE | re.DOTALL,
)
"""What asks or requests; any other sentence states something: *when …* with a full stop is no question."""

_TELLS = re.compile(
    r"\bplease (?:note|remember|be aware|keep in mind)\b"
    r"|(?:^\s*|\bplease )(?:repeat|answer (?:that|with)|say(?! (?:whether|if|what|which|who|when|where|why|how)\b))\b"
    r"|と(?:いうことを)?(?:言って|答えて|回答して|書いて|述べて|繰り返して|覚えて|理解して)(?:ください|下さい|[。．.]?$)",
    re.IGNORECASE,
)
"""Tells the system something, or what it is to say, in the form of a request."""

_CONFIRMS = re.compile(
    r"^\W*(?:(?:is|was|are) (?:this|that|it|these|they) (?:right|so|correct|true|the case)|right|correct|true"
    r"|(?:can|could|would) you (?:please )?confirm\b.{0,20})\W*$"
    r"|^\W*(?:この|その)?(?:これ|それ|理解|認識|こと|通り)?[でがはのに]*"
    r"(?:正しい|合って(?:い)?ます|よろしい|本当|間違いない|間違いありません|相違ありません|そう)(?:でしょう|です)?か\W*$",
    re.IGNORECASE,
)
"""Asks whether what stands before it is so, and nothing else."""

_CLAUSE = re.compile(
    r"[;；]|\s[-–—]\s|—"
    r"|(?:^|(?<=[.!?;]\s))\s*(?:since|because|as|given(?: that)?|now that|knowing(?: that)?|i (?:know|see|understand)"
    r"|we know|according to)\b[^,?？;]{0,300},"
    r"|(?:です|ます|でした|ました|ません|だ|る|た|い|ん)(?:が|ので|から|ため|けれども?|けど)、",
    re.IGNORECASE,
)
"""The end of a clause that the rest of its sentence takes for granted: *since …, what …?*, …ですが、…か。"""

_TOPIC = re.compile(r"(?:について|に関して)(?:なの|なん)?(?:です|だ)?(?:が|けれども?|けど)、$")
"""…についてですが、 names what is asked about."""

_STATED = 2
"""So many words that only the reference has make a statement of them; of numbers one is enough."""

_DENIES = re.compile(
    r"^\W*(?:(?:that|this|it)(?: is|['’]s) (?:not|in)\s?(?:correct|right|true|so|the case)\b"
    r"|(?:i['’]m |i am )?(?:sorry|afraid),? (?:but )?no\b|(?:unfortunately|actually),? no\b"
    r"|not (?:quite|exactly|really)\b"
    r"|(?:その|この)?(?:理解|認識|内容)?(?:は|が)?(?:そう|正しく|そのよう)(?:では|は)?(?:あり|ござい)?ませ)",
    re.IGNORECASE,
)
"""Denies what was asked without opening with a plain no."""

_OPENING = re.compile(r"^\W*(?:yes|yeah|yep|nope|no|はい|ええ|いいえ|いえ)(?![a-z])[\s,.、。:：;-]*", re.IGNORECASE)
"""The yes or no before what an answer says; *No, it keeps them* negates the question, not the keeping."""

_SAME_CLAIM = 0.8
"""The share of the shorter claim's units that the other has where both claim the same thing, or its contrary."""


class _Claim(NamedTuple):
    """A sentence as far as it is compared: its content units, and whether it is negated."""

    units: frozenset[str]
    negated: bool

    def is_about(self, other: "_Claim") -> bool:
        shared, shorter = len(self.units & other.units), min(len(self.units), len(other.units))
        return shared >= _STATED and shared >= _SAME_CLAIM * shorter


def find_leak(dialogue: Dialogue) -> Leak:
    """Check a dialogue for leaks, including one that failed in the middle."""
    reference = _units(dialogue.reference)
    heard: set[str] = set()
    stating = []
    for number, turn in enumerate(dialogue.history, start=1):
        # The pair's own question opens the first turn; each later one is compared with what was said before it.
        if number > 1 and any(_states(sentence, reference, heard) for sentence in _statements(turn.question, dialogue)):
            stating.append(number)
        heard |= _heard_on(turn, number, dialogue.language)
    words = in_order(normalise(dialogue.answer).lower())
    turned = _turned_round(dialogue)
    leaked = tuple(
        word
        for word in words
        if _only_in(word, reference, heard) or (units_of(word) <= reference and units_of(word) & turned)
    )
    return Leak(len(leaked) / len(words) if words else None, leaked, tuple(stating))


def _heard_on(turn: Turn, number: int, language: Language) -> set[str]:
    """The units of a turn, without the numbers of a follow-up question that the answer does not confirm."""
    asked, said = _units(turn.question), _units(turn.answer)
    if number > 1 and (_denies(turn.answer) or is_refusal(turn.answer, language)):
        asked = {unit for unit in asked if not _has_digit(unit)}
    return asked | said


def _turned_round(dialogue: Dialogue) -> set[str]:
    """The units of the final answer's sentences that claim the contrary of what the system said, as the reference does.

    A sentence that the system also said itself, at any time, is no such sentence.
    """
    language = dialogue.language
    meant = list(_claims(dialogue.reference, language))
    said = [claim for number, turn in enumerate(dialogue.history, 1) for claim in _said_on(turn, number, language)]
    turned: set[str] = set()
    for claim in _claims(dialogue.answer, language):
        about = [other.negated for other in said if other.is_about(claim)]
        as_meant = any(other.is_about(claim) and other.negated == claim.negated for other in meant)
        if as_meant and about and claim.negated not in about:
            turned |= claim.units
    return turned


def _said_on(turn: Turn, number: int, language: Language) -> Iterator[_Claim]:
    """What the answer claims, and what it makes of the follow-up question by opening with yes or no."""
    yield from _claims(_OPENING.sub("", turn.answer), language)
    opening = opens_with(normalise(turn.answer).lower())
    denied = _denies(turn.answer)
    if number > 1 and (opening or denied):
        for claim in _claims(turn.question, language):
            yield _Claim(claim.units, claim.negated != denied)


def _denies(answer: str) -> bool:
    return opens_with(normalise(answer).lower()) is False or bool(_DENIES.search(answer))


def _claims(text: str, language: Language) -> Iterator[_Claim]:
    for sentence in split_sentences(text, language):
        lowered = normalise(sentence.text).lower()
        yield _Claim(frozenset(units_of(lowered)), is_negated(lowered))


def _statements(question: str, dialogue: Dialogue) -> list[str]:
    """The pieces of a question that state, those left out that the next piece asks to confirm."""
    pieces = [
        piece
        for sentence in split_sentences(question, dialogue.language)
        for piece in _clauses(question[sentence.start : sentence.end])
    ]
    return [
        piece
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=True)
        if _TELLS.search(piece) or not (_ASKS.search(piece) or _TOPIC.search(piece) or _CONFIRMS.search(after))
    ]


def _clauses(sentence: str) -> list[str]:
    """The clauses that the rest takes for granted, then the rest."""
    ends = [0, *(found.end() for found in _CLAUSE.finditer(sentence)), len(sentence)]
    return [piece for begins, end in pairwise(ends) if (piece := sentence[begins:end].strip())]


def _states(sentence: str, reference: set[str], heard: set[str]) -> bool:
    words = [word for word in in_order(normalise(sentence).lower()) if _only_in(word, reference, heard)]
    return len(words) >= _STATED or any(map(_has_digit, words))


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _only_in(word: str, reference: set[str], heard: set[str]) -> bool:
    units = units_of(word)
    return bool(units) and units <= reference and not units <= heard


def _units(text: str) -> set[str]:
    return units_of(normalise(text).lower())
