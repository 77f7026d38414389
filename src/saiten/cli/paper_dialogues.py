"""`saiten paper dialogues`: graded correctness next to people's grades, and dialogues with two systems."""

from dataclasses import dataclass

from saiten.choices import MAX_TURNS, MOST_PASSAGES, LastGrade, Questioning
from saiten.cli.paper_options import DataFolder, PaperJudges, PaperOptions
from saiten.cli.shared_options import FormatOption
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.options import Config, option

_DESIGN = "Design"  # heading in the help


@dataclass(frozen=True, slots=True)
class DialogueDesign:
    """What may differ from the papers."""

    qa: str | None = option(
        None,
        "System that answers each question alone, as `saiten converse --system`; needs --mqa. Default: the built-in "
        "RAG on FOLDER/documents.",
        panel=_DESIGN,
    )
    mqa: str | None = option(
        None,
        "System that also knows the history, likewise; needs --qa. Default: the built-in RAG on FOLDER/documents.",
        panel=_DESIGN,
    )
    generator: str | None = option(
        None, "Generator of the built-in RAG: extractive (default; no model) or PROVIDER:MODEL\\[@URL].", panel=_DESIGN
    )
    max_turns: int = option(
        MAX_TURNS, "Maximum number of questions to a system; 5 in the paper.", panel=_DESIGN, min=1, max=1_000
    )
    k: int = option(
        5, "Number of passages of evidence and of the built-in RAG.", "-k", panel=_DESIGN, min=1, max=MOST_PASSAGES
    )
    bertscore: str | None = option(
        None,
        "Model of BERTScore, such as bert-base-multilingual-cased. Default: no BERTScore, since it needs PyTorch.",
        panel=_DESIGN,
    )
    retriever: str | None = option(
        None, "Retriever of the evidence instead of FOLDER/documents, as `saiten score --retriever`.", panel=_DESIGN
    )
    questioning: Questioning = option(
        "published",
        "How the next question is made, as `saiten converse --questioning`. published: two calls, as in the paper.",
        panel=_DESIGN,
    )
    last_grade: LastGrade = option(
        "replaces",
        "Grade of the rewritten answer in the scores, as `saiten converse --last-grade`; the papers leave it open.",
        panel=_DESIGN,
    )
    dialogue: str | None = option(
        None,
        "Id of the question whose dialogue figure 8 shows. Default: that with the largest rise.",
        panel=_DESIGN,
    )

    @property
    def systems(self) -> tuple[str, str] | None:
        """Return the two systems; None for the built-in ones. Raises ConfigurationError if only one is named."""
        if self.qa is not None and self.mqa is not None:
            return self.qa, self.mqa
        if (self.qa, self.mqa) != (None, None):
            raise ConfigurationError("--qa and --mqa name the two systems that are compared; name both, or neither")
        return None


@unfold
def dialogues(
    data: DataFolder,
    *,
    design: DialogueDesign,
    judges: PaperJudges,
    how: PaperOptions,
    config: Config,
    form: FormatOption = "table",
) -> None:
    """Grade answers with two kinds of evidence next to people's grades, and hold dialogues with two systems.

    FOLDER has up to four files; only the first is required:
      answers     question, answer, reference, contexts; optional: system, id, evidence
      labels      item, value: people's grades of the answers, 0 to 5; optional: annotator, aspect (correctness)
      documents   folder: what evidence (E3) and the built-in RAG are retrieved from
      questions   question, reference; optional: group, id

    Examples:
      saiten paper dialogues mine --samples
      saiten paper dialogues mine
      saiten paper dialogues mine --judge openai:gpt-4o --judge anthropic:claude-sonnet-4-5 --dry-run
      saiten paper dialogues mine --judge openai:gpt-4o --generator openai:gpt-4o-mini --max-cost 5
      saiten paper dialogues mine --qa bot.py:answer --mqa bot.py:answer_with_history --judge openai:gpt-4o

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 nothing was measured, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.papering import design_place, run_design
    from saiten.papers.dialogues import EvidenceAndDialogues

    place = design_place("dialogues", data, how, config, judges.chosen(config))
    found = EvidenceAndDialogues(
        place,
        design.systems,
        design.generator,
        design.max_turns,
        design.k,
        design.bertscore,
        design.retriever,
        design.questioning,
        design.last_grade,
        design.dialogue,
    )
    run_design("dialogues", found, how, config, form)
