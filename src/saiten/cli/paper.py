"""`saiten paper`: the whole design of a paper, run on one's own data."""

import typer

from saiten.cli.paper_aspects import aspects
from saiten.cli.paper_chains import chains
from saiten.cli.paper_dialogues import dialogues
from saiten.cli.paper_gist import gist
from saiten.cli.paper_ragas import ragas

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def paper() -> None:
    """Run the whole design of a paper on a folder of your data, and print its tables in its order.

    What the design needs is checked first and listed. It then runs ordinary saiten commands, each shown as you would
    type it. Re-run the command to resume. All tables are also written to report.html in the folder of results.

    Examples:
      saiten paper gist mine --samples
      saiten paper gist mine
      saiten paper gist mine --judge openai:gpt-4o-mini --dry-run
      saiten paper gist mine --judge openai:gpt-4o-mini --max-cost 5
      saiten paper chains --help
    """


app.command("dialogues", no_args_is_help=True)(dialogues)
app.command("chains", no_args_is_help=True)(chains)
app.command("gist", no_args_is_help=True)(gist)
app.command("ragas", no_args_is_help=True)(ragas)
app.command("aspects", no_args_is_help=True)(aspects)
