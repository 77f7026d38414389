"""`saiten tune judge`: train a judge on people's grades."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saiten.choices import HELD_OUT, HeadName
from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, QuietOption, SampleColumnOption, read_columns
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.options import option

if TYPE_CHECKING:
    from saiten.judges.tuned import TunedJudge
    from saiten.tuning.judge.head import Learning

_LEARNING = "Learning"


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """The training settings; None for the default of the judge's kind."""

    epochs: int | None = option(None, "How often each example is seen.", panel=_LEARNING, min=1)
    learning_rate: float | None = option(None, "Default: 2e-4 (chat).", panel=_LEARNING, min=0.0)
    batch: int | None = option(None, "Examples that a step learns from.", panel=_LEARNING, min=1)
    rank: int | None = option(None, "Of what is learned beside the base (LoRA).", panel=_LEARNING, min=1)
    max_length: int | None = option(None, "Tokens of an example at most.", panel=_LEARNING, min=16)


@unfold
def judge(
    labels: Annotated[
        Path, typer.Argument(help="JSONL or CSV: item (the id of a sample), aspect, value, annotator, reason.")
    ],
    run: Annotated[Path | None, typer.Argument(help="A run, for the samples that were labelled.")] = None,
    *,
    base: Annotated[str, typer.Option("--base", help="The model to train: a folder, or a name on the hub.")] = "",
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the judge.")] = Path("judge"),
    samples: Annotated[
        Path | None, typer.Option("--samples", "-s", help="The samples that were labelled; not needed with a run.")
    ] = None,
    head: Annotated[
        HeadName, typer.Option(help="chat: a language model that writes a reply; regression: a small encoder.")
    ] = "chat",
    aspect: Annotated[
        list[str] | None, typer.Option("--aspect", "-a", help="Learn only this aspect. Default: all. Repeatable.")
    ] = None,
    rubric: Annotated[
        str, typer.Option(help="A TOML file with aspects and scales. Default: the four aspects of long answers.")
    ] = "",
    held_out: Annotated[
        float, typer.Option("--held-out", min=0.01, max=0.9, help="Share of the questions to measure on.")
    ] = HELD_OUT,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of the split and of the learning.")] = 0,
    compare_base: Annotated[
        bool, typer.Option("--compare-base", help="Measure the base as it was before, too; as slow as the judge.")
    ] = False,
    learning: LearningOptions,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    form: FormatOption = "table",
    quiet: QuietOption = False,
) -> None:
    r"""Make a judge of your own: an open model learns to grade as the people did who graded these answers.

    It is taught with the prompts that the metrics use (`aspects`, `correctness`, `accuracy`), several annotators
    averaged. A fifth of the questions is held out; on these the finished judge is held against people, aspect by
    aspect. Cut off, the same command goes on from the last checkpoint. Needs: pip install "saiten\[train]"

    Examples:
      saiten tune judge labels.jsonl runs/first --base Qwen/Qwen3-4B-Instruct-2507 -o judge
      saiten tune judge labels.csv -s answers.jsonl --base models/qwen -a factuality --compare-base
      saiten tune judge labels.csv -s answers.jsonl --head regression --base intfloat/multilingual-e5-small
      saiten score new.jsonl -m aspects --judge hf:judge
    """
    from saiten.cli.labels import read_said
    from saiten.cli.tune_judge_progress import MakingProgress
    from saiten.cli.tune_samples import samples_of
    from saiten.metrics.rubrics import read_rubric
    from saiten.tuning.judge.building import build
    from saiten.tuning.judge.making import HEADS, JudgePlan, make_judge
    from saiten.views.tuned_judge_card import card

    notes = stderr()
    if not base.strip():
        raise ConfigurationError(
            "which model is to learn? Name a folder or a name on the Hugging Face hub with --base, for example "
            "--base Qwen/Qwen3-4B-Instruct-2507"
        )
    kind = HEADS[head]()
    kind.check()
    plan = JudgePlan(head, kind, _learning(kind.defaults(base), learning, seed), held_out, read_rubric(rubric))
    said = list(read_said(labels, read_columns(column or []), notes))
    found = samples_of(run, samples, sample_column or [], notes)
    built = build(said, found, plan.rubric, tuple(aspect or ()))
    progress = MakingProgress(notes, notifier(notes), quiet=quiet)
    try:
        own = make_judge(built, plan, out, progress, card=lambda own: card(own, out.name), compare_base=compare_base)
    except KeyboardInterrupt:
        progress.close()
        notes.print("[yellow]interrupted:[/] what was learned is kept; the same command goes on from here")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        progress.close()
    _show(own, form, out)


def _learning(defaults: "Learning", typed: LearningOptions, seed: int) -> "Learning":
    chosen = {name: value for name, value in asdict(typed).items() if value is not None}
    if "rank" in chosen and defaults.rank is None:
        raise ConfigurationError("--rank is for --head chat; an encoder learns as a whole. Leave it out")
    if chosen.get("learning_rate") == 0:
        raise ConfigurationError("with --learning-rate 0 nothing is learned; leave it out for the default")
    return replace(defaults, seed=seed, **chosen)


def _show(own: "TunedJudge", form: str, out: Path) -> None:
    from saiten.views.render import render
    from saiten.views.tables.tuned_judge import tuned_judge_tables

    every = [own.held_out, *((own.base_held_out,) if own.base_held_out else ())]
    render(tuned_judge_tables(every, own.notes), form, stdout(), f"A judge of one's own: {out.name}")  # type: ignore[arg-type]
    stderr().print(f"{escape_untrusted(out)} is done; use it with --judge hf:{escape_untrusted(out)}")
