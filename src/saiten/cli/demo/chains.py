"""Serial or parallel: the chains of our RAG as an experiment, accuracy against latency."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import add, commands, heading, interval, say, table
from saiten.cli.index_progress import IndexProgress
from saiten.cli.output import told
from saiten.cli.progress import AnswerProgress, ScoreProgress
from saiten.experiments.plan import read_plan
from saiten.experiments.results import CellResult, read_results
from saiten.experiments.running import Experiment
from saiten.rag.knowledge.indexed import Indexed
from saiten.records import Scored
from saiten.runs.answers.collecting import Outcome
from saiten.runs.engine import Watch
from saiten.settings import CallSettings
from saiten.views.table import Cell

PLAN = "chains.yaml"
_HOW = {"stuff": "all passages at once", "refine": "serial: one after another", "map_reduce": "parallel, then joined"}
_MILLISECONDS = 1_000


def run_chains(out: Path, notes: Console) -> Path:
    """The experiment in `out/chains`; the same again goes on where it stopped."""
    folder = out / "chains"
    work = Experiment(read_plan(out / PLAN), folder, CallSettings(), told(notes))
    asyncio.run(work.run(_Drawn(notes)))
    return folder


def tell(out: Path, console: Console, notes: Console) -> None:
    """A row a chain and language."""
    heading("11 · Serial or parallel? Accuracy against latency", console)
    folder = run_chains(out, notes)
    result = read_results(read_plan(out / PLAN), folder, told(notes))
    say(
        "Ways to make an answer of 5 passages, without a model: sentences are picked. [bold]The latencies are "
        "milliseconds of this machine[/] and say nothing about a model's, with which this is meant to be run.",
        console,
    )
    table(
        ("data", "chain", "", "accuracy [95 %]", "n", "median ms"),
        [_row(each, result.main) for each in result.cells],
        console,
    )
    follows = dict.fromkeys(f"{each.recommendation}" for each in result.chains)
    add(f"Parallel beside serial: {'; '.join(follows)}. Without a model nothing follows from the latency.", console)
    commands(console, ["experiment", out / PLAN, "-o", folder])


def _row(each: CellResult, main: str) -> tuple[Cell, ...]:
    figure = each.figures[main]
    chain = str(each.cell.chain)
    latency = each.answers.latency if each.answers is not None else None
    return (
        each.cell.data.name,
        chain,
        _HOW[chain],
        interval(figure.mean, figure.low, figure.high),
        figure.n,
        None if latency is None else f"{latency.median * _MILLISECONDS:.1f}",
    )


class _Drawn:
    """Shows what is being done, a line at a time, where it was not done before."""

    def __init__(self, notes: Console) -> None:
        self._notes = notes

    @contextmanager
    def indexing(self, data: str) -> Iterator[Callable[[Indexed], None]]:
        with IndexProgress(self._notes) as progress:
            yield progress.show

    @contextmanager
    def answering(self, data: str, system: str, total: int) -> Iterator[Watch[Outcome]]:
        with AnswerProgress(self._notes, total, "USD") as progress:
            yield progress

    @contextmanager
    def scoring(self, data: str, total: int) -> Iterator[Watch[Scored]]:
        with ScoreProgress(self._notes, total, "USD") as progress:
            yield progress

    def left_out(self, data: str, system: str, reason: str) -> None:
        """Nothing: the chains need no set-up that could be wrong."""
