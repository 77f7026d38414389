"""`saiten join`: a run in shards as one ordinary run."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.shared_options import QuietOption

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
def join(
    run: Annotated[Path, typer.Argument(help="Folder of a run in shards, from --executor ray.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="New folder for the joined run.")],
    quiet: QuietOption = False,
) -> None:
    """Join the shards of a run into one ordinary run, in the order of the input.

    Every command reads a run in shards as it is. Join it to resume it on one machine, or to use its files elsewhere:
    samples.jsonl and scores.jsonl then are in the order of the input.

    Examples:
      saiten join runs/big -o runs/big-joined
    """
    from saiten.cli.output import escape_untrusted, notifier, stderr
    from saiten.cli.progress import DrawnLine
    from saiten.runs import read_run
    from saiten.runs.joining_shards import join_shards
    from saiten.words import Message

    notes = stderr()
    reader = read_run(run, notify=notifier(notes))
    line = DrawnLine(notes, Message("progress", "shards"), len(reader.folders), quiet=quiet)
    scores = 0
    with line:
        for done, scores in enumerate(join_shards(reader, out), 1):
            line.draw(done, lambda: Message("progress", "scores", n=scores))  # noqa: B023 - called at once
    if reader.unfinished:
        notes.print(f"[yellow]not finished:[/] {escape_untrusted(run)}; what it has so far was joined")
    notes.print(f"{scores} scores are in {escape_untrusted(out)}")
