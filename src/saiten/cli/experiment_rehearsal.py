"""The dry run of `saiten experiment`: calls, tokens and cost per cell, without a model or a knowledge base."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from saiten.choices import Format
from saiten.cli.evidence import Placeholder, placeholder
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.rehearse import SPENT, count_scores, has_calls, price_captions, spent_cells
from saiten.data import BadRow
from saiten.errors import BadInput
from saiten.experiments.cells import Cell, cells_of, questions_of
from saiten.experiments.plan import DataSet, ExperimentPlan, read_plan
from saiten.experiments.running import judge_settings, metric_names
from saiten.judges.rehearsal import estimate_tokens, estimate_usage
from saiten.metrics.catalog import make_metrics
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.models.prices import Price, Quote
from saiten.prompts import find_prompts
from saiten.protocols import ChatRequest, Completion, System
from saiten.rag.chat_generator import ChatGenerator
from saiten.rag.example import read_example
from saiten.rag.extractive import extractive
from saiten.rag.system import Rag
from saiten.rag.systems.chat_model import ChatModel
from saiten.records import Inquiry, Sample, Usage
from saiten.redaction import redact
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.render import render
from saiten.views.table import Cell as TableCell
from saiten.views.table import Name, Table
from saiten.wiring import is_model_on_server, quote_of
from saiten.words import Message

_WITHOUT_REFERENCE = "x" * 400
"""The assumed answer to a question without a reference: 100 tokens."""


def rehearse_experiment(file: Path, calls: CallSettings, form: Format) -> None:
    """Print calls, tokens and cost of each cell, and of the judge per data set; finished cells are counted, too.

    Raises:
        ConfigurationError, BadInput: the plan or its data cannot be read, or no question is usable.
    """
    plan = read_plan(file)
    judge = judge_settings(plan)
    rows: list[tuple[TableCell, ...]] = []
    quotes: dict[str, Quote] = {}
    whole = Usage()
    unusable = 0
    for data in plan.data:
        found = list(questions_of(data, notifier(stderr())))
        asked = [row for row in found if isinstance(row, Sample)]
        unusable += len(found) - len(asked)
        if not asked:
            raise BadInput(f"{data.name} has no row that could be used ({len(found)} cannot)")
        cells = list(cells_of(plan, data))
        if data.answers is None:
            for cell in cells:
                used = asyncio.run(_answering(cell, plan, asked, calls, quotes))
                whole += used or Usage()
                spent = (None,) * 4 if used is None else spent_cells(used)
                rows.append((data.name, Name(cell.system), len(asked), *spent))
        used = _judging(plan, data, asked, judge, calls, cells=len(cells))
        whole += used
        answers = len(asked) * (1 if data.answers is not None else len(cells))
        rows.append((data.name, Message("cell", "judge", judge=redact(judge.judge)), answers, *spent_cells(used)))
    prices = dict.fromkeys(quote.sentence() for quote in quotes.values() if quote.price is None or quote.source)
    captions = (Message("caption", "experiment_would_take"), *prices)
    if has_calls(judge):
        captions += tuple(one for one in price_captions(judge, quote_of(judge.judge, calls)) if one not in captions)
    columns = ("data", "system", "questions", *SPENT, Message("column", "cost", currency=calls.currency))
    everything = (Message("cell", "all"), "", None, *spent_cells(whole))
    render([Table(Message("title", "experiment_would_take"), columns, (*rows, everything), captions)], form, stdout())
    if unusable:
        stderr().print(f"{unusable} rows cannot be used and are not counted")


async def _answering(
    cell: Cell, plan: ExperimentPlan, asked: Sequence[Sample], calls: CallSettings, quotes: dict[str, Quote]
) -> Usage | None:
    """Return what the answers of a cell would take; None for a system whose calls cannot be known."""
    name = cell.generator or cell.spec
    if cell.generator is not None and extractive(cell.generator) is not None:
        return Usage()
    if cell.generator is None and not is_model_on_server(cell.spec):
        return None
    quote = quotes.setdefault(name, quote_of(name, calls))
    used = Usage()
    for sample in asked:
        system = _counting(cell, plan, _Reply(_answer_to(sample), quote.price))
        used += (await system.answer(Inquiry(sample.question, language=sample.language))).usage
    return used


def _counting(cell: Cell, plan: ExperimentPlan, chat: "_Reply") -> System:
    prompts = find_prompts(plan.prompts)
    if cell.chain is None or cell.form is None:
        return ChatModel(chat, prompts=prompts)
    example = None if cell.example is None else read_example(cell.example)
    return Rag(Placeholder(plan.k), ChatGenerator(chat, example, prompts=prompts), cell.chain, cell.form, plan.k)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A chat model that always writes the same text, and counts what a model would take for it."""

    text: str
    price: Price | None
    name: str = "rehearsal"
    left_out: frozenset[str] = frozenset()

    async def complete(self, request: ChatRequest) -> Completion:
        return Completion(self.text, estimate_usage(request.messages, estimate_tokens(self.text), self.price), "stop")

    async def close(self) -> None:
        """Nothing is open."""


def _answer_to(sample: Sample) -> str:
    return (sample.reference or "").strip() or _WITHOUT_REFERENCE


def _judging(
    plan: ExperimentPlan,
    data: DataSet,
    asked: Sequence[Sample],
    judge: JudgeSettings,
    calls: CallSettings,
    *,
    cells: int,
) -> Usage:
    """Return what the judge would take for all cells of a data set, if no two systems give the same answer."""
    if not has_calls(judge):
        return Usage()
    judged = (metric for metric in make_metrics(metric_names(plan)) if metric.tasks)
    metrics = tuple(with_evidence(metric, Placeholder(plan.k), plan.k) for metric in judged)
    price = quote_of(judge.judge, calls).price
    rows: Iterator[Sample | BadRow] = iter(asked)
    if data.answers is None:
        rows = (_answered(sample, plan.k) for sample in asked)
    counted = count_scores(rows, metrics, judge, price, once=True)
    of_one = sum(counted.usage.values(), Usage())
    return of_one if data.answers is not None else sum([of_one] * cells, Usage())


def _answered(sample: Sample, k: int) -> Sample:
    context = f"{placeholder(sample.question).text[:-1]}."  # not the evidence, or both would be graded by one call
    return replace(sample, answer=_answer_to(sample), contexts=(context,) * k)
