"""The leak check: did the agents say for the system what it never said?

The composer may not add what stands only in the reference, and the questioner may not tell it to the system. Both are
asked so; this holds them to it. Words are compared as the offline judge does, by their content units, so a paraphrase
of the reference is not seen.
Source: spec 02, the last of the rules; what counts as a question that states is ours.
"""

import re
from itertools import pairwise

from saiten.dialogue.dialogue import Dialogue, Leak
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
    return len(words) >= _STATED or any(character.isdigit() for word in words for character in word)


def _only_in(word: str, reference: set[str], heard: set[str]) -> bool:
    units = units_of(word)
    return bool(units) and units <= reference and not units <= heard


def _units(text: str) -> set[str]:
    return units_of(normalise(text).lower())
