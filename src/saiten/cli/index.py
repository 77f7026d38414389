"""`saiten index`: build a knowledge base from documents."""

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import escape_untrusted, stderr, stdout
from saiten.cli.shared_options import FormatOption, QuietOption
from saiten.cli.unfold import Omit, note_servers, unfold
from saiten.errors import BudgetSpent, CallFailed
from saiten.options import Config, option
from saiten.settings import BATCHES, CallSettings, JudgeSettings

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How documents are cut; None for what the knowledge base has, or the default of a new one."""

    chunk_size: int | None = option(
        None, "Maximum characters per chunk. Default: that of the knowledge base; 512 for a new one.", min=1
    )
    overlap: int | None = option(
        None, "Characters shared by neighboring chunks. Default: that of the knowledge base; 0 for a new one.", min=0
    )
    exact: bool | None = option(
        None,
        "Cut after exactly --chunk-size characters, or at the end of a sentence nearby. Default: as the knowledge "
        "base; at sentences for a new one.",
        "--exact-chunks/--sentence-chunks",
    )


@app.command(no_args_is_help=True)
@unfold
def index(
    documents: Annotated[list[Path], typer.Argument(help="Files, and folders to search recursively.")],
    *,
    kb: Annotated[str, typer.Option(help="Knowledge base: a folder, or http://HOST:6333/NAME on a Qdrant server.")],
    chunking: ChunkOptions,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Embedding model: builtin, st:NAME_OR_FOLDER or PROVIDER:MODEL\\[@URL]. With the prefix raw: "
            "vectors are not scaled to length 1. Default: that of the knowledge base; builtin for a new one."
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents from the knowledge base that are not among DOCUMENTS.")
    ] = False,
    calls: Annotated[CallSettings, Omit({"no_cache", *BATCHES})],
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Build a knowledge base from documents, or update one.

    Reads text, Markdown, HTML, PDF and DOCX. Only new and changed documents are read; re-run the command to resume an
    interrupted run. A document is identified by its path below the named folder. Data for all kinds of retrieval
    (dense, hybrid, bm25) is stored, so you can choose when you search.

    Examples:
      saiten index manuals/ --kb kb
      saiten index manuals/ --kb kb --prune
      saiten index manuals/ faq.md --kb kb --embedder openai:bge-m3@http://gpu1:8000/v1
      saiten index manuals/ --kb http://localhost:6333/manuals --chunk-size 256 --overlap 32
      saiten index manuals/ --kb kb --exact-chunks --embedder raw:openai:bge-m3@http://gpu1:8000/v1

    Exit status: 0 success, 2 invalid setup or input (even of a single document; the others are indexed), 3 stopped by
    the budget or a failed server, 130 interrupted by Ctrl-C.
    """
    from saiten.cli.progress import IndexProgress
    from saiten.cli.running import LEFT_OUT, STOPPED, resumable
    from saiten.views.render import render
    from saiten.views.tables.index import index_tables
    from saiten.views.tables.summary import usage_text
    from saiten.wiring import Models, index_documents, paid_for_base
    from saiten.words import Message

    note_servers(config, {"embedder": embedder})
    notes, calls = stderr(), calls.kept_in(None)  # the base itself keeps the vectors
    kept, stops = "what is stored is kept", (BudgetSpent, CallFailed)
    resuming = resumable(notes, kept=kept, unfinished=f"{kept}; re-run the command to resume", stops=stops)
    models = Models(calls)
    with IndexProgress(notes, quiet=quiet) as progress, resuming as ending:
        chosen = asdict(chunking) | {"embedder": embedder, "default_embedder": config.settings(JudgeSettings).embedder}
        indexing = index_documents(documents, kb, models, **chosen, prune=prune, watch=progress)
        done, contents = asyncio.run(indexing)
    spent = usage_text(models.account.usage, calls.currency)
    if ending.status == STOPPED:
        notes.print(spent, markup=False)
    elif not ending.status:
        chunks = Message("progress", "chunks", n=done.chunks)
        notes.print(Message("progress", "done", done=chunks, seconds=progress.seconds(), more=spent), markup=False)
    if (total := paid_for_base(kb)).calls > models.account.usage.calls:
        notes.print(Message("progress", "paid_in_all", paid=usage_text(total, calls.currency)), markup=False)
    if ending.status:
        raise typer.Exit(ending.status)
    if done.absent:
        notes.print(f"{done.absent} documents of the knowledge base were not among those given; --prune removes them")
    render(index_tables(done, contents, pruned=prune), form, stdout())
    if form == "table":
        base = "KB" if "://" in kb else escape_untrusted(kb)  # an address may hold a password
        stdout().print(
            f'look into it: saiten search "…" --kb {base}\n'
            f"answer with it: saiten answer QUESTIONS --system rag:{base} -o ANSWERS.jsonl",
            soft_wrap=True,
        )
    if done.unread:
        notes.print(f"{len(done.unread)} documents could not be read; the others are indexed")
        raise typer.Exit(LEFT_OUT)
