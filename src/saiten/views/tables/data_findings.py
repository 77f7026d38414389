"""What to look at in data before measuring with it, in sentences; each names the number that it is about."""

from collections.abc import Iterator, Sequence

from saiten.results.data_figures import LONG, TELLING, DataFigures
from saiten.results.label_coverage import AspectCoverage, LabelCoverage
from saiten.stats.wilson import wilson
from saiten.words import Composed, Message

FEW_QUESTIONS = 100
"""With fewer questions, the interval of a share is named."""
MOSTLY = 0.95
"""Share of the most frequent value from which labels measure little."""

_EXPECTED = ("question", "answer", "reference", "contexts")


def data_findings(sets: Sequence[DataFigures], labels: LabelCoverage | None = None) -> Iterator[Message]:
    """Yield a sentence for each matter; with several data sets, it begins with the name of the one it is about."""
    for data in sets:
        for note in _of_data(data):
            yield note if len(sets) == 1 else Message("note", "about", aspect=data.name, note=note)
    if labels is not None:
        yield from _of_labels(labels)


def _of_data(data: DataFigures) -> Iterator[Message]:
    if data.unusable and data.first_unusable is not None:
        first = f"{data.first_unusable.where}: {data.first_unusable.reason}"
        yield Message("describe", "unusable", n=data.unusable, first=Composed(first))
    yield from _of_fields(data)
    yield from _of_repeats(data)
    systems = sum(of.system is not None for of in data.systems)
    unnamed = sum(of.samples for of in data.systems if of.system is None)
    if systems and unnamed:
        yield Message("describe", "unnamed", n=unnamed, of=data.samples)
    if data.partly_answered:
        yield Message("describe", "partly_answered", n=data.partly_answered, of=data.questions, systems=systems)
    if data.long_answers:
        yield Message("describe", "long_answers", n=data.long_answers, of=data.compared_answers, times=LONG)
    if len(data.languages) > 1:
        n, of = min(data.languages.values()), data.samples
        yield Message("describe", "two_languages", n=n, of=of)
    if 0 < data.questions < FEW_QUESTIONS:
        low, high = wilson(0.5, data.questions)
        values = {"low": 100 * low, "high": 100 * high, "few": FEW_QUESTIONS}
        yield Message("describe", "few_questions", n=data.questions, **values)
    if data.documents is not None and data.documents.unread:
        yield Message("describe", "documents_unread", n=len(data.documents.unread))


def _of_fields(data: DataFigures) -> Iterator[Message]:
    for of in data.fields:
        name = Message("text_field", of.field)
        if of.field in _EXPECTED and 0 < of.missing < data.samples:
            yield Message("describe", "missing", field=name, n=of.missing, of=data.samples)
        if of.empty and of.field == "contexts":
            yield Message("describe", "no_contexts", n=of.empty, of=of.given)
        elif of.empty:
            yield Message("describe", "empty", field=name, n=of.empty, of=of.given)
        if of.other_language:
            yield Message("describe", "other_language", field=name, n=of.other_language, of=of.given, least=TELLING)


def _of_repeats(data: DataFigures) -> Iterator[Message]:
    if data.repeated_samples:
        yield Message("describe", "repeated_samples", n=data.repeated_samples, of=data.samples)
    if data.repeated_questions > data.repeated_samples:
        named = any(of.system is not None for of in data.systems)
        yield Message(
            "describe",
            "repeated_questions" if named else "repeated_unnamed",
            n=data.repeated_questions,
            of=data.samples,
        )
    if data.repeated_answers:
        yield Message("describe", "repeated_answers", n=data.repeated_answers, of=data.samples)


def _of_labels(labels: LabelCoverage) -> Iterator[Message]:
    if labels.other_answers:
        yield Message("describe", "other_answers", n=labels.other_answers)
    if labels.in_several.n:
        yield Message("describe", "in_several", n=labels.in_several.n, first=", ".join(labels.in_several.examples))
    for aspect in labels.aspects:
        for note in _of_aspect(aspect):
            yield Message("note", "about", aspect=aspect.aspect, note=note) if aspect.aspect else note


def _of_aspect(of: AspectCoverage) -> Iterator[Message]:
    if of.unknown.n and not of.items:
        yield Message("describe", "no_known_item", n=of.unknown.n, first=", ".join(of.unknown.examples))
    elif of.unknown.n:
        yield Message("describe", "unknown_items", n=of.unknown.n, first=", ".join(of.unknown.examples))
    if of.share >= MOSTLY:
        value = of.most_frequent if isinstance(of.most_frequent, str) else f"{of.most_frequent:g}"
        yield Message("describe", "constant", value=value, percent=100 * of.share, mostly=100 * MOSTLY)
    if not of.twice:
        yield Message("describe", "one_annotator")
    if of.repeated:
        yield Message("describe", "repeated_labels", n=of.repeated)
    if len(of.kinds) > 1:
        yield Message("describe", "several_kinds")
