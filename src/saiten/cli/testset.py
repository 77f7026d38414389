"""`saiten testset`: what comes after the questions: people's decisions, checks, worth, export."""

import typer

from saiten.cli.testset_accept import accept
from saiten.cli.testset_check import check
from saiten.cli.testset_export import export
from saiten.cli.testset_worth import worth

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def testset() -> None:
    """Work with a test set: apply what people decided, check it again, see what it is worth, export it.

    `saiten questions` makes a test set from documents, and `saiten annotate --form approve` has people decide on it.

    Examples:
      saiten testset accept testset decisions.jsonl -o approved.jsonl --open open.jsonl
      saiten testset check testset -o again.jsonl
      saiten testset worth testset runs/before runs/after -o worth.html
      saiten testset export testset --as ragas -o ragas.jsonl
      saiten testset check --help
    """


app.command("accept")(accept)
app.command("worth", no_args_is_help=True)(worth)
app.command("export", no_args_is_help=True)(export)
app.command("check", no_args_is_help=True)(check)
