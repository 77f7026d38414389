"""`saiten tune judge`: train a judge on human grades."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saiten.choices import HELD_OUT, HeadName
from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, QuietOption, SampleColumnOption
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.options import option

if TYPE_CHECKING:
    from saiten.tuning.judge.head import Learning

_LEARNING = "Training"


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """The training settings; None for the default of the judge's kind."""

    epochs: int | None = option(None, "Number of passes over the examples.", panel=_LEARNING, min=1, max=10_000)
    learning_rate: float | None = option(None, "Learning rate. Default: 2e-4 (chat).", panel=_LEARNING, min=0.0)
    batch: int | None = option(None, "Number of examples per step.", panel=_LEARNING, min=1, max=10_000)
    rank: int | None = option(None, "Rank of the LoRA adapter.", panel=_LEARNING, min=1, max=4_096)
    max_length: int | None = option(None, "Maximum tokens per example.", panel=_LEARNING, min=16, max=1_000_000)


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The judge to make."""

    base: str = option("", "Model to train: a folder, or a name on the Hugging Face hub.")
    out: Path = option(Path("judge"), "Folder for the judge.", "--out", "-o")
    samples: Path | None = option(None, "File of the labeled samples; not needed with a run.", "--samples", "-s")
    head: HeadName = option("chat", "chat: a language model that writes a reply; regression: a small encoder.")
    aspect: tuple[str, ...] = option((), "Learn only this aspect. Default: all. Repeatable.", "--aspect", "-a")
    rubric: str = option("", "TOML file with aspects and scales. Default: the four aspects of long answers.")
    prompts: Path | None = option(None, "Folder with prompts of your own, or a preset; for chat models.")
    held_out: float = option(HELD_OUT, "Share of the questions to hold out for evaluation.", min=0.01, max=0.9)
    seed: int = option(0, "Seed of the split and of training.", min=0, max=2**32 - 1)
    compare_base: bool = option(False, "Also evaluate the base before training, which takes as long as the judge.")


@unfold
def judge(
    labels: Annotated[
        Path, typer.Argument(help="File of labels with item (the id of a sample), aspect, value, annotator, reason.")
    ],
    run: Annotated[Path | None, typer.Argument(help="Run with the labeled samples.")] = None,
    *,
    typed: JudgeOptions,
    learning: LearningOptions,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    form: FormatOption = "table",
    quiet: QuietOption = False,
) -> None:
    r"""Train an open model to grade like the people who graded these answers.

    Training uses the prompts of the metrics (`aspects`, `correctness`, `accuracy`); several annotators are averaged. A
    fifth of the questions is held out, on which the finished judge is compared with people, per aspect. Re-run the
    command to resume an interrupted training from its last checkpoint. Requires: pip install "saiten\[train]"

    Examples:
      saiten tune judge labels.jsonl runs/first --base Qwen/Qwen3-4B-Instruct-2507 -o judge
      saiten tune judge labels.csv -s answers.jsonl --base models/qwen -a factuality --compare-base
      saiten tune judge labels.csv -s answers.jsonl --head regression --base intfloat/multilingual-e5-small
      saiten score new.jsonl -m aspects --judge hf:judge
    """
    from saiten.cli.reading import labeled_samples, read_said
    from saiten.cli.tune_judge_progress import MakingProgress
    from saiten.metrics.rubrics import read_rubric
    from saiten.prompts import find_prompts
    from saiten.tuning.judge.examples import build
    from saiten.tuning.judge.judge_plan import JudgePlan, make_head
    from saiten.tuning.judge.making import make_judge
    from saiten.views.render import render
    from saiten.views.tables.tuned_judge import tuned_judge_tables
    from saiten.views.tuned_judge_card import card

    notes = stderr()
    if not typed.base.strip():
        raise ConfigurationError("name the model to train with --base: a folder, or a name on the Hugging Face hub")
    prompts = find_prompts(typed.prompts)
    kind, out = make_head(typed.head, prompts), typed.out
    kind.check()
    settings = _learning(kind.defaults(typed.base), learning, typed.seed)
    plan = JudgePlan(typed.head, kind, settings, typed.held_out, read_rubric(typed.rubric), prompts)
    said = list(read_said(labels, column))
    built = build(said, labeled_samples(run, typed.samples, sample_column), plan.rubric, typed.aspect)
    progress = MakingProgress(notes, quiet=quiet)
    try:
        own = make_judge(
            built, plan, out, progress, card=lambda own: card(own, out.name), compare_base=typed.compare_base
        )
    except KeyboardInterrupt:
        progress.close()
        notes.print("[yellow]interrupted:[/] checkpoints are kept; re-run the command to resume")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        progress.close()
    every = [own.held_out, *((own.base_held_out,) if own.base_held_out else ())]
    render(tuned_judge_tables(every, own.notes), form, stdout(), f"Your own judge: {out.name}")
    notes.print(f"{escape_untrusted(out)} is ready; use it with --judge hf:{escape_untrusted(out)}")


def _learning(defaults: "Learning", typed: LearningOptions, seed: int) -> "Learning":
    chosen = {name: value for name, value in asdict(typed).items() if value is not None}
    if "rank" in chosen and defaults.rank is None:
        raise ConfigurationError("--rank is for --head chat; all weights of an encoder are trained")
    if chosen.get("learning_rate") == 0:
        raise ConfigurationError("--learning-rate must be above 0")
    return replace(defaults, seed=seed, **chosen)
