"""The demo's answers: graded, which system is better, and what each metric sees of which defect."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.data import DATA
from saiten.cli.demo.telling import commands, heading, say, short, table
from saiten.cli.progress import ScoreProgress
from saiten.demo import DEFECTS, DemoSample, hold_against_defects
from saiten.executor import LocalExecutor
from saiten.metrics.catalog import make_metrics
from saiten.records import Sample
from saiten.runs import Journal, RunSettings, read_run
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring, signature_of
from saiten.settings import JudgeSettings
from saiten.views.tables.run import summary_of
from saiten.views.tables.summary import means_by
from saiten.wiring import assemble_judge

METRICS = (
    "accuracy",
    "accuracy[grounded]",
    "correctness",
    "answer_correctness",
    "faithfulness",
    "token_f1",
    "context_overlap",
    "length",
)
_TOLD = ("accuracy", "accuracy[grounded]", "correctness", "faithfulness", "token_f1")
"""Of those, what is shown in the terminal."""


def score(samples: Sequence[Sample], folder: Path, metrics: Sequence[str], notes: Console) -> Path:
    """A run with the offline judge."""
    made = make_metrics(metrics)
    settings = JudgeSettings("offline")
    judge = assemble_judge(settings)
    signatures = {metric.name: str(signature_of(metric, judge)) for metric in made}
    with (
        Journal.open(folder, RunSettings(data=DATA, judge=settings.kept()), signatures=signatures) as journal,
        ScoreProgress(notes, len(samples), "USD") as progress,
    ):
        asyncio.run(run_all(Scoring(made, judge, journal), samples, LocalExecutor(4), progress))
    return folder


def tell_means(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """Grade all answers, and say which system is better."""
    heading("1 · Grade: which system is better?", console)
    run = score([one.sample for one in samples], out / "answers", METRICS, notes)
    means = means_by(summary_of(read_run(run)), "system")
    say("Means by system. [dim]accuracy\\[grounded]: right, and nothing beside it that stands nowhere.[/]", console)
    table([str(name) for name in means.columns], [row for row in means.rows if row[0] in _TOLD], console)
    commands(
        console,
        ["score", out / "samples.jsonl", "-m", "accuracy", "-m", "faithfulness", "-m", "token_f1", "-o", "runs/first"],
        ["compare", run, run, "--systems", "careful,hasty"],
    )


def tell_defects(out: Path, samples: Sequence[DemoSample], console: Console) -> None:
    """What each metric gave to answers whose defect is known."""
    heading("2 · What does each metric see?", console)
    say(
        "Each answer was written with one defect, or none. A good metric gives the first two rows much and the others "
        "little; this judge counts words, so paraphrases lose and contradictions pass.",
        console,
    )
    told = (one for one in read_run(out / "answers").scores() if one.metric in _TOLD)
    rows = {row.metric: row for row in hold_against_defects(told, samples)}
    means = {metric: {kind.defect: kind.mean for kind in rows[metric].kinds} for metric in _TOLD}
    table(
        ("the answer is …", *_TOLD),
        [(one.name.replace("_", " "), *(short(means[metric][one.name]) for metric in _TOLD)) for one in DEFECTS],
        console,
    )
    commands(console, ["show", out / "answers"], ["show", out / "answers", "--worst", "faithfulness"])
