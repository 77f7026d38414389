"""Questions out of Japanese sentences."""

import re
from collections.abc import Iterator

from saiten.testsets.offline.japanese_clauses import clauses_of, is_unclear
from saiten.testsets.offline.japanese_in_place import Told
from saiten.testsets.offline.japanese_names import names
from saiten.testsets.offline.japanese_quantities import gaps
from saiten.testsets.offline.japanese_sentences import questions_of_whole
from saiten.testsets.offline.posed import Posed
from saiten.testsets.offline.statements import Statement
from saiten.text.tokenizers import morphemes

_OPENING = re.compile(
    r"^(?:ただし|なお|また|ただ|さらに|そして|一方|例えば|たとえば|特に|もちろん|つまり|すなわち|実際|通常)、?"
)
_ASIDE = re.compile("[（(][^（）()]{0,200}[)）]")
_NARROW = str.maketrans("０１２３４５６７８９，．％", "0123456789,.%")


def questions_of(statement: Statement) -> Iterator[Posed]:
    """Yield the questions that the sentence answers, the most natural first."""
    sentence = _ASIDE.sub("", _OPENING.sub("", statement.text)).translate(_NARROW)
    words = morphemes(sentence)
    clauses = clauses_of(words)
    if not clauses or is_unclear(clauses[0].words[0].surface):
        return
    yield from questions_of_whole(sentence, words, clauses, statement.heading)
    told = Told(sentence, clauses, statement.heading)
    for gap in sorted(gaps(sentence), key=lambda each: -each.start):
        if question := told.asking(gap):
            yield Posed(question, "quantity")
    for gap in names(sentence, words):
        if question := told.asking(gap):
            yield Posed(question, "name")
