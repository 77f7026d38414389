"""`saiten paper gist`: what answers lack and add, as people mark it and as judges do."""

from dataclasses import dataclass
from pathlib import Path

from saiten.cli.paper_options import DataFolder, PaperJudges, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.options import Config, option


@dataclass(frozen=True, slots=True)
class GistOptions:
    """How units are found, and whose labels count."""

    role: str = option(
        "",
        "Role of the judge, such as 'a professional accountant' (the paper's). Default: an expert on the subject.",
    )
    examples: Path | None = option(None, "TOML file of worked examples for the judge. Default: those of the prompts.")
    annotator: str = option("", "Annotator whose labels count. Default: all; needed if several split the references.")
    sample: str = option("", "ID of the answer in figures 2 and 3. Default: the first that most sides marked.")


@unfold
def gist(
    data: DataFolder,
    *,
    judges: PaperJudges,
    options: GistOptions,
    how: PaperOptions,
    config: Config,
    form: FormatOption = "table",
) -> None:
    """Find what answers lack and add to the reference, and compare each judge with people.

    FOLDER has:
      answers   question, answer, reference; optional: system, id
      labels    optional: item, annotator, spans, and aspect: gist, supplement,
                missing_gist, missing_supplement, extra_gist, extra_supplement

    Examples:
      saiten paper gist mine --samples
      saiten paper gist mine
      saiten paper gist mine --judge openai:gpt-4o-mini --role 'a professional accountant' --dry-run
      saiten paper gist mine --sample q17 --format html > gist.html

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import design_place, run_design
    from saiten.papers.gist import GistAndSupplement

    place = design_place("gist", data, how, config, judges.chosen(config))
    design = GistAndSupplement(place, options.role, options.examples, options.annotator, options.sample)
    run_design("gist", design, how, config, form)
