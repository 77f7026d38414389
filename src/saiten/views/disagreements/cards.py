"""Each disagreement as a card: the texts with marks, the judge's value and reason, and what each person said.

Independent of how a card is displayed. Texts are passed in for the shown items only, so that memory is bounded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from saiten.choices import DisagreementKind
from saiten.metrics.judged.gist_counts import WHICH
from saiten.records import Language, Sample, Score, Scored
from saiten.results.disagreements import Disagreement, DisagreementMeasure, JudgeDisagreements, Voice
from saiten.results.spans import ComparedUnit, MarkDisagreement, MarkDisagreements
from saiten.trust.inputs.pairing import halves
from saiten.trust.unsupported import UnsupportedPart, unsupported_part
from saiten.views.gist.view import MarkKind, Segment, Unit, cut
from saiten.views.reasons import reason_of
from saiten.words import Message, joined

_BRIEF = 80
"""Maximum characters of references that are one line each."""
_KINDS: Mapping[str, MarkKind] = {kind: kind for kind in WHICH}


@dataclass(frozen=True, slots=True)
class AnswerTexts:
    """An answer with its scores."""

    sample: Sample
    scores: Mapping[str, Score]
    """By metric, as disagreements name it."""


Texts = Mapping[str, AnswerTexts]
"""By the sample's id; an item whose texts are unknown is shown without them."""


@dataclass(frozen=True, slots=True)
class TitledText:
    """A text with its marks."""

    title: Message
    source: str | None
    """None if it was not given."""
    pieces: Sequence[Segment] = ()


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one side said."""

    who: str | Message
    what: str | Message
    why: str | Message = ""
    """The reason or remark that came with it."""


@dataclass(frozen=True, slots=True)
class Card:
    """One item with everything shown about it."""

    item: str
    where: str
    """System and group."""
    headline: Message
    question: str
    language: Language
    texts: Sequence[Sequence[TitledText]]
    """One or two texts per row; two are compared side by side."""
    lines: Sequence[Opinion]
    marks: Sequence[Message] = ()
    """What the marks in the texts mean."""
    listed: Sequence[tuple[Message, Sequence[Unit]]] = ()
    """Passages below the texts, with a heading."""
    contexts: Sequence[str] = ()
    """What the answer was made from; too long for the terminal."""


@dataclass(frozen=True, slots=True)
class CardList:
    """Cards under a heading."""

    title: Message
    captions: tuple[Message, ...]
    cards: Sequence[Card]


def cards_of(one: JudgeDisagreements, texts: Texts) -> Iterator[Card]:
    """Yield the listed items of a metric and an aspect."""
    for each in one.listed or ():
        yield _card(one, each, texts)


def _card(one: JudgeDisagreements, each: Disagreement, texts: Texts) -> Card:
    two = halves(each.item, texts)
    known = texts.get(each.item)
    own = () if known is None else (known,)
    answers = own if two is None else tuple(texts[half] for half in two)
    score = known.scores.get(one.metric) if known else None
    shown = _CardTexts()
    if two is not None:
        shown = _CardTexts(_of_pair(answers))
    elif known is not None:
        shown = _of_answer(known, unsupported_part(known.sample, known.scores, one.metric))
    sample = answers[0].sample if answers else Sample(each.item)
    values = Message("disagreement", "values", judge=number(each.judge), people=number(each.people))
    return Card(
        item=each.item,
        where=_joined_names(each.system, sample.group),
        headline=_headline(kind_words(each.kind, one.measure), values, people_differ=each.people_differ),
        question=sample.question,
        language=sample.language,
        texts=shown.texts,
        lines=(_judge_line(one, each, score), *_people_lines(each)),
        marks=shown.marks,
        listed=shown.listed,
        contexts=sample.contexts or (),
    )


def kind_words(kind: DisagreementKind, measure: DisagreementMeasure = "values") -> Message:
    """Return how both sides differ: for preferences, to which answer the judge leans; for ranks, where it puts it."""
    return Message("disagreement", _WORDS.get((kind, measure), kind.replace("-", "_")))


_WORDS: Mapping[tuple[DisagreementKind, DisagreementMeasure], str] = {
    ("judge-higher", "preferences"): "judge_second",
    ("judge-lower", "preferences"): "judge_first",
    ("judge-higher", "ranks"): "judge_ranks_higher",
    ("judge-lower", "ranks"): "judge_ranks_lower",
}


def number(value: float) -> str:
    """Return a value as briefly as two decimals allow."""
    return f"{round(value, 2) + 0.0:g}"


def _headline(*parts: Message, people_differ: bool) -> Message:
    differ = Message("disagreement", "people_differ") if people_differ else None
    return joined([*parts, differ], "remarks")


def _joined_names(*names: str | None) -> str:
    return " · ".join(name for name in names if name)


def _judge_line(one: JudgeDisagreements, each: Disagreement, score: Score | None) -> Opinion:
    why = "" if score is None else reason_of(Scored(each.item, one.made.metric, score))
    return Opinion(one.metric, number(each.judge), why)


def _people_lines(each: Disagreement) -> Iterator[Opinion]:
    """Yield what people said: everybody without a remark on one line, the others on their own."""
    brief = [joined_value(voice) for voice in each.voices if not voice.reason]
    if brief or not each.voices:
        yield Opinion(Message("disagreement", "people"), joined(brief, "listed") if brief else number(each.people))
    for voice in each.voices:
        if voice.reason:
            yield Opinion(name_of(voice), number(voice.value), voice.reason)


def name_of(voice: Voice) -> str | Message:
    """Return the annotator's name, and whether the label settles the others."""
    if voice.adjudicated:
        return Message("disagreement", "third")
    return voice.annotator or Message("disagreement", "person")


def joined_value(voice: Voice) -> Message:
    """Return who said what, in brief."""
    return Message("disagreement", "said", who=name_of(voice), value=number(voice.value))


@dataclass(frozen=True, slots=True)
class _CardTexts:
    """The parts of a card made of texts."""

    texts: Sequence[Sequence[TitledText]] = ()
    marks: Sequence[Message] = ()
    listed: Sequence[tuple[Message, Sequence[Unit]]] = ()


def _of_answer(known: AnswerTexts, part: UnsupportedPart) -> _CardTexts:
    """Return the texts of an answer with its unsupported part, what the marks mean, and passages without a place."""
    sample = known.sample
    kind: MarkKind = "marked" if part.marked_by else "new_words"
    units = [Unit(kind, span.text, span.start, span.end) for span in part.passages]
    pieces, too_deep = cut(sample.answer or "", units)
    answer = TitledText(Message("disagreement", "answer"), sample.answer, pieces)
    rows = [(*_references(sample), answer)]
    unplaced = (*(unit for unit in units if unit.start is None), *too_deep)
    listed = [(Message("disagreement", "unplaced"), unplaced)] if unplaced else []
    return _CardTexts(rows, tuple(meaning_of(part)), listed)


def meaning_of(part: UnsupportedPart) -> Iterator[Message]:
    """Yield what is marked, in words: by which judge, or by which rule; and which judge marked nothing."""
    if part.cleared_by:
        yield Message("disagreement", "cleared_by", metrics=", ".join(part.cleared_by))
    if part.marked_by:
        yield Message("disagreement", "marked_by", metric=part.marked_by)
    elif part.passages:
        yield Message("disagreement", "new_words")
    else:
        yield Message("disagreement", "no_new_words")


def _references(sample: Sample) -> list[TitledText]:
    """Return all references as one text, long ones with a line between them; empty without any."""
    if not sample.references:
        return []
    title = "reference" if len(sample.references) == 1 else "references"
    brief = all(len(each) <= _BRIEF and "\n" not in each for each in sample.references)
    text = ("\n" if brief else "\n\n– – –\n\n").join(sample.references)
    return [TitledText(Message("disagreement", title), text, cut(text, ())[0])]


def _of_pair(answers: Sequence[AnswerTexts]) -> Sequence[Sequence[TitledText]]:
    first, second = (each.sample for each in answers)
    both = tuple(
        TitledText(Message("disagreement", title), sample.answer, cut(sample.answer or "", ())[0])
        for title, sample in (("first_answer", first), ("second_answer", second))
    )
    return [both, *((each,) for each in _references(first))]


def cards_of_marks(one: MarkDisagreements, texts: Texts) -> Iterator[Card]:
    """Yield the listed answers of a judge of spans, with people's marks next to the judge's."""
    for each in one.listed:
        known = texts.get(each.item)
        sample = known.sample if known else Sample(each.item)
        units = {"people": [_unit(unit) for unit in each.people], "judge": [_unit(unit) for unit in each.judge]}
        yield Card(
            item=each.item,
            where=_joined_names(sample.system, sample.group),
            headline=_headline(Message("disagreement", "f", f=f"{each.f:.3f}"), people_differ=each.people_differ),
            question=sample.question,
            language=sample.language,
            texts=[row for of in ("answer", "reference") if (row := _side_by_side(of, sample, units))] if known else [],
            lines=(),
            listed=list(_apart(each)),
        )


def _unit(unit: ComparedUnit) -> Unit:
    kind = _KINDS.get(unit.aspect, "marked")
    return Unit(kind, unit.span.text, unit.span.start, unit.span.end, said="", why=", ".join(filter(None, unit.by)))


def _side_by_side(of: str, sample: Sample, units: Mapping[str, Sequence[Unit]]) -> tuple[TitledText, ...]:
    """Return the text with people's marks and with the judge's; once if neither side marked it, nothing without it."""
    given = sample.answer if of == "answer" else sample.reference
    source = given or ""
    own = {
        side: [_checked(unit, source) for unit in every if unit.kind.startswith("missing") == (of == "reference")]
        for side, every in units.items()
    }
    if not any(own.values()):
        return () if given is None else (TitledText(Message("disagreement", of), given, cut(source, ())[0]),)
    return tuple(
        TitledText(Message("disagreement", f"{of}_by_{side}"), source, cut(source, every)[0])
        for side, every in own.items()
    )


def _checked(unit: Unit, source: str) -> Unit:
    """Return the unit without a place that is not in the text; one without words gets those at its place."""
    if unit.start is None or unit.end is None or unit.end > len(source):
        return replace(unit, start=None, end=None)
    return unit


def _apart(each: MarkDisagreement) -> Iterator[tuple[Message, Sequence[Unit]]]:
    """Yield the units that only one side marked, then those of people that the judge marked, too."""
    for key, units, met in (
        ("only_people", each.people, False),
        ("only_judge", each.judge, False),
        ("marked_by_both", each.people, True),
    ):
        if chosen := [_unit(unit) for unit in units if unit.met is met]:
            yield Message("disagreement", key), chosen
