"""The options of dialogues with a system under test."""

from dataclasses import dataclass

from saiten.choices import MAX_TURNS, MOST_AT_ONCE, MOST_PASSAGES, LastGrade, Questioning, Retrieval
from saiten.cli.shared_options import RetrieverOptions
from saiten.cli.system_options import AT_ONCE, SYSTEM
from saiten.options import option

_DIALOGUE = "Dialogue"  # heading in the help


@dataclass(frozen=True, slots=True)
class DialogueOptions(RetrieverOptions):
    """The settings of the dialogues."""

    max_turns: int = option(MAX_TURNS, "Maximum number of questions to the system.", panel=_DIALOGUE, min=1, max=1_000)
    questioning: Questioning = option(
        "merged",
        "How the next question is made. merged: one call decides and asks; questions with numbers, names or rare words "
        "found only in the reference are rejected. published, as in the paper: two calls; a question may use such "
        "words to ask for confirmation.",
        panel=_DIALOGUE,
    )
    last_grade: LastGrade = option(
        "replaces",
        "Grade of the rewritten answer (T7) in the scores. replaces: it takes the place of its turn's grade. appended: "
        "it is one more grade, unless there are --max-turns grades already.",
        panel=_DIALOGUE,
    )
    kb: str | None = option(
        None,
        "Knowledge base from which the grader gets evidence for question and reference, for pairs without a column "
        "`evidence`. Default: none.",
        panel=_DIALOGUE,
    )
    k: int | None = option(
        None,
        "Number of passages of evidence and from rag:KB. Default 5.",
        "--k",
        "-k",
        panel=_DIALOGUE,
        min=1,
        max=MOST_PASSAGES,
    )
    retrieval: Retrieval | None = option(
        None,
        "Retrieval from --kb and rag:KB by embeddings, by terms (bm25), or by both. Default dense.",
        panel=_DIALOGUE,
    )
    system_concurrency: int = option(
        AT_ONCE, "Maximum questions to the system in flight.", panel=SYSTEM, min=1, max=MOST_AT_ONCE
    )
