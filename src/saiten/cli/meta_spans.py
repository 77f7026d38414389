"""The work of `saiten meta-evaluate --spans`: units found by a judge, compared with those marked by people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path

from saiten.choices import Format
from saiten.cli.meta_evaluate import MetaOptions
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.reading import read_said, sample_rows
from saiten.cli.subject import JudgeFiles
from saiten.data import BadRow, read_labels
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label, Sample
from saiten.results.place import place_of
from saiten.runs import read_run
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import Marks, PeopleMarks, marks_of_run, misplaced, people_of
from saiten.views.render import render
from saiten.views.tables.span import span_tables
from saiten.words import Message


def show_spans(run: Path, labels: Path, others: JudgeFiles, options: MetaOptions, form: Format) -> None:
    """Print how the judges' spans agree with people's.

    The judges are runs with scores of gist or hallucination_spans, and files of spans. If the run is the file of labels
    itself, people are compared with each other.

    Raises:
        BadInput: a path does not exist or has no spans, labels have no spans, or both sides have nothing in common.
    """
    values = (options.rank_by, options.yes_from, others.verdict_pattern, options.system_pairs, options.split_by)
    if any(each is not None for each in values):
        raise ConfigurationError(
            "--rank-by, --yes-from, --verdict-pattern, --system-pairs and --split-by apply to values, not to spans; "
            "remove them"
        )
    read = read_marks(run, labels, others, options.aspect, options.column, options.sample_column)
    questions = {name: place_of(sample).question for name, sample in read.samples.items()} or None
    people, found = read.people, read.judges
    report = compare_spans(people, found, questions=questions, resamples=options.resamples, seed=options.seed)
    report = replace(report, notes=(*report.notes, *_misplaced(people, found, read.samples)))
    render(span_tables(report, glance=form == "table"), form, stdout(), f"Marked spans: {run.name}")


@dataclass(frozen=True, slots=True)
class ReadMarks:
    """The marks of people and judges, and the samples that they are about, as far as these are known."""

    people: PeopleMarks
    judges: dict[str, Marks]
    samples: dict[str, Sample]
    """Without their contexts."""


def read_marks(
    run: Path,
    labels: Path,
    others: JudgeFiles,
    aspects: Sequence[str],
    columns: Sequence[str],
    sample_columns: Sequence[str],
) -> ReadMarks:
    """Read the marks; if the run is the file of labels itself, there are no judges.

    Raises:
        BadInput: a path does not exist or has no spans, or labels have no spans.
    """
    people = people_of(list(read_said(labels, columns)), aspects)
    found: dict[str, Marks] = {}
    samples: dict[str, Sample] = {}
    alone = not others.judges and labels.exists() and run.exists() and run.samefile(labels)
    for path in (run, *others.judges):
        if not path.exists():
            raise BadInput(f"{path} does not exist; expected a run folder or a file of spans")
        if path.is_dir():
            reader = read_run(path, notify=notifier(stderr()))
            samples |= {sample.id: _without_contexts(sample) for sample in reader.samples()}
            found |= _named_apart(marks_of_run(reader.scores(), path.resolve().name), found)
        elif path is run and others.judges:
            rows = sample_rows(path, sample_columns)
            samples |= {row.id: _without_contexts(row) for row in rows if isinstance(row, Sample)}
        elif not alone:
            found |= _named_apart(_judges_in(path), found)
    if aspects:
        found = {name: {at: spans for at, spans in marks.items() if at[1] in aspects} for name, marks in found.items()}
    return ReadMarks(people, found, samples)


def _without_contexts(sample: Sample) -> Sample:
    """Return what marks can be in; passages take most of the memory of a large run, and no mark is in them."""
    return replace(sample, contexts=None, evidence=None, trace=None)


def _judges_in(path: Path) -> dict[str, Marks]:
    """Return the judges in a file of spans; an unnamed one gets the file's name."""
    notify = notifier(stderr())
    try:
        read = list(read_labels(path, notify=notify))
    except BadInput as error:
        raise BadInput(
            f"{error}. Expected a judge's spans; a file of samples can only be the first argument, with --judges"
        ) from error
    rows = [row for row in read if isinstance(row, Label)]
    if bad := [row for row in read if isinstance(row, BadRow)]:
        notify(f"{len(bad)} rows cannot be read and are left out; the first is {bad[0].where}: {bad[0].reason}")
    try:
        marked = people_of(rows)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error
    return {name or path.stem: marks for name, marks in (marked.by or {"": marked.settled}).items()}


def _named_apart(new: dict[str, Marks], known: dict[str, Marks]) -> dict[str, Marks]:
    """Return the new marks under unique names, since run folders may share a name."""
    named: dict[str, Marks] = {}
    for name, marks in new.items():
        apart = (f"{name} ({number})" for number in count(2))
        named[next(each for each in chain([name], apart) if each not in known)] = marks
    return named


def _misplaced(people: PeopleMarks, judges: dict[str, Marks], samples: dict[str, Sample]) -> Iterable[Message]:
    """Yield notes on spans whose text differs from that at their offsets, which the figures rely on."""
    for name, marks in {**{name or "people": marks for name, marks in people.by.items()}, **judges}.items():
        wrong, first = misplaced(marks, samples)
        if wrong:
            yield Message("note", "misplaced_spans", name=name, n=wrong, first=first)
