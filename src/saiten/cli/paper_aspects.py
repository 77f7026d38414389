"""`saiten paper aspects`: long answers, graded on several aspects."""

from dataclasses import asdict, dataclass

from saiten.choices import HELD_OUT, NoneGood
from saiten.cli.paper_options import DataFolder, PaperJudges, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.options import Config, option


@dataclass(frozen=True, slots=True)
class AspectsOptions:
    """What the design measures besides its judges; the defaults are the text's, networks are named by you."""

    votes: int | None = option(
        None, "Times to rate each aspect, averaged. The text: 1, and 3 as a variant. Default: as in saiten.toml.", min=1
    )
    perplexity: str = option("", "Causal language model for perplexity A, QA and RQA. The text: GPT-2. Default: none.")
    bertscore: str = option("", "Model for BERTScore. Default: none.")
    base: str = option("", "Open model to train as a judge of your own. The text: Llama-2-7B. Default: none.")
    held_out: float = option(HELD_OUT, "Share of the questions to hold out, as in the text.", min=0.01, max=0.9)
    none_good: NoneGood = option(
        "counted", "Preferences of annotators who find none of the answers good: counted, as in the text, or left-out."
    )


@unfold
def aspects(
    data: DataFolder,
    *,
    judges: PaperJudges,
    typed: AspectsOptions,
    how: PaperOptions,
    config: Config,
    form: FormatOption = "table",
) -> None:
    r"""Compare judges that rate an answer at once with judges that rate it aspect by aspect.

    FOLDER has two files, and two optional ones:
      answers      question, answer; optional: system, reference, id
      labels       item (the answer's id), aspect, value, annotator
      preferences  labels of pairs of answers, ID vs ID (figures 3 and 6)
      judges       grades by other judges: item, judge, aspect, value

    Examples:
      saiten paper aspects mine --samples
      saiten paper aspects mine
      saiten paper aspects mine --judge openai:gpt-4o --votes 3 --max-cost 5
      saiten paper aspects mine --perplexity openai-community/gpt2 --bertscore roberta-large
      saiten paper aspects mine --judge openai:gpt-4o --base Qwen/Qwen3-4B-Instruct-2507

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import design_place, run_design
    from saiten.papers.aspects import SeveralAspects

    design = SeveralAspects(design_place("aspects", data, how, config, judges.chosen(config)), **asdict(typed))
    if not how.samples and not how.results:
        design.check()
    run_design("aspects", design, how, config, form)
