"""Correctness: the probability that an answer is correct, given one reference.

Short references use a logistic regression over ten features; long ones, for which every feature saturates, the F1 of
content units; yes/no references, whether the answer agrees.
"""

import math
import re
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from saiten.judges.offline.calibration import sigmoid
from saiten.judges.offline.constants import Constants
from saiten.judges.offline.names import japanese_names, latin_names
from saiten.records import Language
from saiten.text.numbers import claimed_numbers, known_numbers, missing_numbers
from saiten.text.polarity import opens_with
from saiten.text.quantities import quantities, replaced
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units, grams_of, in_order, normalize, units_of, words_of

_HEDGE = re.compile(
    r"\b(?:may|might|maybe|perhaps|possibly|probably|likely|unclear|i think|i believe|not sure|not certain|it seems"
    r"|appears to)\b"
    r"|かもしれ|おそらく|恐らく|たぶん|と思われ|可能性があ|と考えられ|でしょう"
)
_ARTICLE = re.compile(r"\b(?:the|a|an)\b")
_MARKS = re.compile(r"[\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FEW_NUMBERS = 3
"""If the reference has more numbers, an answer may omit one and add another without contradicting it."""
_FEW_SENTENCES = 3
"""If the reference has more sentences, a replaced number is one mistake among many statements."""
_WORDS_COMPARED = 60
"""Number of reference words that are matched fuzzily, with ten times as many of the answer."""


@dataclass(frozen=True, slots=True)
class ReferenceMatch:
    """How well one answer matches one reference."""

    p: float
    reference: str
    missing_numbers: tuple[str, ...]
    other_numbers: tuple[str, ...]
    """Numbers in the answer that neither reference nor question contains."""
    replaced: tuple[tuple[str, str], ...]
    """Quantities missing from the answer, each with the answer's quantity of the same unit."""
    missing_names: tuple[str, ...]
    polarity: bool | None
    """Whether yes or no agree (True) or differ (False); None unless both say either."""
    recall: float
    """The share of the reference's content units in the answer."""


def correctness(question: str, answer: str, reference: str, language: Language, constants: Constants) -> ReferenceMatch:
    """Compare the answer with the reference."""
    answer_text, reference_text = normalize(answer), normalize(reference)
    said, meant = _without_commas(answer_text.lower()), _without_commas(reference_text.lower())
    units = sorted(units_of(meant) or words_of(meant))
    said_units = units_of(said) | words_of(said)
    there = known_numbers(said)
    allowed = known_numbers(meant) | known_numbers(_without_commas(normalize(question).lower()))
    wanted = claimed_numbers(reference_text.lower())
    numbers = missing_numbers(wanted, there)
    others = missing_numbers(claimed_numbers(answer_text.lower()), allowed)
    all_names = [*latin_names(reference_text), *japanese_names(reference_text)]
    names = tuple(name for name in all_names if name.lower() not in said)
    polarity = _polarity(meant, said)
    recall = _share(units, said_units)
    if len(units) > constants.long_reference["units"]:
        f1 = _f1(set(units), units_of(said))
        logit = constants.long_reference["intercept"] + constants.long_reference["f1"] * f1
    else:
        weights = constants.correctness
        from_question = content_units(question)
        new = [unit for unit in units if unit not in from_question]
        sentences = split_sentences(_without_commas(answer_text), language)
        first = sentences[0].text.lower() if sentences else ""
        first_units = units_of(first) | words_of(first)
        logit = math.fsum(
            (
                weights["intercept"],
                weights["contained"] * _contains(said, meant),
                weights["new_recall"] * _share(new or units, said_units),
                weights["characters"] * _share(sorted(grams_of(meant)), grams_of(said)),
                weights["fuzzy"] * _fuzzy(meant, said),
                weights["number_missing"] * bool(numbers),
                weights["names_missing"] * len(names) / (len(all_names) or 1),
                weights["refusal"] * is_refusal(answer, language),
                weights["reference_length"] * math.log1p(len(units)),
                weights["first_sentence"] * _share(units, first_units),
                weights["hedge"] * bool(_HEDGE.search(said)),
            )
        )
    if polarity is not None:
        logit += constants.correctness["polarity"] * (1 if polarity else -1)
    p = sigmoid(logit)
    pairs = replaced(quantities(reference_text.lower()), quantities(answer_text.lower()), there=there, known=allowed)
    swapped = tuple((missing.written, instead.written) for missing, instead in pairs)
    short = len(split_sentences(reference_text, language)) <= _FEW_SENTENCES
    if (swapped and short) or (numbers and others and len(wanted) <= _FEW_NUMBERS):
        # Despite agreement elsewhere: people accepted one in five such answers.
        p = min(p, constants.correctness["number_conflict"])
    return ReferenceMatch(p, reference, numbers, others, swapped, names, polarity, recall)


def _share(wanted: Collection[str], there: AbstractSet[str]) -> float:
    return sum(each in there for each in wanted) / len(wanted) if wanted else 0.0


def _f1(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _without_commas(lowered: str) -> str:
    return _THOUSANDS.sub("", lowered)


def _plain(lowered: str) -> str:
    return " ".join(_MARKS.sub(" ", _ARTICLE.sub(" ", lowered)).split())


def _contains(said: str, meant: str) -> bool:
    inner, outer = _plain(meant), _plain(said)
    if not inner:
        return False
    return f" {inner} " in f" {outer} " if inner.isascii() else inner.replace(" ", "") in outer.replace(" ", "")


def _fuzzy(meant: str, said: str) -> float:
    wanted = in_order(meant)[:_WORDS_COMPARED]
    there = in_order(said)[: 10 * _WORDS_COMPARED]
    if not wanted or not there:
        return 0.0
    present = set(there)
    nearest = (
        1.0 if word in present else process.extractOne(word, there, scorer=fuzz.ratio)[1] / 100 for word in wanted
    )
    return math.fsum(nearest) / len(wanted)


def _polarity(meant: str, said: str) -> bool | None:
    wanted, given = opens_with(meant), opens_with(said)
    return None if wanted is None or given is None else wanted == given
