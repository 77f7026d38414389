"""The dry run: what a run would ask and spend, without asking anybody."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace

from saiten.assembly import CallSettings, JudgeSettings, price_name
from saiten.cli.output import stderr, stdout
from saiten.data import BadRow
from saiten.errors import BadInput
from saiten.execution import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.judges.rehearsal import Rehearsal
from saiten.models import BuiltinEmbedder, PriceTable
from saiten.protocols import Metric
from saiten.records import Sample, Scored, Usage
from saiten.reports.tables import Cell, Format, Table, render
from saiten.scoring import Scorer

_CAPTION = (
    "An estimate: the offline judge stands in, so that the number of statements and of the calls that follow is "
    "likely, not certain; tokens are counted in characters; repairs, reasoning and embeddings are left out."
)


def rehearse(
    rows: Iterable[Sample | BadRow],
    metrics: tuple[Metric, ...],
    settings: JudgeSettings,
    calls: CallSettings,
    form: Format,
) -> None:
    """Print calls, tokens and cost by metric; a step that metrics share is counted where it is asked first.

    Raises:
        BadInput: there is no row that can be used.
    """
    usage: dict[str, Usage] = {metric.name: Usage() for metric in metrics}
    counted = {"samples": 0, "bad rows": 0}

    def samples() -> Iterator[Sample]:
        for row in rows:
            if isinstance(row, BadRow):
                counted["bad rows"] += 1
            else:
                counted["samples"] += 1
                yield row

    def record(sample: Sample, scored: Scored) -> None:
        usage[scored.metric] += scored.score.usage

    stand_in = Rehearsal(OfflineJudge(BuiltinEmbedder()))
    asyncio.run(Scorer(metrics, stand_in, LocalExecutor(1)).run(samples(), record))
    if not counted["samples"]:
        raise BadInput(f"there is no row that could be used ({counted['bad rows']} cannot)")
    offline = settings.judge == "offline"
    rows_of_table = [_row(name, Usage() if offline else used, settings, calls) for name, used in usage.items()]
    whole = Usage() if offline else sum(usage.values(), Usage())
    rows_of_table.append(_row("all", whole, settings, calls))
    title = f"What a run over {counted['samples']} samples with {settings.judge} would take"
    columns = ("metric", "calls", "prompt tokens", "completion tokens", f"cost ({calls.currency})")
    render([Table(title, columns, tuple(rows_of_table), _CAPTION)], form, stdout())
    if counted["bad rows"]:
        stderr().print(f"{counted['bad rows']} rows cannot be used and are not counted")


def _row(name: str, used: Usage, settings: JudgeSettings, calls: CallSettings) -> tuple[Cell, ...]:
    price = PriceTable.read(calls.prices, calls.currency).find(price_name(settings))
    # Every vote is a call of its own; splitting and writing are not voted on, so this is at most.
    times = settings.votes
    whole = replace(
        used,
        calls=used.calls * times,
        prompt_tokens=used.prompt_tokens * times,
        completion_tokens=used.completion_tokens * times,
    )
    cost: Cell = "unknown: set [prices] in saiten.toml"
    if not whole.calls:
        cost = 0.0
    elif price is not None:
        cost = price.of(whole.prompt_tokens, whole.completion_tokens)
    return (name, whole.calls, whole.prompt_tokens, whole.completion_tokens, cost)
