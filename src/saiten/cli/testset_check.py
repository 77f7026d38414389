"""`saiten testset check`: the items of a test set that people should look at again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import MOST_PASSAGES, Retrieval
from saiten.cli.shared_options import DryRunOption, FormatOption, QuietOption
from saiten.cli.unfold import Omit, unfold
from saiten.options import Config, option
from saiten.settings import BATCHES, CallSettings, JudgeSettings


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the items are compared with."""

    kb: str | None = option(
        None,
        "Knowledge base of the documents as they are now: a folder made by `saiten index`, or http://HOST:6333/NAME. "
        "Default: kb next to the questions, if it is there.",
    )
    k: int = option(
        5, "Number of passages to retrieve for an item whose passage is gone.", "-k", min=1, max=MOST_PASSAGES
    )
    retrieval: Retrieval = option("hybrid", "Retrieval method.")
    pairs: int = option(
        3, "Number of similar questions whose references each one is compared with; 0 for none.", min=0, max=1_000
    )


@unfold
def check(
    testset: Annotated[
        Path,
        typer.Argument(help="Folder of a test set, or a file with questions and references (JSONL, CSV, Excel, …)."),
    ],
    *,
    typed: CheckOptions,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write the items to that need another look.")
    ] = None,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with status 5 if an item needs another look.")] = False,
    dry_run: DryRunOption = False,
    judge: JudgeSettings,
    calls: Annotated[CallSettings, Omit(BATCHES)],
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Find the items that people should look at again: duplicates, contradictions, and what the documents outdated.

    Duplicates: questions that ask the same, in the same words or in others.

    Contradictions: references of similar questions that cannot both be right. A model reads them; the offline judge
    compares only questions of nearly the same words, by numbers, names and negations.

    Documents: index the changed documents into the same knowledge base first (`saiten index DOCUMENTS --kb KB
    --prune`). An item whose documents are unchanged, or whose passages are still there word for word, needs nothing.
    For the others, passages are retrieved with question and reference, and the judge says whether they support the
    reference. Of an unanswerable question, it says whether new text answers it; the offline judge cannot know that, and
    names new text that comes near. An item without passages is looked up in the same way.

    -o writes exactly the items that need another look, with the reasons among their checks; people decide on them with
    `saiten annotate FILE --form approve`. A model's replies are kept in FILE.saiten; re-run the command to resume.

    Examples:
      saiten testset check testset
      saiten testset check testset --judge openai:gpt-4o-mini -o again.jsonl
      saiten testset check testset --judge openai:gpt-4o-mini --dry-run
      saiten testset check questions.xlsx --kb http://localhost:6333/manuals --fail

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget or calls failed, 5 with --fail if an item
    needs another look, 130 interrupted by Ctrl-C.
    """
    from saiten.cli.testset_checking import check_set, rehearse_check

    if dry_run:
        rehearse_check(testset, typed, judge, calls, form)
        return
    status = check_set(testset, typed, judge, calls, out, form, fail=fail, quiet=quiet)
    if status:
        raise typer.Exit(status)
