"""`saiten search`: search a knowledge base."""

import asyncio
from typing import Annotated

import typer

from saiten.choices import Retrieval
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.errors import CallFailed, ConfigurationError
from saiten.options import Config
from saiten.records import Passage
from saiten.settings import CallSettings

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
@unfold
def search(
    query: Annotated[str, typer.Argument(help="Query to search for.")],
    kb: Annotated[str, typer.Option(help="Knowledge base: a folder made by `saiten index`, or http://HOST:6333/NAME.")],
    k: Annotated[int, typer.Option("-k", min=1, help="Number of passages.")] = 5,
    retrieval: Annotated[
        Retrieval, typer.Option(help="Search by embeddings, by terms (product codes, names), or by both.")
    ] = "dense",
    embedder: Annotated[
        str | None,
        typer.Option(help="New address of the knowledge base's embedding model, if it moved: PROVIDER:MODEL@URL."),
    ] = None,
    *,
    config: Config,
    form: FormatOption = "table",
) -> None:
    """Search a knowledge base, and show rank, score, source, place and text of each passage.

    Scores are inner products; with hybrid retrieval, the sum of 1 / (60 + rank) over both rankings.

    Examples:
      saiten search "How long may a printer stand idle?" --kb kb
      saiten search "RX-7800Bの設定" --kb kb --retrieval hybrid -k 10
      saiten search "返品の期限" --kb http://localhost:6333/manuals --format json
    """
    from saiten.views.render import render
    from saiten.views.tables.index import search_table
    from saiten.wiring import Models, open_knowledge_base

    # Few retries, since a user is waiting.
    calls = config.settings(CallSettings, {"no_cache": True, "retries": 1}).kept_in(None)

    async def ask() -> tuple[Passage, ...]:
        base = await open_knowledge_base(
            kb, Models(calls), embedder=embedder, retrieval=retrieval, k=k, notify=notifier(stderr())
        )
        try:
            return (await base.retrieve(query)).passages
        finally:
            await base.close()

    try:
        passages = asyncio.run(ask())
    except CallFailed as error:
        raise ConfigurationError(str(error)) from error
    render([search_table(passages, query)], form, stdout())
