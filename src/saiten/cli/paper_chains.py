"""`saiten paper chains`: serial and parallel joining of documents, on one's own data sets."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from saiten.choices import MOST_AT_ONCE, MOST_PASSAGES, ChainName
from saiten.cli.paper_options import DataFolder, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.options import Config, option
from saiten.settings import JUDGE, JudgeSettings

if TYPE_CHECKING:
    from saiten.papers.chains import ChainGrid

_SYSTEMS = "Systems under test"


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """The grid, and the judge that grades it."""

    model: tuple[str, ...] = option(
        (),
        "Generator: PROVIDER:MODEL\\[@URL], hf:NAME_OR_FOLDER, or extractive\\[:SENTENCES] (no model). Repeatable. "
        "Default: extractive:1, extractive:2 and extractive:3; the paper: nine models.",
        panel=_SYSTEMS,
    )
    chain: tuple[str, ...] = option(
        (),
        "Chain: refine (serial), map_reduce (parallel) or stuff. Repeatable. Default, as in the paper: refine and "
        "map_reduce.",
        panel=_SYSTEMS,
    )
    k: int = option(5, "Number of passages per question; the paper: 5.", "-k", panel=_SYSTEMS, min=1, max=MOST_PASSAGES)
    at_once: int = option(
        1, "Questions at a time per system; with more than one, latencies are those under this load.",
        panel=_SYSTEMS, min=1, max=MOST_AT_ONCE,
    )  # fmt: skip
    example: Path | None = option(
        None, "TOML or JSON file with a worked example for all models. Default: none (zero-shot).", panel=_SYSTEMS
    )
    bertscore: str | None = option(
        None,
        "Network of BERTScore: a name on the Hugging Face hub, or a folder; the paper: multilingual BERT "
        "(bert-base-multilingual-cased). Default: BERTScore is left out.",
        panel=JUDGE,
    )
    judge: tuple[str, ...] = option(
        (),
        "Judge: offline, PROVIDER:MODEL or PROVIDER:MODEL@URL; the paper has one, GPT-4. Default: that of saiten.toml, "
        "else offline. Its other settings are read from saiten.toml.",
        panel=JUDGE,
    )

    def grid(self, config: Config) -> "ChainGrid":
        """Return the grid that is asked for.

        Raises:
            ConfigurationError: several judges are named, or an unknown chain.
        """
        from saiten.papers.chains import CHAINS, GENERATORS, ChainGrid

        judges = dict.fromkeys(self.judge)
        if len(judges) > 1:
            raise ConfigurationError(
                f"expected one judge, as in the paper, but got {len(judges)}; run the command with one, then grade "
                "its answers with each other: `saiten score OUT/experiment/scores/DATA/samples.jsonl -m accuracy "
                "--judge NAME`"
            )
        names = get_args(ChainName)
        if unknown := [each for each in self.chain if each not in names]:
            raise ConfigurationError(f"unknown chain {unknown[0]!r}; expected one of {', '.join(names)}")
        named = {"judge": next(iter(judges))} if judges else {}
        return ChainGrid(
            tuple(dict.fromkeys(self.model)) or GENERATORS,
            tuple(name for name in names if name in self.chain) or CHAINS,
            k=self.k,
            at_once=self.at_once,
            example=self.example,
            bertscore=self.bertscore,
            judge=config.settings(JudgeSettings, named),
        )


@unfold
def chains(
    data: DataFolder, *, grid: ChainOptions, how: PaperOptions, config: Config, form: FormatOption = "table"
) -> None:
    """Compare models that join documents one after another with those that join them in parallel.

    FOLDER is a data set, or has a subfolder per data set. A data set has:
      questions   question, reference; optional: id
      documents   folder of documents to answer from
      labels      optional: people's verdicts, with item QUESTION-ID@SYSTEM

    Examples:
      saiten paper chains mine --samples
      saiten paper chains mine
      saiten paper chains mine --model openai:gpt-4o-mini --model openai:gpt-4o --judge openai:gpt-4o --dry-run

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import design_place, run_design
    from saiten.papers.chains import SerialAndParallel

    asked = grid.grid(config)
    if not (how.samples or how.results):
        asked.check()
    place = design_place("chains", data, how, config, (asked.judge.judge,))
    run_design("chains", SerialAndParallel(place, asked), how, config, form)
