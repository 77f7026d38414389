"""Comparisons as tables: metric by metric, dialogues by group, and BLEU of whole data sets."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from saiten.dialogue.reading import has_dialogues
from saiten.results.compare import compare_sides, sides_of
from saiten.results.comparison import Comparison
from saiten.results.dialogue_comparison import BROKEN_DOWN_AT_MOST, SCORES, compare_dialogues
from saiten.results.dialogue_differences import DialogueComparison, GroupDifference
from saiten.results.metric_comparison import MetricComparison
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.place import place_of
from saiten.results.summarize import summarize
from saiten.results.what_differs import what_differs
from saiten.runs import RunReader
from saiten.views.charts.dialogue_lines import MOST_GROUPS, Series, Value, dialogue_lines
from saiten.views.table import Cell, Interval, Name, PValue, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.summary import corpus_side_by_side
from saiten.words import Message

_INTERVAL = Interval("difference", "ci_low", "ci_high")


def comparison_tables(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    found: Sequence[Comparison] = (),
    remarks: Sequence[Message] | None = None,
    glance: bool = False,
) -> list[Table]:
    """Return one table per run after the first; for runs of dialogues also the means and differences by group.

    Args:
        readers: Of the runs; the first is the baseline.
        systems: By run, the system to compare; by default all, by sample.
        names: Of the runs; their folders by default.
        found: The comparisons, if known.
        remarks: The result of `what_differs`, if known.
        glance: For the terminal, with intervals as text.

    Raises:
        BadInput: Two of them share no sample or no metric; the text lists the available ones.
    """
    names = names or [str(reader.folder) for reader in readers]
    tables = [
        comparison_table(each, glance=glance) for each in found or compare_sides(sides_of(readers, systems, names))
    ]
    dialogues = None if any(systems) or not all(map(has_dialogues, readers)) else compare_dialogues(readers, names)
    if dialogues is not None:
        tables += dialogue_comparison_tables(dialogues, glance=glance)
    corpus = _corpus(readers, systems, names)
    if corpus.rows:
        tables.append(corpus)
    # In each form, since a page or a redirected output is read without separate messages.
    said = [Message("caption", "but", remark=each) for each in (what_differs(readers) if remarks is None else remarks)]
    if any(only_words(reader.manifest.signatures.values()) for reader in readers):
        said.append(ONLY_WORDS)
    return [replace(table, caption=(*table.caption, *said)) for table in tables]


def comparison_table(found: Comparison, *, glance: bool = False) -> Table:
    """Return one row per metric; `glance`: for the terminal, with intervals as text."""
    rows: list[Cells] = []
    for each in found.metrics:
        counts = (each.pairs.wins, each.pairs.ties, each.pairs.losses, each.one_sided)
        rows.append((each.metric, *_difference(each, glance=glance), *counts, each.remarks))
    counted = ("higher", "equal", "lower", "one_side_only")
    return Table(
        Message("title", "comparison", first=found.first, second=found.second),
        ("metric", *_difference_columns(glance=glance), *counted, "remarks"),
        tuple(rows),
        tuple(_captions(found)),
        () if glance else (_INTERVAL,),
    )


def _difference_columns(*, glance: bool) -> tuple[str, ...]:
    ends = ("interval",) if glance else ("ci_low", "ci_high")
    return ("difference", *ends, "p_value", "verdict", "n", "of")


def _difference(each: MetricComparison | GroupDifference, *, glance: bool) -> Cells:
    pairs = each.pairs
    ends = IntervalColumns(numbers=not glance).ends(pairs.low, pairs.high)
    return (pairs.difference, *ends, PValue.of(each.p_value), Message("verdict", each.verdict), pairs.n, each.of)


def _captions(found: Comparison) -> Iterator[Message]:
    by = found.pairing
    yield Message("caption", "comparison")
    yield Message("caption", f"holm_{found.tests_of}")
    yield Message("caption", "paired_by", pairing=Message("pairing", by.how), n=by.pairs)
    if any(by.alone):
        yield Message("caption", "without_counterpart", first=by.alone[0], second=by.alone[1])
    if by.several:
        yield Message("caption", "several_answers", n=by.several)
    if found.checks:
        yield Message("caption", "checks", metrics=", ".join(found.checks))
    yield from (Message("caption", "but", remark=remark) for remark in found.remarks)


def _corpus(readers: Sequence[RunReader], systems: Sequence[str | None], names: Sequence[str]) -> Table:
    """Return BLEU of each side's whole data set, if sentence BLEU was measured."""
    found = []
    readers = readers if any("bleu4" in reader.manifest.signatures for reader in readers) else ()
    for reader, name, system in zip_longest(readers, names[: len(readers)], systems[: len(readers)]):
        places = {sample.id: place_of(sample) for sample in reader.samples() if system in {None, sample.system}}
        scored = (one for one in reader.scores() if one.metric.startswith("bleu4") and one.sample in places)
        found.append((system or name, summarize(scored, places)))
    return corpus_side_by_side(found)


def dialogue_comparison_tables(found: DialogueComparison, *, glance: bool = False) -> list[Table]:
    """Return the means with the paper's plot, then the differences from the first run."""
    others = zip(found.names[1:], found.differences, strict=False)
    return [_means(found), *(_differences(found.names[0], name, rows, glance=glance) for name, rows in others)]


def _means(found: DialogueComparison) -> Table:
    parted = any(each.group is not None for each in found.means)
    groups = {each.group for each in found.means if each.group is not None}
    whole = _unlike(groups, Message("cell", "all"))
    equally = _unlike(groups, Message("cell", "mean_of_groups", n=len(groups)))
    rows: list[tuple[Cell, ...]] = []
    for each in found.means:
        rows.append((each.score, whole if each.group is None else Name(each.group), each.n, *each.means))
        if each.group is None:
            rows += [(one.score, equally, one.n, *one.means) for one in found.of_groups if one.score == each.score]
    charts = [
        dialogue_lines(
            [
                Series(
                    f"{name} · {system}",
                    tuple(
                        Value(each.group, each.means[at], n=each.n)
                        for each in found.means
                        if each.score == score and each.group is not None
                    ),
                )
                for at, (name, system) in enumerate(zip(found.names, found.systems, strict=True))
            ],
            score=score,
            better="lower" if score == "lscore" else "higher",
        )
        for score in SCORES
        if parted
    ]
    captions = [Message("caption", "dialogue_means")]
    if found.groups > BROKEN_DOWN_AT_MOST:
        captions.append(Message("caption", "many_groups", n=found.groups, most=BROKEN_DOWN_AT_MOST))
    elif found.groups > MOST_GROUPS:
        captions.append(Message("caption", "drawn_groups", n=MOST_GROUPS))
    return Table(
        Message("title", "means_by_group" if parted else "means"),
        ("score", "group", "n", *map(Name, found.names)),
        tuple(rows),
        tuple(captions),
        charts=tuple(charts),
    )


def _unlike(groups: set[str], name: Message) -> Message:
    """Return the name of a row over all groups, different from any group's name."""
    while str(name) in groups:
        name = Message("cell", "in_brackets", text=name)
    return name


def _differences(first: str, other: str, found: Sequence[GroupDifference], *, glance: bool) -> Table:
    rows = tuple(
        (each.score, Name(each.group), *_difference(each, glance=glance), each.pairs.note or "") for each in found
    )
    return Table(
        Message("title", "dialogues_by_group", first=first, second=other),
        ("score", "group", *_difference_columns(glance=glance), "remarks"),
        rows,
        (Message("caption", "dialogue_differences"), Message("caption", "holm_tests", n=len(rows))),
        () if glance else (_INTERVAL,),
    )
