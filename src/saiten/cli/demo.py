"""`saiten demo`: the tour on built-in samples whose defects are known; no key, no network."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.assembly import JudgeSettings, assemble_judge
from saiten.cli.demo_dialogues import comparison, demo_dialogues, print_one_dialogue
from saiten.cli.demo_gist import demo_gist, print_gist_tables, print_one_view
from saiten.cli.output import outside, stderr, stdout
from saiten.cli.progress import RunProgress
from saiten.cli.report import report_of
from saiten.demo import DEFECTS, DefectRow, DemoSample, hold_against_defects, load_demo
from saiten.errors import BadInput
from saiten.execution import LocalExecutor
from saiten.journal import Journal, RunReader, read_run
from saiten.metrics.catalog import make_metrics
from saiten.rag.system import FORMS
from saiten.records import Label, Language
from saiten.reports.report.report import write_report
from saiten.reports.run_tables import summary_of
from saiten.reports.sample_page import print_sample
from saiten.reports.summary_tables import means_by
from saiten.reports.tables import Cell, Table, print_tables
from saiten.scoring import Scorer, score_into, signature_of
from saiten.summary import place_of, summarise

app = typer.Typer(add_completion=False)

METRICS = (
    "accuracy",
    "accuracy[grounded]",
    "correctness",
    "answer_correctness",
    "faithfulness",
    "context_recall",
    "context_precision",
    "token_f1",
    "rouge_l",
    "context_overlap",
)
_LANGUAGES: dict[Language, str] = {"en": "English", "ja": "Japanese · 日本語"}
_SHOWN_SAMPLE = "made_up_addition"
_DATA = "the built-in samples of saiten"
_KNOWN = "known by construction"
_TITLE = "saiten demo · 採点の見本"


@app.command()
def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where the runs are kept; an earlier demo is replaced.")
    ] = Path("runs/demo"),
) -> None:
    """The tour: built-in answers, documents and questions in Japanese and English, and the offline judge.

    192 answers of four made-up systems are graded. Each has a defect that is known by construction, so that the metrics
    are held against what is known: which defects does each see, and which does it miss? Then 48 answers are taken apart
    against their references: what do they lack, what do they add? Then our own RAG is asked 48 questions about built-in
    documents in dialogues, with and without the history. A page for the browser, report.html, holds all of it.

    Examples:
      saiten demo
      saiten demo -o runs/tour
    """
    console = stdout()
    samples = load_demo()
    console.rule("[bold]saiten · 採点[/]", align="left")
    console.print(
        f"{len(samples)} answers of four made-up systems to questions about an office handbook and a product manual, "
        f"half English, half Japanese.\nJudge: [bold]offline-overlap[/]: no model, no key, no network. It compares "
        "words, numbers and names; it understands nothing.\n"
    )
    _make_room(out)
    reader = _score(samples, out / "answers")
    for language, name in _LANGUAGES.items():
        chosen = [one for one in samples if one.sample.language == language]
        _print_language(reader, chosen, name, console)
    _print_one_answer(reader, samples, console)
    _print_gist(out / "gist", console)
    _print_dialogues(out / "dialogues", console)
    _print_next_steps(out, console)
    _write_report(out, samples, console)


def _make_room(out: Path) -> None:
    """What an earlier demo left there is removed; anything else is left alone."""
    if not out.exists() or not any(out.iterdir()):
        return
    ours = out / "answers"
    if not (ours / "manifest.json").is_file() or read_run(ours).manifest.settings.get("data") != _DATA:
        raise BadInput(f"{out} holds something else than a demo; name another folder with --out")
    shutil.rmtree(out)


def _score(samples: Sequence[DemoSample], out: Path) -> RunReader:
    metrics = make_metrics(METRICS)
    judge = assemble_judge(JudgeSettings("offline"))
    signatures = {metric.name: str(signature_of(metric, judge)) for metric in metrics}
    progress = RunProgress(stderr(), len(samples), "USD")
    with Journal.open(out, {"data": _DATA}, signatures=signatures) as journal, progress:
        rows = (one.sample for one in samples)
        asyncio.run(score_into(journal, rows, Scorer(metrics, judge, LocalExecutor(4)), progress))
    return read_run(out)


def _print_language(reader: RunReader, samples: Sequence[DemoSample], name: str, console: Console) -> None:
    ids = {one.sample.id for one in samples}
    scores = [one for one in reader.scores() if one.sample in ids]
    places = {one.sample.id: place_of(one.sample) for one in samples}
    means = means_by(summarise(scores, places, reader.manifest.signatures), "system")
    console.rule(f"[bold]{name}[/]", align="left")
    order = list(reader.manifest.signatures)
    rows = sorted(hold_against_defects(scores, samples), key=lambda row: order.index(row.metric))
    tables = [Table("Which system is better? Mean scores", means.columns, means.rows), *_defect_tables(rows)]
    print_tables(tables, console)


def _defect_tables(rows: Sequence[DefectRow]) -> list[Table]:
    """Mean score by defect, and how well each metric tells what it should tell."""
    defects = [defect.name for defect in DEFECTS if any(k.defect == defect.name for row in rows for k in row.kinds)]
    means: list[tuple[Cell, ...]] = []
    told: list[tuple[Cell, ...]] = []
    for row in rows:
        by_defect = {kind.defect: kind.mean for kind in row.kinds}
        means.append((row.metric, *(_short(by_defect.get(defect)) for defect in defects)))
        if row.separates is not None:
            told.append((row.metric, row.separates, row.auroc, row.low, row.high, row.note))
    return [
        Table(
            "What does each metric give to which defect?",
            ("metric", *(defect.replace("_", " ") for defect in defects)),
            tuple(means),
            "The defects are known by construction: right and paraphrased answers should score high, the others lower.",
        ),
        Table(
            "Held against what is known",
            ("metric", "should tell what is", "AUROC", "95 % from", "to", "what it cannot see"),
            tuple(told),
            "AUROC: how often a good answer scores higher than a bad one; 0.5 is a coin. These answers are built to be "
            "hard for methods that compare words; on real systems see docs/offline-judge.md.",
        ),
    ]


def _short(mean: float | None) -> str:
    return "–" if mean is None else f"{mean:.2f}"


def _print_one_answer(reader: RunReader, samples: Sequence[DemoSample], console: Console) -> None:
    """One answer in full, so that it is seen what stands behind a figure."""
    shown = next(one.sample for one in samples if one.defect == _SHOWN_SAMPLE)
    console.rule("[bold]What stands behind a figure[/]: one answer with an invented addition", align="left")
    wanted = {"faithfulness", "accuracy[grounded]"}
    print_sample(shown, [one for one in reader.scores() if one.sample == shown.id and one.metric in wanted], console)


def _print_gist(folder: Path, console: Console) -> None:
    """What answers lack and add, and how much of it the offline judge finds."""
    console.rule("[bold]What is missing, what is extra[/]: 48 answers taken apart", align="left")
    demo_gist(folder, stderr())
    print_gist_tables(folder, console)
    print_one_view(folder, console)
    console.print()


def _print_dialogues(folder: Path, console: Console) -> None:
    """Our RAG without a history (qa) and with one (mqa), and one dialogue in full."""
    console.rule("[bold]How soon does a dialogue reach the answer[/]: our RAG, qa against mqa", align="left")
    runs = demo_dialogues(folder, stderr())
    print_tables(comparison(runs)[:1], console)
    print_one_dialogue(runs[1], console)
    console.print()


def _write_report(out: Path, samples: Sequence[DemoSample], console: Console) -> None:
    """All of it on one page, with every answer behind its figures; what is known of the answers are its labels."""
    path = out / "report.html"
    runs = [out / "answers", out / "gist", *(out / "dialogues" / form for form in FORMS)]
    labels = [
        Label(one.sample.id, float(known), _KNOWN, aspect)
        for one in samples
        for aspect, known in (("correct", one.correct), ("faithful", one.faithful))
    ]
    with stderr().status("writing the report"):
        write_report(report_of(runs, labels=labels, title=_TITLE), path)
    console.print(f"\nThe report, for your browser: [bold]{outside(path)}[/]", highlight=False, soft_wrap=True)


def _print_next_steps(out: Path, console: Console) -> None:
    summary = summary_of(read_run(out / "answers"))
    folder = outside(out)
    console.rule("[bold]Next[/]", align="left")
    console.print(
        f"All {sum(f.total for f in summary.figures if f.system is None and f.group is None)} scores with their "
        f"statements, verdicts and reasons are in [bold]{folder}/answers[/].\n"
        f"  with intervals       saiten show {folder}/answers\n"
        f"  where to look first  saiten show {folder}/answers --worst faithfulness\n"
        f"  real or noise?       saiten compare {folder}/answers {folder}/answers --systems careful,hasty\n"
        f"  missing and extra    saiten show {folder}/gist --gist --format html > gist.html\n"
        f"  qa against mqa       saiten compare {folder}/dialogues/qa {folder}/dialogues/mqa\n"
        "Your own answers (JSONL or CSV with question, answer, contexts, reference):\n"
        "  without a model      saiten score my.csv -m overlap -m faithfulness\n"
        "  what it would cost   saiten score my.csv -m ragas --judge openai:gpt-4o --dry-run\n"
        "Your own system, or ours over your documents:\n"
        "  its answers          saiten answer questions.csv --system http://localhost:8000/ask -o answers.jsonl\n"
        "  serial or parallel?  saiten experiment --example > experiment.yaml\n"
        "`saiten metrics` lists what can be measured, `saiten COMMAND --help` explains a command.",
        highlight=False,
    )
