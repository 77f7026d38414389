"""The run of `saiten questions`: from documents to the folder of a test set."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from saiten.choices import QUESTION_CHECKS, Format, QuestionKind
from saiten.cli import NOTHING
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import IndexProgress, QuestionProgress
from saiten.cli.question_options import QuestionOptions, numbers_by_kind
from saiten.cli.rehearse import SPENT, counting_agents, has_calls, price_captions, spent_cells
from saiten.cli.running import LEFT_OUT, resumable
from saiten.errors import BadInput, BudgetSpent, CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.judges.agents import Agents
from saiten.protocols import Judge
from saiten.rag.knowledge.base import KnowledgeBase
from saiten.records import Usage
from saiten.redaction import redact
from saiten.runs.manifest import RunSettings
from saiten.settings import CallSettings, JudgeSettings
from saiten.testsets.checking import Checks
from saiten.testsets.drafting import DRAFTING, TASKS, ModelWriter, Writer
from saiten.testsets.folder import SetFolder, refuse_foreign_folder
from saiten.testsets.making import Making, Rounds, make_set, most_tries
from saiten.testsets.offline.writer import OFFLINE_KINDS, OfflineWriter
from saiten.testsets.plan.planning import Planner, PlanSettings
from saiten.testsets.plan.slots import Slot
from saiten.testsets.reading import KB_NAME
from saiten.testsets.rehearsing import divided, rehearse
from saiten.testsets.rules.duplicates import KnownQuestions, question_of
from saiten.testsets.trying import TRYING
from saiten.views.render import render
from saiten.views.table import Table
from saiten.views.tables.questions import Yield, question_tables
from saiten.wiring import Models, assemble_agents, embedder_of, index_documents, open_knowledge_base, quote_of
from saiten.words import Message

ROLES = {"writer": DRAFTING}
"""The tasks of the writer, if it is another model than the judge."""
_MANY, _SECONDS_PER_CHUNK = 5_000, 5e-4
"""Chunks from which a note says how long planning takes, and about how long for each."""
_NEAR = 8
"""Passages that the knowledge base finds at a time."""


@dataclass(frozen=True, slots=True)
class Authors:
    """Who writes and who checks."""

    judge: JudgeSettings
    others: Mapping[str, JudgeSettings]
    """The writer, if it is another model."""

    @property
    def writer(self) -> JudgeSettings:
        """The settings of the model that writes; raises ConfigurationError for a judge that cannot write."""
        writer = self.others.get("writer", self.judge)
        if writer.judge != "offline" and not has_calls(writer):
            raise ConfigurationError(
                f"{writer.judge} cannot write questions; name a chat model with --writer, or use --judge offline"
            )
        return writer

    @property
    def has_model(self) -> bool:
        """Whether a model writes the questions; else they are cut out of sentences by rules."""
        return self.writer.judge != "offline"

    @property
    def checks(self) -> bool:
        """Whether a model checks the questions."""
        return has_calls(self.judge)

    def kept(self, agents: Judge | None, skipped: Sequence[str]) -> dict[str, object]:
        """Return what the settings of a test set keep of it."""
        described = {} if agents is None else dict(agents.describe((*DRAFTING, *TRYING)))
        checks = [name for name in QUESTION_CHECKS if name not in skipped]
        return {"writer": self.writer.judge, "asked": described, "checks": checks}


def ask_into(
    out: Path,
    documents: Sequence[Path],
    kb: str | None,
    which: QuestionOptions,
    judge: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    calls: CallSettings,
    *,
    quiet: bool,
    form: Format,
) -> int:
    """Index the documents, make the questions, and report the outcome.

    Returns:
        0, or the exit status of a run without questions, of one that can be resumed, or of one that could not read a
        document.
    """
    notes, authors = stderr(), Authors(judge, others)
    which.check()
    base = kb or str(out / KB_NAME)
    refuse_foreign_folder(out)
    described = _agents(authors, Models(replace(calls, cache=None)))
    kept = RunSettings(judge=judge.kept(), currency=calls.currency, more=authors.kept(described, sorted(which.skipped)))
    if not documents and kb is None and not (out / KB_NAME).exists():
        raise BadInput("there is nothing to ask about: name documents, or a knowledge base with --kb")
    with SetFolder.open(out, kept, notify=notifier(notes)) as folder:
        if folder.items:
            n = len(folder.kept)
            notes.print(f"{escape_untrusted(out)} already has {n} questions; resuming")
        models = Models(calls.kept_in(out))
        models.account.book = folder.paid
        progress = QuestionProgress(notes, which.n, calls.currency, before=len(folder.kept), quiet=quiet)
        resuming = resumable(notes, kept="all questions so far are kept", stops=(BudgetSpent, CallFailed))
        with resuming as ending:
            made = _index_and_make(documents, base, folder, which, authors, models, progress, quiet=quiet)
            ending.status = LEFT_OUT if asyncio.run(made) else 0
        progress.print_totals(out, Message("progress", "done_questions", n=progress.kept), models.account.usage)
        render(question_tables(_yield_of(folder, authors, progress.documents)), form, stdout())
        if form == "table" and folder.kept:
            _say_next(out)
        if ending.status in (0, LEFT_OUT) and not folder.kept:
            notes.print("[bold red]no question was kept;[/] dropped.jsonl and errors.jsonl say why")
            return NOTHING
    return ending.status


async def _index_and_make(
    documents: Sequence[Path],
    base: str,
    folder: SetFolder,
    which: QuestionOptions,
    authors: Authors,
    models: Models,
    progress: QuestionProgress,
    *,
    quiet: bool,
) -> int:
    """Return the number of documents that could not be read."""
    unread = 0
    if documents:  # in the same event loop, since both keep to the limits of a server
        unread = await _index(documents, base, models.without_store(), authors.judge.embedder, quiet=quiet)
    with progress:
        _note_shortfall(await _make(folder, base, which, authors, models, progress))
    return unread


async def _make(
    folder: SetFolder,
    base: str,
    which: QuestionOptions,
    authors: Authors,
    models: Models,
    progress: QuestionProgress,
) -> Rounds:
    async with AsyncExitStack() as stack:
        agents = _agents(authors, models)
        if agents is not None:
            stack.push_async_callback(agents.close)
        found = await open_knowledge_base(base, models, retrieval="hybrid", k=_NEAR, notify=notifier(stderr()))
        stack.push_async_callback(found.close)
        writer = _writer(authors, agents, folder.slots)
        planner, wanted = await _planned(found, which, writer.kinds, folder)
        embedder = None if authors.judge.embedder == "builtin" else embedder_of(authors.judge, models)
        if embedder is not None:
            stack.push_async_callback(embedder.close)
        known = KnownQuestions(embedder)
        await known.add_all([(item.id, question_of(item), item.reference) for item in folder.items.values()])
        judge = agents if authors.checks else None
        checks = Checks(known, judge, found, which.skipped)
        progress.documents = found.contents.documents
        rounds = Rounds(folder, planner, wanted, shared=which.kinds is None)
        making = Making(folder, writer, checks, agents)
        await make_set(making, rounds, LocalExecutor(models.calls.concurrency), progress)
        return rounds


async def _planned(
    base: KnowledgeBase, which: QuestionOptions, possible: Sequence[QuestionKind], folder: SetFolder | None
) -> tuple[Planner, dict[QuestionKind, int]]:
    """Return the planner, and how many questions of each kind are wanted."""
    shares = dict(which.shares())
    if refused := [kind for kind in shares if kind not in possible]:
        raise ConfigurationError(
            f"questions of the kind {refused[0]} take a model that writes them; name one with --judge or --writer, or "
            f"leave the kind out (without a model: {', '.join(possible)})"
        )
    kinds = tuple(shares or possible)
    settings = PlanSettings(kinds, which.persona, which.difficulties, which.language, _SEED)
    if base.contents.chunks >= _MANY:
        chunks, seconds = base.contents.chunks, base.contents.chunks * _SECONDS_PER_CHUNK
        stderr().print(f"choosing among {chunks:,} passages; this takes about {seconds:.0f} s")
    planner = await Planner.open(base, settings, folder.slots.values() if folder else ())
    for note in planner.notes:
        notifier(stderr())(note)
    for kind in kinds:
        if why := planner.why_not(kind):
            stderr().print(f"no questions of the kind {kind}: {why}")
            shares.pop(kind, None)
            kinds = tuple(each for each in kinds if each != kind)
    if not kinds:
        raise BadInput("the documents offer nothing to ask about")
    return planner, numbers_by_kind(which.n, {kind: shares.get(kind, 1.0) for kind in kinds})


_SEED = 1
"""The plan is the same for the same documents."""


def _agents(authors: Authors, models: Models) -> Judge | None:
    """Return the models as one judge; None if none is asked."""
    if not (authors.has_model or authors.checks):
        return None
    made = assemble_agents(authors.judge, authors.others, ROLES, models=models)
    return made if authors.checks or isinstance(made, Agents) else None


def _writer(authors: Authors, agents: Judge | None, plan: Mapping[str, Slot]) -> Writer:
    if not authors.has_model or agents is None:
        return OfflineWriter(plan)
    return ModelWriter(agents, redact(authors.writer.judge), tuple(TASKS))


async def _index(documents: Sequence[Path], base: str, models: Models, embedder: str, *, quiet: bool) -> int:
    """Index the documents, and return how many could not be read.

    The vectors are kept in the base, and their cost counts as that of the questions.
    """
    notes = stderr()
    with IndexProgress(notes, quiet=quiet) as progress:
        done, contents = await index_documents(documents, base, models, default_embedder=embedder, watch=progress)
    for unread in done.unread:
        notifier(notes)(f"left out: {unread.source} ({unread.reason})")
    notes.print(f"{contents.documents} documents are indexed, in {contents.chunks} passages")
    return len(done.unread)


def _note_shortfall(rounds: Rounds) -> None:
    for kind in rounds.wanted:
        if missing := rounds.missing(kind):
            tried = sum(slot.kind == kind for slot in rounds.folder.slots.values())
            line = f"{missing} questions of the kind {kind} are missing after {tried} tries"
            why = rounds.plans.why_not(kind)
            stderr().print(line if why is None else f"{line}: {why}")


def _yield_of(folder: SetFolder, authors: Authors, documents: int) -> Yield:
    without = Counter(folder.slots[slot].kind for slot in folder.without_question if slot in folder.slots)
    return Yield(tuple(folder.items.values()), without, documents, offline=not authors.has_model)


def _say_next(out: Path) -> None:
    name = escape_untrusted(out)
    stdout().print(
        f"let people decide:  saiten annotate {name} --form approve --db {name}/approve.db\n"
        f"collect answers:    saiten answer {name}/questions.jsonl --system SYSTEM -o answers.jsonl",
        soft_wrap=True,
    )


def rehearse_questions(
    documents: Sequence[Path],
    kb: str | None,
    out: Path,
    which: QuestionOptions,
    judge: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    calls: CallSettings,
    form: Format,
) -> None:
    """Print the minimum and maximum cost of a test set; documents are indexed in a temporary folder."""
    authors = Authors(judge, others)
    with TemporaryDirectory() as temporary:
        base = kb or str(out / KB_NAME)
        if documents:
            base = str(Path(temporary) / KB_NAME)
            asyncio.run(_index(documents, base, Models(replace(calls, cache=None)), "builtin", quiet=False))
        n, least, most = asyncio.run(_rehearsed(base, which, authors, calls))
    parties = dict.fromkeys((authors.writer, judge))
    prices = dict.fromkeys(each for one in parties for each in price_captions(one, quote_of(one.judge, calls)))
    ends = (("one_try_each", least), ("all_tries", most))
    table = Table(
        Message("title", "questions_would_take", n=n, judge=redact(authors.writer.judge)),
        ("tries", *SPENT, Message("column", "cost", currency=calls.currency)),
        tuple((Message("cell", name), *spent_cells(used)) for name, used in ends),
        (Message("caption", "questions_would_take"), *prices),
    )
    render([table], form, stdout())


async def _rehearsed(
    base: str, which: QuestionOptions, authors: Authors, calls: CallSettings
) -> tuple[int, Usage, Usage]:
    """Return the number of questions, and the cost if each first try passes, and if all tries are used up."""
    # by terms alone, since a paid embedder would be called for the queries
    found = await open_knowledge_base(base, Models(replace(calls, cache=None)), retrieval="bm25", k=_NEAR)
    try:
        possible = tuple(TASKS) if authors.has_model else OFFLINE_KINDS
        planner, wanted = await _planned(found, which, possible, None)
        slots = {kind: await planner.take(kind, most_tries(n)) for kind, n in wanted.items()}
    finally:
        await found.close()
    first, more = divided(slots, wanted, shared=which.kinds is None)
    if not authors.has_model:
        return len(first), Usage(), Usage()
    counting = partial(counting_agents, authors.judge, authors.others, ROLES, calls)
    least, rest = [await rehearse(some, which.skipped, counting) for some in (first, more)]
    return len(first), least, least + rest
