"""Pairs of answers shown in both orders, and the judge's preference as a score."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from saiten.metrics.base import BaseMetric
from saiten.protocols import Judge
from saiten.records import Language, Sample, Score, Turn
from saiten.tasks.preference import PreferAnswer
from saiten.text.sentences import split_sentences
from saiten.trust.probes.probe import Change, ProbedMetric

TWO_ANSWERS = "two answers"
SHORTENED = "an answer and a shortened reference"

_CLAUSE_END = re.compile(r"[,;](?=\s)|[、，；]")
_LEAST_CLAUSE = 0.3
"""Share of a sentence that must precede its last clause; excludes openings such as 「はい、…」."""
_LEAST_WORDS, _LEAST_CHARACTERS = 3, 6
"""A sentence with fewer words (characters, where words have no spaces between them) cannot be shortened."""


class Second(NamedTuple):
    """The second answer shown with a sample's answer."""

    answer: str
    """The answer shown second."""
    turned: bool
    """Whether this is the pair in its swapped order; the score is about the same answer in both."""


@dataclass(frozen=True)
class PreferenceMetric(BaseMetric):
    """Scores 1 where the judge prefers the answer shown first in the unswapped pair, 0 for the other, 0.5 for a tie.

    A judge that ignores the order gives both orders the same score.
    """

    title = "preference"
    needs = ("question", "answer")
    tasks = (PreferAnswer,)

    seconds: Mapping[str, Second] = field(default_factory=dict, hash=False, repr=False)
    """Second answers by sample; usually `ProbePlan.seconds`."""

    @property
    def name(self) -> str:
        """Return the title: the pairs are not a setting."""
        return self.title

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the preference between the sample's answer and the second one; undefined without a second one."""
        second = self.seconds.get(sample.id)
        if second is None:
            return Score.undefined("there is no second answer to compare with")
        asked = PreferAnswer(
            sample.question,
            sample.answer or "",
            second.answer,
            sample.references,
            language=sample.language,
            conversation=sample.history,
        )
        preferred = await judge.perform(asked)
        first = {"first": 1.0, "tie": 0.5, "second": 0.0}[preferred.better]
        return Score(
            1 - first if second.turned else first,
            reason=preferred.explanation,
            details={"better": preferred.better, "turned": second.turned},
        )


PREFERENCE = ProbedMetric(
    PreferenceMetric.title, frozenset({"question", "answer", "reference"}), PreferenceMetric.bounds
)
"""The preference metric's properties, for the order probe."""


def order_swapped(samples: Sequence[Sample]) -> Iterator[Change]:
    """Yield each answer with the next different one to its question, in both orders: k answers make k - 1 pairs.

    A question with one answer pairs it with its shortened reference. Both are flawed, so the judge has to weigh them;
    between a right and an absurd answer no judge is swayed by the order.
    """
    by_question: dict[tuple[str, str, tuple[Turn, ...]], dict[str, Sample]] = {}
    for sample in samples:
        if sample.question.strip() and sample.answer and sample.answer.strip():
            answers = by_question.setdefault((sample.language, sample.question, sample.history), {})
            answers.setdefault(" ".join(sample.answer.split()), sample)
    for answers in by_question.values():
        for one, other in pairwise(answers.values()):
            yield _both_orders(TWO_ANSWERS, one, other.id, other.answer or "")
        if len(answers) == 1:
            (alone,) = answers.values()
            short = shortened(alone.reference or "", alone.language)
            if short is not None and short not in answers:
                yield _both_orders(SHORTENED, alone, f"{alone.id}#shortened_reference", short)


def shortened(text: str, language: Language) -> str | None:
    """Return the text without its last sentence, otherwise clause, otherwise third; None if too little is left."""
    whole = " ".join(text.split())
    sentences = split_sentences(whole, language)
    if len(sentences) > 1:
        return whole[: sentences[-1].start].rstrip()
    clauses = [each.start() for each in _CLAUSE_END.finditer(whole) if each.start() >= _LEAST_CLAUSE * len(whole)]
    if clauses:
        return whole[: clauses[-1]]
    words = whole.split(" ")
    if len(words) >= _LEAST_WORDS:
        return " ".join(words[: -(len(words) // 3)])
    return whole[: 2 * len(whole) // 3] if language == "ja" and len(whole) >= _LEAST_CHARACTERS else None


def _both_orders(variant: str, one: Sample, other_id: str, other: str) -> Change:
    """Return both orders as a change; system and group are left out, since the answers may be from two systems."""
    plain = replace(one, system=None, group=None)
    return Change(
        variant,
        replace(plain, id=f"{one.id} vs {other_id}"),
        replace(plain, id=f"{other_id} vs {one.id}", answer=other),
    )
