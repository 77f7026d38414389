"""Contradictions between references: questions that ask the same, with other numbers, names or signs in the references.

Overlap cannot tell whether two questions are about the same thing under the same conditions. So only questions with
nearly the same words count, and a difference in their numbers, names or interrogatives makes them different questions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from saiten.judges.offline.names import japanese_names, latin_names
from saiten.judges.offline.reasons import said
from saiten.judges.offline.sameness import SIMILAR, AskedQuestion, are_apart, overlap
from saiten.judges.offline.tools import Tools
from saiten.records import Language
from saiten.tasks.contradiction import Contradiction, FindContradiction
from saiten.text.language import detect_language
from saiten.text.numbers import claimed_numbers, known_numbers, missing_numbers
from saiten.text.polarity import is_negated, opens_with
from saiten.text.quantities import Quantity, quantities, replaced
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units, normalize, units_of

_EQUAL = 0.95
"""Similarity of two questions from which no word tells them apart."""
_ALIKE = 0.5
"""Share of the shorter reference's words in the other from which both are about the same thing."""
_SHORT = 8
"""Content units of a reference that is hardly more than a name or a number."""
_FEW = 3
"""References with more numbers or names may each leave out some of them."""
_NEGATED = 0.7
"""Share of words in common from which two sentences differ in little but a negation."""
_SPELLING = 75.0
"""Similarity (0 to 100) from which two names are spellings of one."""


@dataclass(frozen=True)
class _Compared:
    """A question or a reference, with what is compared of it."""

    written: str

    @cached_property
    def plain(self) -> str:
        return normalize(self.written)

    @cached_property
    def lowered(self) -> str:
        return self.plain.lower()

    @cached_property
    def units(self) -> frozenset[str]:
        return frozenset(units_of(self.lowered))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(known_numbers(self.lowered))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.lower() for name in (*latin_names(self.plain), *japanese_names(self.plain))))

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.lowered)

    @cached_property
    def is_sentence(self) -> bool:
        """Whether it is at most one sentence."""
        return len(split_sentences(self.plain, detect_language(self.plain))) <= 1

    def lacks(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that are not in this text."""
        return tuple(name for name in names if name not in self.lowered)


def find_contradiction(task: FindContradiction, _: Tools) -> Contradiction:
    """Return yes if the questions have nearly the same words, and their references differ in what words can show."""
    one, other = AskedQuestion.of("", task.first_question), AskedQuestion.of("", task.second_question)
    alike = 0.0 if are_apart(one, other) else overlap(one, other)
    if alike < SIMILAR:
        english = "the words of the two questions differ, so they may be about different things"
        return Contradiction(
            reason=said(task.language, english, "二つの質問の語が違い、別のことを尋ねている可能性がある"), verdict=False
        )
    excused = _Compared(f"{task.first_question}\n{task.second_question}")
    first, second = _Compared(task.first_reference), _Compared(task.second_reference)
    found = _difference(first, second, excused, task.language, equal=alike >= _EQUAL)
    english = "no number, name or negation differs between the references"
    reason = found or said(task.language, english, "参照回答の数値、名称、否定に違いはない")
    return Contradiction(reason=reason, verdict=found is not None)


def _difference(
    first: _Compared, second: _Compared, excused: _Compared, language: Language, *, equal: bool
) -> str | None:
    """Return how the references differ; None if they do not, as far as words show."""
    declines = is_refusal(first.written, language), is_refusal(second.written, language)
    if declines[0] != declines[1]:
        english = "only one of the references says that there is no answer"
        return said(language, english, "一方の参照回答だけが、答えがないとしている")
    opens = opens_with(first.lowered), opens_with(second.lowered)
    if None not in opens:
        return None if opens[0] == opens[1] else said(language, "one says yes, the other no", "肯定と否定が逆である")
    pair = _other_numbers(first, second, excused) or _other_names(first, second, excused)
    if pair is not None:
        return said(
            language, f"one has {pair[0]}, the other {pair[1]}", f"一方は {pair[0]}、他方は {pair[1]} としている"
        )
    if _only_one_negated(first, second, excused):
        return said(language, "only one of them is negated", "一方だけが否定している")
    if equal and _without_common_word(first, second):
        english = "they answer the same question without a word in common"
        return said(language, english, "同じ質問に、共通する語のない回答をしている")
    return None


def _other_numbers(first: _Compared, second: _Compared, excused: _Compared) -> tuple[str, str] | None:
    known = first.numbers | excused.numbers
    pairs = replaced(first.quantities, second.quantities, there=second.numbers | excused.numbers, known=known)
    if pairs:
        return pairs[0][0].written, pairs[0][1].written
    claimed = claimed_numbers(first.lowered), claimed_numbers(second.lowered)
    lacking = missing_numbers(claimed[0], second.numbers | excused.numbers)
    added = missing_numbers(claimed[1], known)
    units = {each.unit for each in first.quantities}, {each.unit for each in second.quantities}
    other_unit = all(units) and units[0].isdisjoint(units[1])
    if (
        lacking
        and added
        and not other_unit
        and max(map(len, claimed)) <= _FEW
        and _about_the_same(first, second, excused)
    ):
        return lacking[0], added[0]
    return None


def _other_names(first: _Compared, second: _Compared, excused: _Compared) -> tuple[str, str] | None:
    lacking, added = excused.lacks(second.lacks(first.names)), excused.lacks(first.lacks(second.names))
    # a list that leaves one out is no contradiction, nor is a text of many names
    shared = len(excused.lacks(first.names)) > len(lacking) or any(_is_among(name, added) for name in lacking)
    few = first.is_sentence and second.is_sentence and max(len(lacking), len(added)) <= _FEW
    if lacking and added and few and not shared and _about_the_same(first, second, excused, *lacking, *added):
        return lacking[0], added[0]
    return None


def _only_one_negated(first: _Compared, second: _Compared, excused: _Compared) -> bool:
    """Return whether two sentences of nearly the same words differ in a negation that is not the question's."""
    if is_negated(first.lowered) == is_negated(second.lowered) or is_negated(excused.lowered):
        return False
    total = len(first.units) + len(second.units)
    return first.is_sentence and second.is_sentence and 2 * len(first.units & second.units) >= _NEGATED * total


def _is_among(name: str, others: Iterable[str]) -> bool:
    """Return whether one of the others is the name or a spelling, a part or a form of it: サーファー, サーフィン."""
    return any(fuzz.partial_ratio(name, other) >= _SPELLING for other in others)


def _about_the_same(first: _Compared, second: _Compared, excused: _Compared, *values: str) -> bool:
    """Return whether the references without numbers, these values and the questions' words are about the same thing."""
    out = excused.units | content_units(" ".join(values))
    one, other = ({unit for unit in each.units - out if not unit[0].isdigit()} for each in (first, second))
    fewer = min(len(one), len(other))
    return fewer == 0 or len(one & other) >= _ALIKE * fewer


def _without_common_word(first: _Compared, second: _Compared) -> bool:
    """Return whether two short references share nothing; numbers of other units may still be the same: 3 hours."""
    short = all(0 < len(each.units) <= _SHORT for each in (first, second))
    return short and first.units.isdisjoint(second.units) and not (first.numbers and second.numbers)
