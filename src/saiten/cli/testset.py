"""`saiten testset`: what comes after the questions: people's decisions, checks, worth, export."""

import typer

from saiten.cli.testset_accept import accept
from saiten.cli.testset_check import check
from saiten.cli.testset_export import export
from saiten.cli.testset_worth import worth

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def testset() -> None:
    """Work with a test set: take over decisions, check it, see what it is worth, export it.

    `saiten questions` makes a test set from documents, and `saiten annotate --form approve` has people decide on it.
    """


app.command("accept")(accept)
app.command("worth", no_args_is_help=True)(worth)
app.command("export", no_args_is_help=True)(export)
app.command("check", no_args_is_help=True)(check)
