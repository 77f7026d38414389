"""An experiment: every system answers every question, then all answers are scored; each cell is resumable.

    OUT/kb/DATA                   the knowledge base of built-in documents
    OUT/answers/DATA/SYSTEM.jsonl the answers of one cell, with latency and usage
    OUT/scores/DATA               a run with the scores of all systems on this data set
    OUT/answers.sqlite            the judge's replies, shared by all cells
    OUT/calls.jsonl               the cost of indexing and searching; answers and scores have such files, too

Generator replies are not cached: a call answered from disk would have no latency to measure.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from saiten.data import BadRow
from saiten.demo.samples import corpus
from saiten.durable.private import private_folder
from saiten.errors import BadInput, CallFailed, ConfigurationError, NotWritten
from saiten.executor import LocalExecutor
from saiten.experiments.cells import Cell, answers_of, cells_of, has_answers, questions_of, scores_folder
from saiten.experiments.plan import DataSet, ExperimentPlan, keep_plan
from saiten.metrics.catalog import make_metrics
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.metrics.naming import is_human
from saiten.protocols import Retriever, System
from saiten.rag.extractive import extractive
from saiten.rag.knowledge.base import KnowledgeBase
from saiten.rag.knowledge.indexing import Indexed
from saiten.records import Sample, Scored
from saiten.runs import Journal, RunSettings
from saiten.runs.answers import AnswersFile, Collecting
from saiten.runs.answers.answers_file import Outcome
from saiten.runs.batches import BatchFolder
from saiten.runs.engine import Watch, run_all
from saiten.runs.locked_folder import LockedFolder, PaidCalls
from saiten.runs.manifest import MANIFEST_NAME
from saiten.runs.scoring import Scoring
from saiten.runs.signatures import signatures_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import (
    Models,
    RagSettings,
    SystemSettings,
    assemble_judge,
    assemble_rag,
    assemble_retriever,
    assemble_system,
    index_documents,
    is_model_on_server,
    knowledge_base_later,
    open_knowledge_base,
    ready,
    runs_here,
)


class Stages(Protocol):
    """Show the stage being run; each is entered when it begins and left when it ends."""

    def indexing(self, data: str) -> AbstractContextManager[Callable[[Indexed], None]]:
        """Index documents into a knowledge base."""

    def answering(self, data: str, system: str, total: int) -> AbstractContextManager[Watch[Outcome]]:
        """Answer the questions of one cell."""

    def scoring(self, data: str, total: int) -> AbstractContextManager[Watch[Scored]]:
        """Score all answers to the questions of one data set."""

    def left_out(self, data: str, what: str, reason: str) -> None:
        """Report a cell that could not be run, or a document that could not be read."""


@dataclass(frozen=True)
class Experiment:
    """A plan, the folder of its results, and the settings of its calls."""

    plan: ExperimentPlan
    folder: Path
    calls: CallSettings
    notify: Callable[[str], None]
    """Called with each note from readers and journals."""
    retry_failed: bool = False
    """Retry questions without an answer."""

    def check(self) -> None:
        """Check metrics, judge, generators, files and knowledge bases before anything is spent.

        Raises:
            ConfigurationError, BadInput: the text names the mistake.
        """
        models = Models(replace(self.calls, cache=None))
        make_metrics(metric_names(self.plan))
        assemble_judge(judge_settings(self.plan), models=models)
        for data in self.plan.data:
            next(questions_of(data, lambda _: None), None)
            if data.labels is not None and not data.labels.is_file() and not is_human(self.plan.main):
                raise BadInput(f"the labels of {data.name} do not exist: {data.labels}")
            if data.retriever is not None:
                assemble_retriever(data.retriever, models, k=self.plan.k)
            # a knowledge base without documents to index must exist
            graded = "reference" in self.plan.evidence and data.retriever is None
            needed = graded or (data.answers is None and self.plan.models)
            if needed and data.kb is not None and not data.documents:
                knowledge_base_later(data.kb, models)
            self._check_room(data)
        for system in self.plan.systems:
            assemble_system(system, SystemSettings(), models)

    async def run(self, stages: Stages) -> None:
        """Run every unfinished cell; skip and report cells whose system is misconfigured.

        Raises:
            BudgetSpent: paid results are kept.
            ConfigurationError, BadInput: judge, metrics or data are wrong; the folder holds answers made with other
                settings, or is in use by another process.
        """
        if (self.folder / MANIFEST_NAME).exists():
            raise ConfigurationError(f"{self.folder} is a run of another command; name another folder with --out")
        models = Models(self.calls)
        with LockedFolder(self.folder, self.notify) as folder, models.account.booked(PaidCalls(folder)):
            keep_plan(self.plan, self.folder)
            if self.calls.requests_per_minute or self.calls.tokens_per_minute:
                self.notify("latencies of models include waiting for the rate limit")
            # every model before the first call, which may go to the embedder of a knowledge base
            models.expect(self.plan.judge.name, "judge")
            for model in self.plan.models:
                models.expect(model.name, "generator")
            for system in self.plan.systems:
                models.expect(system, "system")
            models.expect(self.plan.judge.embedder, "embedder")
            for data in self.plan.data:
                await self._data(data, models, stages)

    async def _data(self, data: DataSet, models: Models, stages: Stages) -> None:
        await self._index(data, models, stages)
        cells = list(cells_of(self.plan, data))
        whole = True
        if data.answers is None:
            for cell in cells:
                whole &= await self._answer(cell, models, stages)
        await self._score(data, cells, models, stages, whole=whole)

    def _check_room(self, data: DataSet) -> None:
        """Raise if concurrency is below the chains' parallel calls: waiting in our queue would count as latency."""
        most = max((self._calls_at_once(cell) for cell in cells_of(self.plan, data)), default=0)
        if data.answers is None and most > self.calls.concurrency:
            raise ConfigurationError(
                f"{most} calls may be under way at once (at_once {self.plan.at_once}, k {self.plan.k}), and "
                f"{self.calls.concurrency} are allowed: latencies would include waiting for a slot. Use "
                f"--concurrency {most} or more, or lower at_once"
            )

    def _calls_at_once(self, cell: Cell) -> int:
        if (cell.generator is not None and extractive(cell.generator) is not None) or (
            cell.model is None
            and not cell.system.startswith("rag:")
            and not runs_here(cell.system)
            and not is_model_on_server(cell.spec)
        ):
            return 0
        return self.plan.at_once * (self.plan.k if cell.chain == "map_reduce" else 1)

    def kb_of(self, data: DataSet) -> str | None:
        """Return the address of its knowledge base; for built-in documents, a folder in the experiment's."""
        return data.kb or (str(self.folder / "kb" / data.name) if data.demo is not None else None)

    async def _index(self, data: DataSet, models: Models, stages: Stages) -> None:
        documents = data.documents or ((corpus(data.demo),) if data.demo is not None else ())
        kb = self.kb_of(data)
        if not documents or kb is None:
            return
        with stages.indexing(data.name) as watch:
            done, _ = await index_documents(documents, kb, models.without_store(), watch=watch)
        for unread in done.unread:
            stages.left_out(data.name, unread.source, unread.reason)

    async def _answer(self, cell: Cell, models: Models, stages: Stages) -> bool:
        """Return whether all questions were asked."""
        try:
            bare = models.without_store()
            system = await self._system(cell, bare)
            await ready(system, bare)
        except NotWritten:
            raise
        except ConfigurationError as error:
            stages.left_out(cell.data.name, cell.system, str(error))
            return False
        try:
            return await self._ask_all(cell, system, models, stages)
        finally:
            await system.close()

    async def _ask_all(self, cell: Cell, system: System, models: Models, stages: Stages) -> bool:
        whole = True
        path = cell.answers(self.folder)
        private_folder(path.parent)
        # latencies under different loads must not be mixed
        load = {} if self.plan.at_once == 1 else {"at_once": str(self.plan.at_once)}
        settings = RunSettings(more={**system.describe(), "system": system.name, "questions": cell.data.name, **load})
        total = sum(1 for _ in questions_of(cell.data, lambda _: None))
        rows = questions_of(cell.data, self.notify)
        with (
            self._answers_file(cell, path, settings) as answers,
            stages.answering(cell.data.name, cell.system, total) as watch,
        ):
            try:
                with models.account.booked(answers.paid):
                    await run_all(Collecting(system, answers), rows, LocalExecutor(self.plan.at_once), watch)
            except NotWritten:
                raise
            except ConfigurationError as error:
                stages.left_out(cell.data.name, cell.system, str(error))
                whole = False
            if answers.outdated:
                self.notify(
                    f"{answers.outdated} answers of {cell.system} to {cell.data.name} are scored with the reference "
                    "that their questions had when they were asked; to use the current ones, name another folder"
                )
        return whole

    def _answers_file(self, cell: Cell, path: Path, settings: RunSettings) -> AnswersFile:
        """Open the file; raise ConfigurationError if its answers were made with other settings than this plan's."""
        try:
            return AnswersFile.open(path, settings, cell.system, retry_failed=self.retry_failed, notify=self.notify)
        except ConfigurationError as error:
            raise ConfigurationError(
                f"{cell.system} on {cell.data.name}: {error}\n--out FOLDER starts over; --results shows what there is"
            ) from error

    async def _system(self, cell: Cell, models: Models) -> System:
        if cell.generator is None or cell.chain is None or cell.form is None:
            return assemble_system(
                cell.spec, SystemSettings(self.plan.temperature, self.plan.seed, prompts=self.plan.prompts), models
            )
        plan = self.plan
        settings = RagSettings(
            cell.chain,
            cell.form,
            plan.k,
            cell.generator,
            cell.example,
            plan.temperature,
            plan.seed,
            plan.max_tokens,
            prompts=plan.prompts,
            options=cell.options,
            headers=cell.headers,
        )
        base = await self._open(cell.data, models)
        try:
            return assemble_rag(base, settings, models)
        except BaseException:
            await base.close()
            raise

    async def _open(self, data: DataSet, models: Models) -> KnowledgeBase:
        kb = self.kb_of(data)
        if kb is None:
            raise ConfigurationError(f"{data.name} has no knowledge base; give it a kb")
        try:
            return await open_knowledge_base(
                kb, models, retrieval=self.plan.retrieval or "dense", k=self.plan.k, notify=self.notify
            )
        except CallFailed as error:
            raise ConfigurationError(f"the knowledge base of {data.name} cannot be opened: {error}") from error

    async def _evidence(self, data: DataSet, models: Models) -> Retriever:
        if data.retriever is not None:
            return assemble_retriever(data.retriever, models, k=self.plan.k)
        return await self._open(data, models)

    async def _score(self, data: DataSet, cells: list[Cell], models: Models, stages: Stages, *, whole: bool) -> None:
        there = [cell for cell in cells if data.answers is not None or has_answers(cell, self.folder)]
        if not there:
            return
        async with AsyncExitStack() as opened:
            judge = assemble_judge(judge_settings(self.plan), models=models)
            opened.push_async_callback(judge.close)
            metrics = make_metrics(metric_names(self.plan))
            if "reference" in self.plan.evidence:
                source = await self._evidence(data, models)
                opened.push_async_callback(source.close)
                metrics = tuple(with_evidence(metric, source, self.plan.k) for metric in metrics)
            signatures = signatures_of(metrics, judge)
            settings = RunSettings(data=data.name, judge=judge_settings(self.plan).kept(), currency=self.calls.currency)
            total = sum(1 for _ in self._samples(there, lambda _: None))
            run = scores_folder(self.folder, data)
            with (
                Journal.open(run, settings, signatures=signatures, notify=self.notify) as journal,
                models.account.booked(journal.paid),
                stages.scoring(data.name, total) as watch,
            ):
                models.shelf = BatchFolder(run)
                rows, executor = self._samples(there, self.notify), LocalExecutor(self.calls.at_once(len(metrics)))
                await run_all(Scoring(metrics, judge, journal), rows, executor, watch, whole=whole)

    def _samples(self, cells: list[Cell], notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        return chain.from_iterable(answers_of(cell, self.folder, notify) for cell in cells)


def metric_names(plan: ExperimentPlan) -> list[str]:
    """Return the metrics of a plan with those of its kinds of evidence, as typed."""
    modes = {"reference": "correctness"} | {m: f"correctness[evidence={m}]" for m in ("answer", "none")}
    return [*plan.metrics, *(modes[mode] for mode in plan.evidence)]


def judge_settings(plan: ExperimentPlan) -> JudgeSettings:
    """Return the settings of a plan's judge."""
    judge = plan.judge
    named = judge.name, judge.embedder, judge.temperature, judge.seed, judge.votes, judge.max_tokens, judge.logprobs
    return JudgeSettings(
        *named,
        calibration=judge.calibration,
        separate_calls=judge.separate_calls,
        retry_refusals=judge.retry_refusals,
        prompts=plan.prompts,
        judge_options=judge.options,
        judge_headers=judge.headers,
        embedder_options=judge.embedder_options,
        embedder_headers=judge.embedder_headers,
    )
