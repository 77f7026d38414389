"""Clauses with their places: sentences split where new information begins. A rough split without grammar."""

import re
from collections.abc import Iterator

from saiten.records import Language
from saiten.text.sentences import Sentence, split_sentences

_LEAST = {"ja": 8, "en": 18}
"""Minimum characters; shorter pieces stay with their neighbor."""

_JAPANESE = re.compile(
    r"(?<=が、)|(?<=ので、)|(?<=ため、)|(?<=から、)|(?<=けれど、)|(?<=けれども、)|(?<=おり、)|(?<=であり、)|(?<=ますし、)|(?<=たり、)"
    r"|(?<=場合は、)|(?<=場合には、)|(?<=と共に、)|(?<=[しっいきりえけせてねべめれ]、)(?=[^、。]{8})|(?<=[；;])"
    r"|(?=[（(][^（()）]{8,}[）)])|(?<=[）)])(?=[^、。）)]{6})"
)
_ENGLISH = re.compile(
    r"(?<=;)\s++|(?<=:)\s++(?=\S{2})|(?<=,)\s++(?=(?:and|but|or|so|yet|which|who|where|while|whereas|because|since"
    r"|although|though|unless|if|when|for example|for instance|such as|e\.g\.|including|especially)\b)"
    r"|(?<!\s)\s++(?=(?:because|unless|although|whereas|provided that|such as|for example)\b)"
    r"|(?<!\s)\s++(?=\([^()]{18,}\))|(?<=\))\s++",
    re.IGNORECASE,
)


def split_clauses(text: str, language: Language) -> list[Sentence]:
    """Return the clauses of the text in order; only white space is between them."""
    return [clause for sentence in split_sentences(text, language) for clause in _of(sentence, language)]


def _of(sentence: Sentence, language: Language) -> Iterator[Sentence]:
    cuts = [cut.end() for cut in (_JAPANESE if language == "ja" else _ENGLISH).finditer(sentence.text)]
    start = 0
    for cut in [*cuts, len(sentence.text)]:
        whole = cut == len(sentence.text)
        rest = len(sentence.text) - cut
        if not whole and (cut - start < _LEAST[language] or rest < _LEAST[language]):
            continue
        piece = sentence.text[start:cut]
        body = piece.strip()
        if body:
            begin = sentence.start + start + len(piece) - len(piece.lstrip())
            yield Sentence(body, begin, begin + len(body))
        start = cut
