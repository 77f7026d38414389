"""The offline judge: performs tasks without model or network, deterministic to the last bit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.offline.calibration import Calibration
from saiten.judges.offline.composer import compose, revise
from saiten.judges.offline.constants import Constants, read_constants
from saiten.judges.offline.contexts import judge_context, select_sentences
from saiten.judges.offline.contradiction import find_contradiction
from saiten.judges.offline.critique import critique, rate_aspect
from saiten.judges.offline.entities import list_entities
from saiten.judges.offline.gist import find_missing_and_extra, split_gist
from saiten.judges.offline.grading import decide, decide_grounded, grade, prefer
from saiten.judges.offline.joined import extract_and_ask, judge_contexts, list_and_ask, list_both, split_two
from saiten.judges.offline.questioner import ask_if_needed, ask_next, decide_next
from saiten.judges.offline.splitting import split
from saiten.judges.offline.statements import classify, verify, write_questions
from saiten.judges.offline.summaries import answer_from_summary, extract_keyphrases, write_closed_questions
from saiten.judges.offline.tools import Indexes, Tools
from saiten.judges.similarity import measure_similarity
from saiten.protocols import Embedder, R, Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.contexts import JudgeContext, SelectRelevantSentences
from saiten.tasks.contradiction import FindContradiction
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.tasks.joined import (
    ExtractKeyphrasesAndQuestions,
    JudgeContexts,
    ListEntitiesAndQuestions,
    ListEntitiesOfBoth,
    SplitTwoTexts,
)
from saiten.tasks.preference import PreferAnswer
from saiten.tasks.similarity import MeasureSimilarity, WriteQuestions
from saiten.tasks.statements import ClassifyStatements, ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.summaries import AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions

_PERFORMED: Mapping[type[Task[Any]], Callable[[Any, Tools], Any]] = {
    SplitStatements: lambda task, _: split(task),
    VerifyStatements: verify,
    ClassifyStatements: classify,
    JudgeContext: judge_context,
    SelectRelevantSentences: select_sentences,
    ListEntities: lambda task, _: list_entities(task),
    WriteQuestions: lambda task, _: write_questions(task),
    ExtractKeyphrases: lambda task, _: extract_keyphrases(task),
    WriteClosedQuestions: lambda task, _: write_closed_questions(task),
    AnswerFromSummary: answer_from_summary,
    CritiqueAspect: critique,
    GradeAnswer: grade,
    DecideCorrect: decide,
    DecideCorrectGrounded: decide_grounded,
    SplitGist: lambda task, _: split_gist(task),
    FindMissingAndExtra: find_missing_and_extra,
    ComposeAnswer: lambda task, _: compose(task),
    AskIfNeeded: ask_if_needed,
    DecideNext: decide_next,
    AskNext: ask_next,
    ReviseAnswer: revise,
    PreferAnswer: prefer,
    FindContradiction: find_contradiction,
    RateAspect: rate_aspect,
    SplitTwoTexts: lambda task, _: split_two(task),
    JudgeContexts: judge_contexts,
    ListEntitiesOfBoth: lambda task, _: list_both(task),
    ListEntitiesAndQuestions: lambda task, _: list_and_ask(task),
    ExtractKeyphrasesAndQuestions: lambda task, _: extract_and_ask(task),
}


@dataclass(frozen=True)
class OfflineJudge:
    """Judges by shared words, numbers and names (`offline-overlap`); docs/offline-judge.md lists its limits.

    Sends nothing and costs nothing, except what the embedder does for `MeasureSimilarity`.
    """

    embedder: Embedder | None = None
    """Measures similarity; only that task needs it."""
    calibration: tuple[Calibration, ...] = ()
    """Calibrations from the user's labels, at most one per aspect."""
    constants: Constants = field(default_factory=read_constants, repr=False)
    """The weights of the formulas, the undecided band and the limits."""
    _tools: Tools = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        aspects = [each.aspect for each in self.calibration]
        if len(set(aspects)) < len(aspects):
            raise ConfigurationError(
                f"there is more than one calibration of an aspect: {', '.join(aspects)}; give one each"
            )
        for each in self.calibration:
            if each.constants != self.constants.digest:
                raise ConfigurationError(
                    f"the calibration of {each.aspect!r} was made with the constants {each.constants}, these are "
                    f"{self.constants.digest}; run `saiten tune offline` again"
                )
        tools = Tools(self.constants, {each.aspect: each for each in self.calibration}, Indexes(self.constants))
        object.__setattr__(self, "_tools", tools)

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return the judge's name, the digest of its constants, its calibrations, and the embedder if used."""
        calibrated = "+".join(f"{each.aspect}:n={each.n}:{each.fingerprint}" for each in self.calibration)
        parts = {"judge": "offline-overlap", "constants": self.constants.digest, "calibration": calibrated or "none"}
        if MeasureSimilarity in tasks and self.embedder is not None:
            parts["embedder"] = self.embedder.name
        return parts

    async def perform(self, task: Task[R]) -> R:
        """Return the reply to the task.

        Raises:
            CannotJudge: overlap cannot decide it (most criteria of a critique, an answer without a reference).
        """
        if isinstance(task, MeasureSimilarity):
            return cast("R", await measure_similarity(task, self.embedder))
        perform = _PERFORMED.get(type(task))
        if perform is None:
            raise CannotJudge(
                f"the offline judge has no means to perform {type(task).__name__}; use an LLM judge for it"
            )
        return cast("R", perform(task, self._tools))

    async def preflight(self) -> None:
        """Do nothing: there is nothing to misconfigure; an embedder raises its own errors."""

    async def close(self) -> None:
        """Close the embedder."""
        if self.embedder is not None:
            await self.embedder.close()
