"""Figures 4, 8 and 9: the scores of dialogues with two systems, one dialogue in full, and the scores by group."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.reading import read_dialogues
from saiten.dialogue.scores import HIGHEST
from saiten.results.compare import sides_of
from saiten.results.dialogue_comparison import SCORES, compare_dialogues
from saiten.results.figure import Figure
from saiten.results.paired_sides import PairedSide, paired
from saiten.runs import RunReader, read_run
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.stats.paired import compare_paired, holm
from saiten.views.charts.means import means_charts
from saiten.views.table import Cell, Interval, Name, PValue, Table, show_cell
from saiten.views.tables.comparison import dialogue_comparison_tables
from saiten.views.tables.dialogue_rows import dialogue_rows
from saiten.words import Message, joined

NAMES = ("QA", "MQA")
_DIFFERENCE = "MQA − QA"


@dataclass(frozen=True, slots=True)
class Held:
    """The dialogues that one judge led with both systems."""

    judge: str
    qa: Path
    mqa: Path


def dialogue_figures(
    runs: Sequence[Held], wanted: str | None, notify: Callable[[str | Message], None]
) -> Iterator[Table]:
    """Yield figures 4, 8 and 9; nothing if no dialogue was held. `wanted`: the dialogue of figure 8."""
    readers = {run.judge: [read_run(folder, notify=notify) for folder in (run.qa, run.mqa)] for run in runs}
    if not readers:
        return
    found = {judge: paired(sides_of(both, (), NAMES))[1] for judge, both in readers.items()}
    appended = any(reader.manifest.settings.get("last_grade") for both in readers.values() for reader in both)
    yield _scores({judge: _compared(*sides) for judge, sides in found.items()}, appended=appended)
    shown = _risen(next(iter(readers.values())), wanted)
    if shown is not None:
        yield _transcript(next(iter(readers)), *shown)
    else:
        key = "no_dialogue" if wanted is None else "no_such_dialogue"
        notify(Message("paper_dialogues", key, **({} if wanted is None else {"id": wanted})))
    for judge, both in readers.items():
        yield from _by_group(judge, both)


# ------------------------------------------------------------------------------------------ figure 4


@dataclass(frozen=True, slots=True)
class _Score:
    """A score of both systems, on the pairs measured in both runs."""

    score: str
    means: tuple[Estimate, Estimate]
    difference: Estimate
    p_value: float | None


def _compared(qa: PairedSide, mqa: PairedSide) -> tuple[_Score, ...]:
    found = []
    for score in SCORES:
        first, second = qa.values.get(score, {}), mqa.values.get(score, {})
        keys = sorted(first.keys() & second.keys())
        clusters = [qa.clusters[key] for key in keys]
        a, b = ([of[key] for key in keys] for of in (first, second))
        means = bootstrap_mean(a, clusters), bootstrap_mean(b, clusters)
        pairs = compare_paired(a, b, clusters)
        apart = Estimate(pairs.difference, pairs.n, None, pairs.low, pairs.high, note=pairs.note)
        found.append(_Score(score, means, apart, pairs.p_value))
    corrected = holm([one.p_value for one in found])
    return tuple(replace(one, p_value=p) for one, p in zip(found, corrected, strict=True))


def _scores(found: dict[str, tuple[_Score, ...]], *, appended: bool) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for judge, scores in found.items():
        for one in scores:
            for name, mean in zip((*NAMES, _DIFFERENCE), (*one.means, one.difference), strict=True):
                p = PValue.of(one.p_value) if name == _DIFFERENCE else None
                remarks = joined([mean.reason, mean.note])
                rows.append((Name(judge), one.score, name, mean.value, mean.low, mean.high, p, mean.n, remarks))
    figures = [
        (name if len(found) == 1 else f"{judge} · {name}", _as_figure(one.score, mean))
        for judge, scores in found.items()
        for one in scores
        for name, mean in zip(NAMES, one.means, strict=True)
        if mean.value is not None
    ]
    return Table(
        Message("paper_dialogues", "scores"),
        ("judge", "score", "system", "mean", "ci_low", "ci_high", "p_value", "n", "remarks"),
        tuple(rows),
        (
            Message("paper_dialogues", "about_scores"),
            *((Message("paper_dialogues", "last_appended"),) if appended else ()),
        ),
        (Interval("mean", "ci_low", "ci_high"),),
        charts=tuple(means_charts(figures)),
    )


def _as_figure(score: str, mean: Estimate) -> Figure:
    return Figure(score, None, None, mean.value, mean.low, mean.high, mean.n, mean.clusters or 0, {"ok": mean.n})


# ------------------------------------------------------------------------------------------ figure 8


def _risen(readers: Sequence[RunReader], wanted: str | None) -> tuple[str, Dialogue] | None:
    """Return the dialogue whose grade rises most from the first to the last, with its system's name."""
    held = [
        (name, one)
        for name, reader in zip(NAMES, readers, strict=True)
        for one in read_dialogues(reader)
        if (wanted is None and one.ended != "failed") or one.id == wanted
    ]
    return min(held, key=lambda each: (-_rise(each[1]), len(each[1].grades), each[1].id), default=None)


def _rise(dialogue: Dialogue) -> float:
    return dialogue.grades[-1] - dialogue.grades[0] if dialogue.grades else -1.0


def _transcript(judge: str, system: str, dialogue: Dialogue) -> Table:
    rows = tuple(
        (row.turn or None, Message("screen", row.title), row.text, row.grade)
        for row in dialogue_rows(dialogue)
        if row.kind != "passage"  # the grader's evidence, which `saiten show` has
    )
    grades = ", ".join(f"{grade:.2f}".rstrip("0").rstrip(".") for grade in dialogue.grades)
    scores = ", ".join(f"{name} {show_cell(value)}" for name, value in dialogue.scores.items())
    failed = dialogue.ended == "failed"
    ended = Message("status", "failed") if failed else Message("ended", dialogue.ended.replace(" ", "_"))
    nearly = dialogue.ended == "grade 5" and dialogue.grades[-1] < HIGHEST
    return Table(
        Message("paper_dialogues", "transcript", id=dialogue.id, system=system),
        (Message("paper_dialogues", "turn"), "who", "text", Message("paper_dialogues", "grade")),
        rows,
        (
            Message("paper_dialogues", "about_transcript", judge=judge, grades=grades, scores=scores, ended=ended),
            *((Message("paper_dialogues", "nearly_5"),) if nearly else ()),
        ),
    )


# ------------------------------------------------------------------------------------------ figure 9


def _by_group(judge: str, readers: Sequence[RunReader]) -> Iterator[Table]:
    found = compare_dialogues(readers, NAMES)
    title = Message("paper_dialogues", "by_group", judge=judge)
    if found is None:
        rows = tuple((score, Message("cell", "all"), 0, None, None) for score in SCORES)
        columns = ("score", "group", "n", *map(Name, NAMES))
        yield Table(title, columns, rows, (Message("paper_dialogues", "nothing_on_both"),))
        return
    means, *differences = dialogue_comparison_tables(found)
    groups = () if found.differences else (Message("paper_dialogues", "no_groups"),)
    yield replace(means, title=title, caption=(*means.caption, *groups))
    for each in differences:
        yield replace(each, title=Message("paper_dialogues", "differences_by_group", judge=judge))
