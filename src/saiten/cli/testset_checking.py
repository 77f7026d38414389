"""The run of `saiten testset check`, and its dry run."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path

from saiten.choices import Format
from saiten.cli import MISSED
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import DrawnLine
from saiten.cli.rehearse import SPENT, Planned, has_calls, price_captions, spent_cells
from saiten.cli.running import STOPPED, resumable
from saiten.cli.testset_check import CheckOptions
from saiten.durable.whole_file import write_whole
from saiten.errors import CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.judges.rehearsal import Rehearsal
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.prompts import find_prompts
from saiten.protocols import Embedder, Judge, Retriever
from saiten.rag.knowledge.opening import CHUNK_SIZE
from saiten.records import Passage, Retrieved
from saiten.redaction import redact
from saiten.runs.answers.answers_file import folder_of
from saiten.runs.engine import awake
from saiten.runs.lines import to_line
from saiten.runs.locked_folder import LockedFolder, PaidCalls
from saiten.settings import CallSettings, JudgeSettings
from saiten.testsets.items import SetItem, item_to_json
from saiten.testsets.reading import file_of_set, items_of, kb_next_to
from saiten.testsets.upkeep.checkup import Checkup
from saiten.testsets.upkeep.documents import known_documents, read_base
from saiten.testsets.upkeep.findings import SetCheck
from saiten.testsets.upkeep.freshness import Freshness
from saiten.views.render import render
from saiten.views.table import Table
from saiten.views.tables.summary import spent_text
from saiten.views.tables.test_set_check import check_tables
from saiten.wiring import Models, assemble_judge, embedder_of, open_knowledge_base, quote_of
from saiten.words import Message

_KEPT = "replies so far are kept"
_UNFINISHED = "what was found so far follows; re-run the command to look at the rest"
_DIMENSIONS = 1024
"""Of the built-in embedder's vectors of questions."""
_QUERIES = 4
"""Items looked at in parallel without a model, whose time goes to the knowledge base."""


def check_set(
    path: Path,
    typed: CheckOptions,
    judge: JudgeSettings,
    calls: CallSettings,
    out: Path | None,
    form: Format,
    *,
    fail: bool,
    quiet: bool,
) -> int:
    """Check the set, print what was found, and write the items to look at again.

    Returns:
        The exit status.
    """
    notes = stderr()
    items = items_of(path, notify=notifier(notes))
    if out is not None:
        _may_write(out, path)
    folder = folder_of(file_of_set(path)) if _sends(judge) else None
    models = Models(calls.kept_in(folder))
    checkup = Checkup(items, assemble_judge(judge, models=models))
    progress = DrawnLine(notes, Message("progress", "looks"), None, quiet=quiet)
    with nullcontext() if folder is None else LockedFolder(folder, notifier(notes)) as kept:
        models.account.book = None if kept is None else PaidCalls(kept)
        with progress, resumable(notes, kept=_KEPT, unfinished=_UNFINISHED) as ending:
            asyncio.run(_run(checkup, typed, path, judge, models, progress))
    found = checkup.result()
    if spent := spent_text(models.account.usage, calls.currency):
        notifier(notes)(spent)
    render(check_tables(found), form, stdout(), path.name)
    if out is not None and ending.status:
        notes.print(f"{escape_untrusted(out)} was not written, since the check is not finished")
    elif out is not None:
        _write(out, found)
    return ending.status or _status(found, fail=fail)


async def _run(
    checkup: Checkup, typed: CheckOptions, path: Path, judge: JudgeSettings, models: Models, progress: DrawnLine
) -> None:
    embedder = _embedder(judge, models)
    async with awake(), AsyncExitStack() as stack:
        for each in (checkup.judge, embedder):
            stack.push_async_callback(each.close)
        try:
            opened = _freshness(checkup.items, typed, path, checkup.judge, models, reads=has_calls(judge))
            checkup.freshness = await stack.enter_async_context(opened)
            await checkup.prepare(embedder, typed.pairs)
        except CallFailed as error:
            raise ConfigurationError(str(error)) from error
        looks = checkup.looks
        if looks:
            await checkup.judge.preflight()
        at_once, currency = models.calls.concurrency if has_calls(judge) else _QUERIES, models.calls.currency
        await checkup.run(
            LocalExecutor(at_once),
            looks,
            lambda done: progress.draw(done.done, lambda: spent_text(done.usage, currency), len(looks)),
        )


@asynccontextmanager
async def _freshness(
    items: Sequence[SetItem],
    typed: CheckOptions,
    path: Path,
    judge: Judge,
    models: Models,
    *,
    reads: bool,
    retriever: Retriever | None = None,
) -> AsyncIterator[Freshness | None]:
    """Open the base, and yield what looks at it; None without one. `retriever` is asked instead of the base."""
    notify = notifier(stderr())
    place = typed.kb or kb_next_to(path)
    if place is None:
        notify("there is no knowledge base, so nothing is said about changed documents; name it with --kb KB")
        yield None
        return
    base = await open_knowledge_base(place, models, retrieval=typed.retrieval, k=typed.k, notify=notify)
    try:
        now = await read_base(base, items)
        known = known_documents(items)
        if known and not known.keys() & now.digests.keys():
            notify(f"none of the {len(known)} documents that the items are from is in {place}; is it the right one?")
        yield Freshness(now, retriever or base, judge, known, typed.k, reads)
    finally:
        await base.close()


def _sends(judge: JudgeSettings) -> bool:
    """Return whether anything is sent to a model, whose replies are then kept."""
    return has_calls(judge) or judge.embedder != "builtin"


def _embedder(judge: JudgeSettings, models: Models) -> Embedder:
    if judge.embedder == "builtin":
        return BuiltinEmbedder(_DIMENSIONS)
    return embedder_of(judge, models)


def _may_write(out: Path, path: Path) -> None:
    """Raise ConfigurationError before anything is spent if the items cannot be written there."""
    if out.resolve() == file_of_set(path).resolve():
        raise ConfigurationError(f"--out {out} is the test set itself, which would be lost; name another file")
    if out.is_dir() or not out.parent.is_dir():
        raise ConfigurationError(f"--out {out} is a folder, or its folder does not exist; name another file")


def _write(out: Path, found: SetCheck) -> None:
    """Write the items to look at again; a file of an earlier check is replaced, if only by an empty one."""
    again = found.items_again()
    text = b"".join(to_line(item_to_json(item)) for item in again)
    write_whole(out, text.decode(), shared=True, otherwise="name another file with --out")
    stderr().print(f"items to look at again: {len(again)}, in {escape_untrusted(out)}")


def _status(found: SetCheck, *, fail: bool) -> int:
    if found.unchecked:
        stderr().print(f"{found.unchecked} checks could not be made; re-run the command to try them again")
    if fail and found.again:
        return MISSED
    return STOPPED if found.unchecked else 0


class _Assumed:
    """A retriever of k passages of typical length, for counting."""

    name = "assumed"

    def __init__(self, k: int) -> None:
        self._k = k

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        return Retrieved((Passage("x" * CHUNK_SIZE),) * (k or self._k))

    async def close(self) -> None:
        """Nothing is open."""


def rehearse_check(path: Path, typed: CheckOptions, judge: JudgeSettings, calls: CallSettings, form: Format) -> None:
    """Print how many looks a check takes, and what they would cost; no model is called."""
    items = items_of(path, notify=notifier(stderr()))
    quote = quote_of(judge.judge, calls)
    counting = Rehearsal(OfflineJudge(BuiltinEmbedder()), find_prompts(judge.prompts), quote.price)
    checkup = Checkup(items, Planned(counting, judge.votes, once=calls.cache is not None))

    async def run() -> None:
        opened = _freshness(
            items, typed, path, checkup.judge, Models(calls), reads=has_calls(judge), retriever=_Assumed(typed.k)
        )
        async with opened as checkup.freshness:
            await checkup.prepare(BuiltinEmbedder(_DIMENSIONS), typed.pairs)
            await checkup.run(LocalExecutor(1), checkup.looks)

    asyncio.run(run())
    compared = len(checkup.pairs.pairs)
    cells = spent_cells(checkup.usage) if has_calls(judge) else (0, 0, 0, 0.0)
    table = Table(
        Message("title", "check_would_take", n=len(items), judge=redact(judge.judge)),
        ("pairs_to_compare", "items_to_look_up", *SPENT, Message("column", "cost", currency=calls.currency)),
        ((compared, checkup.done - compared, *cells),),
        (Message("caption", "check_would_take"), *price_captions(judge, quote)),
    )
    render([table], form, stdout())
