"""`saiten meta-evaluate --spans`: the units found by a judge, compared with those marked by people."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from saiten.cli.shared_options import SAMPLE_COLUMN
from saiten.data import BadRow, read_labels, read_samples
from saiten.errors import BadInput
from saiten.records import Label, Sample
from saiten.results.spans import SpanReport
from saiten.runs import read_run
from saiten.text.language import detect_language
from saiten.trust.inputs.outputs import item_of
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import Marks, PeopleMarks, judges_of, misplaced, people_of
from saiten.words import Message


def span_report(
    subject: Path,
    labels: Path,
    said: Sequence[Label],
    judges: Sequence[Path],
    *,
    aspects: Sequence[str],
    resamples: int,
    seed: int,
    sample_columns: Mapping[str, str],
    notify: Callable[[str], None],
) -> SpanReport:
    """Compare the spans of the judges at these paths with the labels.

    Args:
        subject: a run with gist scores; a file of spans; with `judges` also a file of samples.
        labels: the file of the people's labels; where `subject` is the same file, people are compared with each other.
        said: the labels in that file.
        judges: further runs with gist scores, and files of spans.
        aspects: only these; empty for all.
        resamples: bootstrap rounds.
        seed: of the draws.
        sample_columns: field → column of the samples.
        notify: called with notes for the user.

    Raises:
        BadInput: a path that is not there or has no spans, labels without spans, or nothing that both sides have.
    """
    people = people_of(said, aspects)
    found: dict[str, Marks] = {}
    samples: dict[str, Sample] = {}
    alone = not judges and labels.exists() and subject.exists() and subject.samefile(labels)
    for path in (subject, *judges):
        if not path.exists():
            raise BadInput(f"{path} is not there; the folder of a run or a file of spans was expected")
        if path.is_dir():
            reader = read_run(path, notify=notify)
            samples |= {sample.id: sample for sample in reader.samples()}
            found |= _named_apart(judges_of(reader.scores(), path.resolve().name), found)
        elif path is subject and judges:
            rows = read_samples(
                path,
                columns=sample_columns,
                detect_language=detect_language,
                option=SAMPLE_COLUMN,
                wished=("question",),
                notify=notify,
            )
            samples |= {row.id: row for row in rows if isinstance(row, Sample)}
        elif not alone:
            found |= _named_apart(_judges_in(path, people, notify), found)
    if aspects:
        found = {name: {at: spans for at, spans in marks.items() if at[1] in aspects} for name, marks in found.items()}
    questions = {name: item_of(sample).question for name, sample in samples.items()} or None
    report = compare_spans(people, found, questions=questions, resamples=resamples, seed=seed)
    return replace(report, notes=(*report.notes, *_misplaced(people, found, samples)))


def _judges_in(path: Path, people: PeopleMarks, notify: Callable[[str], None]) -> dict[str, Marks]:
    """Return the judges in a file of spans; an unnamed one gets the file's name."""
    rows: list[Label] = []
    bad: list[BadRow] = []
    try:
        for row in read_labels(path, notify=notify):
            if isinstance(row, BadRow):
                bad.append(row)
            else:
                rows.append(row)
    except BadInput as error:
        raise BadInput(
            f"{error}. Expected were a judge's spans; a file of samples will do as the first argument, with --judges"
        ) from error
    if bad:
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
        number = 2
        own = name
        while own in known:
            own = f"{name} ({number})"
            number += 1
        named[own] = marks
    return named


def _misplaced(people: PeopleMarks, judges: dict[str, Marks], samples: dict[str, Sample]) -> Iterable[Message]:
    """Yield notes on spans whose text differs from that at their offsets, which the figures rely on."""
    for name, marks in {**{name or "people": marks for name, marks in people.by.items()}, **judges}.items():
        wrong, first = misplaced(marks, samples)
        if wrong:
            yield Message("note", "misplaced_spans", name=name, n=wrong, first=first)
