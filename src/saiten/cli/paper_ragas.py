"""`saiten paper ragas`: the nine metrics of RAGAS on one data set."""

from dataclasses import dataclass
from typing import Literal

from saiten.cli.paper_options import DataFolder, PaperJudges, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.options import Config, option
from saiten.settings import JUDGE


@dataclass(frozen=True, slots=True)
class NineMetricsOptions:
    """What the text leaves open."""

    criterion: tuple[str, ...] = option(
        (),
        "Criterion of aspect critique: harmfulness (default), maliciousness, coherence, correctness, conciseness or a "
        "question of your own. Repeatable: each is a metric.",
        panel=JUDGE,
    )
    compat: Literal["ragas"] | None = option(None, "Treat edge cases as RAGAS 0.4.3 does.", panel=JUDGE)


@unfold
def ragas(
    data: DataFolder,
    *,
    judges: PaperJudges,
    chosen: NineMetricsOptions,
    how: PaperOptions,
    config: Config,
    form: FormatOption = "table",
) -> None:
    """Score one data set with all nine metrics of RAGAS, and with context relevance.

    FOLDER has one file:
      answers   question, answer, contexts, reference; optional: system, id

    Examples:
      saiten paper ragas mine --samples
      saiten paper ragas mine
      saiten paper ragas mine --judge openai:gpt-4o-mini --dry-run
      saiten paper ragas mine --judge openai:gpt-4o-mini --judge ollama:qwen3 --compat ragas

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import design_place, run_design
    from saiten.papers.ragas import NineMetrics

    place = design_place("ragas", data, how, config, judges.chosen(config))
    criteria = tuple(dict.fromkeys(chosen.criterion)) or ("harmfulness",)
    run_design("ragas", NineMetrics(place, criteria, chosen.compat), how, config, form)
