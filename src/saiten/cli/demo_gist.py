"""The demo's gist: what 48 answers lack and add, held against what is known of them."""

import asyncio
from pathlib import Path

from rich.console import Console

from saiten.assembly import JudgeSettings, assemble_judge
from saiten.cli.progress import RunProgress
from saiten.demo.gist import gist_labels, load_gist
from saiten.execution import LocalExecutor
from saiten.journal import Journal, read_run
from saiten.meta_evaluation.spans import compare_spans
from saiten.meta_evaluation.spans_marks import judges_of, people_of
from saiten.metrics.catalog import make_metrics
from saiten.records import Scored
from saiten.reports.gist_view import gist_views
from saiten.reports.gist_view_screen import print_gist
from saiten.reports.span_tables import span_tables
from saiten.reports.tables import print_tables
from saiten.scoring import Scorer, score_into, signature_of


def demo_gist(folder: Path, notes: Console) -> Path:
    """Score the built-in samples with `gist` into the folder, offline; a second."""
    samples = load_gist()
    metrics = make_metrics(["gist"])
    judge = assemble_judge(JudgeSettings("offline"))
    signatures = {metric.name: str(signature_of(metric, judge)) for metric in metrics}
    with (
        Journal.open(folder, {"data": "the built-in gist samples of saiten"}, signatures=signatures) as journal,
        RunProgress(notes, len(samples), "USD") as progress,
    ):
        rows = (one.sample for one in samples)
        asyncio.run(score_into(journal, rows, Scorer(metrics, judge, LocalExecutor(4)), progress))
    return folder


def print_gist_tables(folder: Path, console: Console) -> None:
    """How far the judge's units are those that are known."""
    samples = load_gist()
    people = people_of(gist_labels(samples))
    questions = {one.sample.id: one.sample.question for one in samples}
    report = compare_spans(people, judges_of(read_run(folder).scores(), "offline"), questions=questions)
    print_tables(span_tables(report, glance=True)[:1], console)


def print_one_view(folder: Path, console: Console) -> None:
    """One answer beside its reference: the Japanese one in which the judge found units of the most kinds."""
    found = {one.sample: one for one in read_run(folder).scores()}
    scored = [(one.sample, found[one.sample.id]) for one in load_gist("ja") if one.sample.id in found]
    sample, score = max(scored, key=lambda pair: _kinds(pair[1]))
    for view in gist_views(sample, [score]):
        print_gist(view, console)


def _kinds(one: Scored) -> int:
    return sum(bool(units) for units in one.score.details.get("spans", {}).values())
