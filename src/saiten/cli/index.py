"""`saiten index`: documents become a knowledge base."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli import INTERRUPTED
from saiten.cli.output import FormatOption, QuietOption, escape_untrusted, stderr, stdout
from saiten.cli.unfold import Omit, note_servers, unfold
from saiten.errors import BudgetSpent, CallFailed
from saiten.options import Config
from saiten.settings import CallSettings, JudgeSettings

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
@unfold
def index(
    documents: Annotated[list[Path], typer.Argument(help="Files, or folders with all that is below them.")],
    kb: Annotated[str, typer.Option(help="A folder, or http://HOST:6333/NAME on a Qdrant server.")],
    chunk_size: Annotated[
        int | None, typer.Option(min=1, help="Characters of a chunk at most. Default: as the base has it; 512.")
    ] = None,
    overlap: Annotated[
        int | None, typer.Option(min=0, help="Characters that neighbours share. Default: as the base has it; 0.")
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact-chunks/--sentence-chunks",
            help="Cut after exactly --chunk-size characters, wherever that falls, or where a sentence ends nearby. "
            "Default: as the base has it; sentences.",
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="builtin, st:NAME_OR_FOLDER, openai:MODEL or openai:MODEL@URL; raw: before a model keeps its vectors "
            "as they come instead of scaling them to length 1. Default: as the base has it; builtin."
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents of the base that are not among those given.")
    ] = False,
    *,
    calls: Annotated[CallSettings, Omit({"no_cache"})],
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Make a knowledge base of documents, or bring one up to date.

    Reads text, Markdown, HTML, PDF and DOCX. The same command again reads only what changed, and goes on where it was
    cut off. A document is known by its path below the folder that is named here. What the base needs for every kind of
    retrieval (dense, hybrid, bm25) is always stored; which one is chosen when searching.

    Examples:
      saiten index manuals/ --kb kb
      saiten index manuals/ --kb kb --prune
      saiten index manuals/ faq.md --kb kb --embedder openai:bge-m3@http://gpu1:8000/v1
      saiten index manuals/ --kb http://localhost:6333/manuals --chunk-size 256 --overlap 32
      saiten index manuals/ --kb kb --exact-chunks --embedder raw:openai:bge-m3@http://gpu1:8000/v1

    Exit status: 0 done, 2 wrong set-up or input, 3 stopped by the budget or a server that failed, 130 by Ctrl-C.
    """
    from saiten.cli.index_progress import IndexProgress
    from saiten.cli.running import STOPPED
    from saiten.views.render import render
    from saiten.views.tables.index import index_tables
    from saiten.views.tables.summary import usage_text
    from saiten.wiring import Models, index_documents

    note_servers(config, {"embedder": embedder})
    notes = stderr()
    calls = calls.kept_in(None)  # the base itself keeps the vectors
    with IndexProgress(notes, quiet=quiet) as progress:
        try:
            done, contents = asyncio.run(
                index_documents(
                    documents,
                    kb,
                    Models(calls),
                    embedder=embedder,
                    default_embedder=config.settings(JudgeSettings).embedder,
                    chunk_size=chunk_size,
                    overlap=overlap,
                    exact=exact,
                    prune=prune,
                    watch=progress.show,
                )
            )
        except (BudgetSpent, CallFailed) as error:
            notes.print(f"[yellow]stopped:[/] {escape_untrusted(error)}")
            notes.print("what is stored stays; the same command goes on from here")
            notes.print(usage_text(progress.done.usage, calls.currency), markup=False)
            raise typer.Exit(STOPPED) from None
        except KeyboardInterrupt:
            notes.print("[yellow]interrupted:[/] what is stored stays; the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
    notes.print(
        f"{done.chunks} chunks in {progress.seconds():.1f} s; {usage_text(done.usage, calls.currency)}", markup=False
    )
    if done.absent:
        notes.print(f"{done.absent} documents of the base were not among those given and stay; --prune removes such")
    render(index_tables(done, contents, pruned=prune), form, stdout())
    if form == "table":
        base = "KB" if "://" in kb else escape_untrusted(kb)  # an address may hold a password
        stdout().print(
            f'look into it: saiten search "…" --kb {base}\n'
            f"answer with it: saiten answer QUESTIONS --system rag:{base} -o ANSWERS.jsonl",
            soft_wrap=True,
        )
