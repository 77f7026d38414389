"""Agreement among people per aspect, as shown by `saiten agreement`, in one object.

Adjudicated labels are counted, but kept apart from the annotators' labels. Items labeled by only one annotator carry
no information about agreement; they count in the base rates only. The pairs of one ranking share a question and are
drawn together whether or not the samples are known.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from saiten.choices import Level
from saiten.errors import BadInput
from saiten.records import Label
from saiten.results.agreement import AgreementReport, AspectAgreement
from saiten.results.labeled_answers import each_text_apart
from saiten.stats.estimate import Estimate
from saiten.stats.interrater.agreement import AgreementAmong, agreement_among
from saiten.trust.inputs.declining import zero_declines
from saiten.trust.inputs.picks import AnswerPair, pairs_of, picks, unanimity
from saiten.words import Message, joined

_VERDICTS = 2
"""Up to this many different values are verdicts; more are grades."""
_MOSTLY_CHANCE = 0.8
"""From this value on, the report points out agreement by chance."""


def agreement_report(
    labels: Iterable[Label],
    *,
    aspects: Sequence[str] = (),
    level: Level | None = None,
    questions: Mapping[str, str] | None = None,
    resamples: int = 1_000,
    seed: int = 0,
) -> AgreementReport:
    """Return how far people agree, per aspect.

    Args:
        labels: labels of any aspects; where an annotator labeled an item twice, the last label counts. Labels of
            several texts under one id are of different items.
        aspects: the aspects to include; empty for all.
        level: how to read the values; None decides from the values.
        questions: sample → question, to draw questions instead of items; items missing from it are drawn individually.
        resamples: number of resamples for the intervals; 0 for no intervals.
        seed: seed of the draws.

    Raises:
        BadInput: there are no labels, or none of a requested aspect.
    """
    apart, names = each_text_apart(list(labels))
    if questions is not None:
        questions = {**questions, **{name: questions[item] for name, item in names.items() if item in questions}}
    found: dict[str, list[Label]] = {}
    for label in apart:
        found.setdefault(label.aspect, []).append(label)
    if not found:
        raise BadInput("there are no labels; each needs an item and a value, and the annotator's name")
    missing = [aspect for aspect in aspects if aspect not in found]
    if missing:
        there = ", ".join(map(repr, found))
        raise BadInput(f"there are no labels of the aspect {missing[0]!r}; there are labels of {there}")
    draws = {"resamples": resamples, "seed": seed}
    chosen = tuple(_aspect_agreement(aspect, found[aspect], level, questions, draws) for aspect in aspects or found)
    return AgreementReport(chosen, questions is not None)


def _aspect_agreement(
    aspect: str,
    labels: Sequence[Label],
    level: Level | None,
    questions: Mapping[str, str] | None,
    draws: Mapping[str, int],
) -> AspectAgreement:
    own, words, odd = _one_kind([label for label in labels if not label.adjudicated], level)
    kept, again = _last_of_each(own)
    unnamed = sum(not label.annotator for label in kept)
    pairs = {} if words else pairs_of(kept, questions or {})
    clustered = questions is not None or bool(pairs)

    def figures_of(some: Sequence[Label], listed: Collection[tuple[Hashable, Hashable]] = ()) -> AgreementAmong:
        return agreement_among(
            [label.item for label in some],
            [label.value for label in some],
            None if unnamed else [label.annotator for label in some],
            [_question(label.item, pairs, questions) for label in some] if clustered else None,
            listed=listed,
            **draws,
        )

    figures = figures_of(kept)
    declined: Message | None = None
    if level is None and not words and zero_declines(aspect, kept, ()):
        graded = [label for label in kept if label.value != 0]
        listed = {(pair.first, pair.second) for pair in figures.pairs}
        figures = _as_grades(figures, figures_of(graded, listed))
        declined = Message("remark", "declining_labels", n=len(kept) - len(graded))
    rates = _rates(kept, words=words, named=not unnamed)
    marked = Message("remark", "over_marks") if any(label.spans is not None for label in kept) else None
    said = marked and joined([marked, Message("remark", "compare_marks")])
    nameless = Message("remark", "nameless_labels", n=unnamed, of=len(kept)) if unnamed else None
    notes = (odd, again, declined, nameless, said, _paradox(figures, rates))
    kinds = len({label.value for label in kept})
    return AspectAgreement(
        aspect=aspect,
        levels=(level,) if level else ("nominal",) if words or kinds <= _VERDICTS else ("ordinal", "interval"),
        items=len({label.item for label in kept}),
        labels=len(kept),
        adjudicated=len({label.item for label in labels if label.adjudicated}),
        rates=rates,
        figures=figures,
        of_numbers=marked,
        questions=len({_question(label.item, pairs, questions) for label in kept}) if clustered else None,
        unanimity=unanimity(picks(kept, pairs)),
        notes=tuple(note for note in notes if note),
    )


def _question(item: str, pairs: Mapping[str, AnswerPair], questions: Mapping[str, str] | None) -> Hashable:
    """Return the key by which items are drawn together: the question, or the item alone where it has no question."""
    return pairs[item].question if item in pairs else (questions or {}).get(item) or (item,)


def _as_grades(every: AgreementAmong, graded: AgreementAmong) -> AgreementAmong:
    """Return figures of equality over all labels, and figures that weigh distances over the grades alone."""
    weighted = {(pair.first, pair.second): pair for pair in graded.pairs}
    none = Estimate(None, 0, Message("remark", "no_shared_grades"))
    pairs = tuple(
        replace(pair, linear=both.linear, quadratic=both.quadratic)
        if (both := weighted.get((pair.first, pair.second)))
        else replace(pair, linear=none, quadratic=none)
        for pair in every.pairs
    )
    return replace(
        every,
        kappa_linear=graded.kappa_linear,
        kappa_quadratic=graded.kappa_quadratic,
        ordinal=graded.ordinal,
        interval=graded.interval,
        pairs=pairs,
    )


def _one_kind(labels: Sequence[Label], level: Level | None) -> tuple[Sequence[Label], bool, Message | None]:
    """Return the labels of the more numerous kind (categories or numbers), whether they are categories, and a note."""
    words = [label for label in labels if label.category]
    if not words:
        return labels, False, None
    if level == "nominal" or 2 * len(words) > len(labels):
        if level not in (None, "nominal"):
            raise BadInput(f"the values are words, for example {words[0].category!r}, and have no {level} level")
        return _renumbered(labels), True, None
    kept = [label for label in labels if not label.category]
    return kept, False, Message("remark", "no_numbers", n=len(words), example=words[0].category)


def _renumbered(labels: Sequence[Label]) -> list[Label]:
    """Return all labels as categories numbered by name; numbers become categories, too."""
    names = [label.category or f"{label.value:g}" for label in labels]
    place = {name: float(number) for number, name in enumerate(sorted(set(names)))}
    return [replace(label, value=place[name], category=name) for label, name in zip(labels, names, strict=True)]


def _last_of_each(labels: Sequence[Label]) -> tuple[list[Label], Message | None]:
    """Return the last label per annotator and item; keep all labels without an annotator's name."""
    last: dict[tuple[str, str | int], Label] = {}
    changed = 0
    for number, label in enumerate(labels):
        key = (label.item, label.annotator or number)
        changed += key in last and last[key].value != label.value
        last[key] = label
    return list(last.values()), Message("remark", "changed_labels", n=changed) if changed else None


def _rates(labels: Sequence[Label], *, words: bool, named: bool) -> dict[str, dict[str, int]]:
    """Count how often each annotator gave each value."""
    counts = Counter((label.annotator if named else "", label.value) for label in labels)
    texts = {label.value: label.category if words else f"{label.value:g}" for label in labels}
    rates: dict[str, dict[str, int]] = {}
    for person, value in sorted(counts):
        rates.setdefault(person, {})[texts[value]] = counts[person, value]
    return rates


def _paradox(figures: AgreementAmong, rates: Mapping[str, Mapping[str, int]]) -> Message | None:
    """Return why a high percentage may mean little, or None."""
    if figures.by_chance.value is None or figures.by_chance.value < _MOSTLY_CHANCE:
        return None
    totals = sum((Counter(each) for each in rates.values()), Counter[str]())
    value, times = totals.most_common(1)[0]
    return Message("remark", "mostly_chance", share=times / totals.total(), value=value, chance=figures.by_chance.value)
