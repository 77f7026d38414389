"""`saiten paper ragas`: the nine metrics of RAGAS on one data set."""

from saiten.cli.paper_options import DataFolder, PaperJudges, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.options import Config


@unfold
def ragas(
    data: DataFolder, *, judges: PaperJudges, how: PaperOptions, config: Config, form: FormatOption = "table"
) -> None:
    """Score one data set with all nine metrics of RAGAS.

    FOLDER has one file:
      answers   question, answer, contexts, reference; optional: system, id

    Examples:
      saiten paper ragas mine --samples
      saiten paper ragas mine
      saiten paper ragas mine --judge openai:gpt-4o-mini --dry-run

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import place_of, run_design
    from saiten.papers.ragas import NineMetrics

    run_design("ragas", NineMetrics(place_of("ragas", data, how, judges.chosen(config))), how, config, form)
