"""The statements in a question: what it says instead of asking for it."""

import re
from itertools import pairwise

from saiten.records import Language
from saiten.text.sentences import split_sentences

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


def statements(question: str, language: Language) -> list[str]:
    """Return the stating pieces of a question, except those that the next piece asks to confirm."""
    pieces = [
        piece
        for sentence in split_sentences(question, language)
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
