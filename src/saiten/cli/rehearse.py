"""The dry run: estimated calls and cost, without calling a model."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.choices import Format
from saiten.cli.output import stderr, stdout
from saiten.data import BadRow
from saiten.errors import BadInput, JudgeError
from saiten.executor import LocalExecutor
from saiten.judges.agents import Agents
from saiten.judges.offline import OfflineJudge
from saiten.judges.rehearsal import Rehearsal
from saiten.judges.support.named import PREFIX
from saiten.judges.wrappers import JudgeWrapper
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.prices import Price, Quote
from saiten.prompts import find_prompts
from saiten.protocols import Judge, Metric, R, Task
from saiten.records import REUSED, Sample, Scored, Usage
from saiten.redaction import redact
from saiten.runs.engine import run_all
from saiten.runs.journal import InMemory
from saiten.runs.scoring import Scoring
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.render import render
from saiten.views.table import Cell, Table
from saiten.wiring import quote_of
from saiten.words import Message


def rehearse(
    rows: Iterable[Sample | BadRow],
    metrics: tuple[Metric, ...],
    settings: JudgeSettings,
    calls: CallSettings,
    form: Format,
    wanted: frozenset[tuple[str, str]] | None = None,
) -> None:
    """Print calls, tokens and cost by metric; a step shared by metrics is counted with the first.

    `wanted` has the sample's id and the metric's name of each score; by default all samples with all metrics.

    Raises:
        BadInput: no row is usable.
    """
    quote = quote_of(settings.judge, calls)
    counted = count_scores(rows, metrics, settings, quote.price, wanted, once=calls.cache is not None)
    if not counted.samples:
        raise BadInput(f"there is no row that could be used ({counted.bad_rows} cannot)")
    whole = sum(counted.usage.values(), Usage())
    used: list[tuple[Cell, Usage]] = [*counted.usage.items(), (Message("cell", "all"), whole)]
    table = Table(
        Message("title", "run_would_take", n=counted.samples, judge=redact(settings.judge)),
        ("metric", *SPENT, Message("column", "cost", currency=calls.currency)),
        tuple((name, *spent_cells(one if has_calls(settings) else Usage())) for name, one in used),
        (Message("caption", "run_would_take"), *price_captions(settings, quote)),
    )
    render([table], form, stdout())
    if counted.bad_rows:
        stderr().print(f"{counted.bad_rows} rows cannot be used and are not counted")


def count_scores(
    rows: Iterable[Sample | BadRow],
    metrics: tuple[Metric, ...],
    settings: JudgeSettings,
    price: Price | None,
    wanted: frozenset[tuple[str, str]] | None = None,
    *,
    once: bool,
) -> "ScoreCount":
    """Return what scoring the rows would take; `once`: equal requests count once, as replies are kept."""
    counted = ScoreCount({metric.name: Usage() for metric in metrics})
    rehearsal = Rehearsal(
        OfflineJudge(BuiltinEmbedder()), find_prompts(settings.prompts), price, settings.separate_calls
    )
    scoring = Scoring(metrics, Planned(rehearsal, settings.votes, once=once), InMemory(), wanted)
    asyncio.run(run_all(scoring, rows, LocalExecutor(1), counted))
    return counted


SPENT = ("calls", "prompt_tokens", "completion_tokens")
"""The columns of estimated usage before the cost."""


def spent_cells(used: Usage) -> tuple[Cell, ...]:
    """Return estimated calls, tokens and cost of a judge, whose price may be unknown."""
    cost: Cell = Message("cell", "unknown") if used.unpriced else used.cost
    return (used.calls, used.prompt_tokens, used.completion_tokens, cost)


def has_calls(settings: JudgeSettings) -> bool:
    """Return whether the judge is a chat model, which takes calls and tokens."""
    return settings.judge != "offline" and not settings.judge.strip().startswith(PREFIX)


def counting_agents(
    judge: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    roles: Mapping[str, tuple[type[Task[Any]], ...]],
    calls: CallSettings,
    stand_in: Judge,
) -> Judge:
    """Return a judge that counts what each role's model would cost; one that is no chat model costs nothing."""
    prompts = find_prompts(judge.prompts)

    def one(settings: JudgeSettings) -> Judge:
        price = quote_of(settings.judge, calls).price
        return Rehearsal(stand_in, prompts, price) if has_calls(settings) else stand_in

    agents = {role: one(settings) for role, settings in others.items()}
    return Agents(one(judge), agents, roles) if agents else one(judge)


def price_captions(settings: JudgeSettings, quote: Quote) -> tuple[Message, ...]:
    """Return the sentence about the judge's price; none for a model in this process, which costs nothing."""
    return () if not has_calls(settings) or (quote.price and not quote.source) else (quote.sentence(),)


@dataclass(slots=True)
class ScoreCount:
    """A watch that adds up usage. Not frozen: it counts."""

    usage: dict[str, Usage]
    samples: int = 0
    bad_rows: int = 0

    def sample_read(self, sample: Sample) -> None:
        self.samples += 1

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1

    def result(self, sample: Sample, result: Scored) -> None:
        self.usage[result.metric] += result.score.usage

    def sample_done(self, sample: Sample) -> None:
        """ScoreCount when it was read."""


@dataclass(frozen=True)
class Planned(JudgeWrapper):
    """A judge that counts like a run: each vote is a call, a cached reply is not."""

    judge: Judge
    votes: int
    once: bool
    """Whether replies are cached, so that equal requests count once."""
    _seen: set[int] = field(default_factory=set)

    async def perform(self, task: Task[R]) -> R:
        try:
            reply = await self.judge.perform(task)
        except JudgeError as error:
            raise error.with_usage(self._usage(task, error.usage)) from error
        return reply.with_usage(self._usage(task, reply.usage))

    def _usage(self, task: Task[Any], once: Usage) -> Usage:
        key = hash((type(task), task))
        if self.once and key in self._seen:
            return REUSED
        self._seen.add(key)
        return sum([once] * (self.votes if task.votable else 1), Usage())
