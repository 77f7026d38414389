"""The leak check: whether the agents credited the system with something it never said.

The composer may not add, and the questioner may not reveal to the system, content that is only in the reference. Their
prompts say so; this checks it. Words are compared by content units, as in the offline judge, so paraphrases of the
reference are missed. A number that the system denied, or a claim whose negation it stated, does not count as said.
Source: spec 02, the last of the rules; the definitions of a stating question and of a denial are saiten's own.
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
"""A question or request; any other sentence is a statement: *when …* with a period is not a question."""

_TELLS = re.compile(
    r"\bplease (?:note|remember|be aware|keep in mind)\b"
    r"|(?:^\s*|\bplease )(?:repeat|answer (?:that|with)|say(?! (?:whether|if|what|which|who|when|where|why|how)\b))\b"
    r"|と(?:いうことを)?(?:言って|答えて|回答して|書いて|述べて|繰り返して|覚えて|理解して)(?:ください|下さい|[。．.]?$)",
    re.IGNORECASE,
)
"""A request that gives the system information, or the words to say."""

_CONFIRMS = re.compile(
    r"^\W*(?:(?:is|was|are) (?:this|that|it|these|they) (?:right|so|correct|true|the case)|right|correct|true"
    r"|(?:can|could|would) you (?:please )?confirm\b.{0,20})\W*$"
    r"|^\W*(?:この|その)?(?:これ|それ|理解|認識|こと|通り)?[でがはのに]*"
    r"(?:正しい|合って(?:い)?ます|よろしい|本当|間違いない|間違いありません|相違ありません|そう)(?:でしょう|です)?か\W*$",
    re.IGNORECASE,
)
"""A question that only asks to confirm the text before it."""

_CLAUSE = re.compile(
    r"[;；]|\s[-–—]\s|—"
    r"|(?:^|(?<=[.!?;]\s))\s*(?:since|because|as|given(?: that)?|now that|knowing(?: that)?|i (?:know|see|understand)"
    r"|we know|according to)\b[^,?？;]{0,300},"
    r"|(?:です|ます|でした|ました|ません|だ|る|た|い|ん)(?:が|ので|から|ため|けれども?|けど)、",
    re.IGNORECASE,
)
"""The end of a clause that the rest of its sentence presupposes: *since …, what …?*, …ですが、…か。"""

_TOPIC = re.compile(r"(?:について|に関して)(?:なの|なん)?(?:です|だ)?(?:が|けれども?|けど)、$")
"""…についてですが、 names the topic of the question."""

_STATED = 2
"""Minimum words found only in the reference that make a statement; one number is enough."""

_DENIES = re.compile(
    r"^\W*(?:(?:that|this|it)(?: is|['’]s) (?:not|in)\s?(?:correct|right|true|so|the case)\b"
    r"|(?:i['’]m |i am )?(?:sorry|afraid),? (?:but )?no\b|(?:unfortunately|actually),? no\b"
    r"|not (?:quite|exactly|really)\b"
    r"|(?:その|この)?(?:理解|認識|内容)?(?:は|が)?(?:そう|正しく|そのよう)(?:では|は)?(?:あり|ござい)?ませ)",
    re.IGNORECASE,
)
"""A denial that does not open with a plain no."""

_OPENING = re.compile(r"^\W*(?:yes|yeah|yep|nope|no|はい|ええ|いいえ|いえ)(?![a-z])[\s,.、。:：;-]*", re.IGNORECASE)
"""The opening yes or no of an answer; *No, it keeps them* negates the question, not the keeping."""

_SAME_CLAIM = 0.8
"""Minimum share of the shorter claim's units in the other for both to make the same, or the contrary, claim."""


class _Claim(NamedTuple):
    """A sentence reduced for comparison: its content units, and whether it is negated."""

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
    """Return the units of a turn, without numbers in a follow-up question that the answer does not confirm."""
    asked, said = _units(turn.question), _units(turn.answer)
    if number > 1 and (_denies(turn.answer) or is_refusal(turn.answer, language)):
        asked = {unit for unit in asked if not _has_digit(unit)}
    return asked | said


def _turned_round(dialogue: Dialogue) -> set[str]:
    """Return the units of final-answer sentences that contradict the system and agree with the reference.

    Sentences that the system also said itself, at any time, do not count.
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
    """Yield the answer's claims, and the follow-up question's as confirmed or denied by an opening yes or no."""
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
    """Return the stating pieces of a question, except those that the next piece asks to confirm."""
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
    """Return the presupposed clauses of a sentence, then the rest."""
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
