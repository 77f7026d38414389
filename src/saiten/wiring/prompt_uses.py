"""What each prompt is for: the task or step that it asks for, who uses it, and how it looks with stand-ins."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from saiten.errors import ConfigurationError
from saiten.judges.reading import read_reply
from saiten.judges.reply_schema import schema_of
from saiten.metrics.catalog import ENTRIES, make_metrics
from saiten.prompts import Prompts, find_prompts, names_for
from saiten.prompts.files import LANGUAGES, PromptFault, fault_in_file, names, trail_of_example
from saiten.prompts.folder import files_in
from saiten.protocols import Task
from saiten.rag.steps import ALL_STEPS
from saiten.rag.systems.chat_model import AnswerQuestion
from saiten.records import Language
from saiten.tasks.aspects import RateAspect
from saiten.tasks.contexts import JudgeContext, SelectRelevantSentences
from saiten.tasks.contradiction import FindContradiction
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.tasks.joined import (
    JOINED,
    ExtractKeyphrasesAndQuestions,
    JudgeContexts,
    ListEntitiesAndQuestions,
    ListEntitiesOfBoth,
    SplitTwoTexts,
)
from saiten.tasks.preference import PreferAnswer
from saiten.tasks.questions import (
    AnswerFromPassages,
    DraftComparison,
    DraftFalsePremise,
    DraftFollowUp,
    DraftSeveral,
    DraftSingle,
    DraftUnanswerable,
    TryClosedBook,
)
from saiten.tasks.similarity import WriteQuestions
from saiten.tasks.statements import ClassifyStatements, ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.summaries import AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions

TASKS: tuple[type[Task[Any]], ...] = (
    SplitStatements,
    VerifyStatements,
    ClassifyStatements,
    JudgeContext,
    SelectRelevantSentences,
    ListEntities,
    WriteQuestions,
    ExtractKeyphrases,
    WriteClosedQuestions,
    AnswerFromSummary,
    CritiqueAspect,
    GradeAnswer,
    DecideCorrect,
    DecideCorrectGrounded,
    RateAspect,
    SplitGist,
    FindMissingAndExtra,
    PreferAnswer,
    FindContradiction,
    ComposeAnswer,
    AskIfNeeded,
    DecideNext,
    AskNext,
    ReviseAnswer,
    SplitTwoTexts,
    JudgeContexts,
    ListEntitiesOfBoth,
    ExtractKeyphrasesAndQuestions,
    ListEntitiesAndQuestions,
    DraftSingle,
    DraftSeveral,
    DraftComparison,
    DraftUnanswerable,
    DraftFalsePremise,
    DraftFollowUp,
    TryClosedBook,
    AnswerFromPassages,
)
"""All tasks that have a prompt."""

_DIALOGUE = (ComposeAnswer, GradeAnswer, AskIfNeeded, DecideNext, AskNext, ReviseAnswer)
_QUESTIONS = (
    *(DraftSingle, DraftSeveral, DraftComparison, DraftUnanswerable, DraftFalsePremise, DraftFollowUp),
    *(TryClosedBook, VerifyStatements, AnswerFromPassages, GradeAnswer),
)
_CHECKING = (FindContradiction, VerifyStatements, AnswerFromPassages)
_ANY: Mapping[str, Any] = {"values": tuple(range(-100, 101))}
"""Settings of tasks that their examples do not have."""


@dataclass(frozen=True, slots=True)
class PromptUse:
    """A prompt with the type that is asked with it."""

    name: str
    kind: type[Any] | None
    """The task, the step of a chain or the question to a chat model; None for the request to repair a reply."""
    used_by: tuple[str, ...]
    """Metrics and commands."""

    @property
    def task(self) -> type[Task[Any]] | None:
        """The task, if it is one."""
        return self.kind if self.kind is not None and issubclass(self.kind, Task) else None

    def placeholders(self, prompts: Prompts, language: Language, without: Collection[str] = ()) -> dict[str, Any]:
        """Return a stand-in for each input: `{question}`, two of each list, the number 3; "" for those left out.

        Raises:
            ConfigurationError: an input cannot be left out.
        """
        prompt = prompts.load(self.name, language)
        for name in without:
            if name not in prompt.optional:
                raise ConfigurationError(
                    f"{self.name} has no optional input {name!r}; it has {', '.join(prompt.optional) or 'none'}"
                )
        return {name: "" if name in without else _stand_in(self.kind, name) for name in prompt.fields}

    def check(self, prompts: Prompts, language: Language) -> tuple[str, ...]:
        """Return the forms of the reply, each of which was rendered; replies of examples were read. () for plain text.

        Raises:
            PromptFault: something does not fit, and a model would be misled.
        """
        prompt, where = prompts.load(self.name, language), f"[{language}]"
        forms = ("json", *prompt.forms) if self.task is not None else ()
        for form in forms or (None,):
            for without in ((), prompt.optional):
                prompts.preview(self.name, language, self.placeholders(prompts, language, without), form)
        if self.task is not None:
            for field in schema_of(self.task.reply, language)["properties"]:
                if f'"{field}"' not in prompt.closing:
                    raise PromptFault(
                        f'`closing` of {where} does not name the field "{field}" of the reply; show the whole JSON, '
                        f"as in `saiten prompts show {self.name}`",
                        where,
                        "closing =",
                    )
            for number, example in enumerate(prompt.examples, start=1):
                try:
                    read_reply(_task_of(self.task, example.inputs, language), example.reply)
                except ValueError as error:
                    raise PromptFault(
                        f"the reply of example {number} of {where} cannot be read: {error}",
                        *trail_of_example(where, number),
                        "reply =",
                    ) from error
        return forms


def prompt_uses() -> tuple[PromptUse, ...]:
    """Return every prompt, sorted by name."""
    metrics = _metrics_by_task()
    kinds: dict[str, type[Any]] = {name: task for task in TASKS for name in names_for(task)}
    kinds |= {step.prompt: step for step in ALL_STEPS} | {"answer_question": AnswerQuestion}
    found = []
    for name in names():
        kind = kinds.get(name)
        used = [title for each in getattr(kind, "__mro__", ()) for title in metrics.get(each, ())]
        used += ["converse"] if kind in _DIALOGUE else []
        used += ["questions"] if kind in _QUESTIONS else []
        used += ["probe"] if kind is PreferAnswer else []
        used += ["testset check"] if kind in _CHECKING else []
        used += ["rag:KB"] if kind in ALL_STEPS else []
        used += ["PROVIDER:MODEL, hf:MODEL as the system"] if kind is AnswerQuestion else []
        used += ["every judge"] if kind is None else []
        found.append(PromptUse(name, kind, tuple(used)))
    return tuple(found)


def _metrics_by_task() -> Mapping[Any, tuple[str, ...]]:
    found: dict[Any, tuple[str, ...]] = {}
    for entry in ENTRIES:
        tasks = {task for metric in make_metrics([entry.example]) for task in metric.tasks}
        tasks |= {joined for task in tasks for joined in JOINED.get(task, ())}
        for task in tasks:
            found[task] = (*found.get(task, ()), entry.title)
    return found


def _stand_in(kind: type[Any] | None, name: str) -> str | int | tuple[str, ...]:
    hint = _hint_of(kind, name)
    if "tuple" in str(hint):
        return (f"{{{name} 1}}", f"{{{name} 2}}")
    return 3 if hint is int else f"{{{name}}}"


def _hint_of(kind: type[Any] | None, name: str) -> Any:
    if kind is None:
        return str
    made = getattr(kind, name, None)
    return get_type_hints(made.fget)["return"] if isinstance(made, property) else get_type_hints(kind)[name]


def _task_of(kind: type[Task[Any]], inputs: Mapping[str, Any], language: Language) -> Task[Any]:
    """Return the task with these inputs; those that an example lacks are empty."""
    given: dict[str, Any] = {"language": language}
    for each in fields(kind):
        if each.name in inputs:
            given[each.name] = inputs[each.name]
        elif each.name not in given and each.default is MISSING and each.default_factory is MISSING:
            given[each.name] = _ANY.get(each.name, () if "tuple" in str(_hint_of(kind, each.name)) else "")
    return kind(**given)


def check_prompts(named: str | Path | None) -> Iterator[tuple[str, tuple[Language, ...], tuple[str, ...]]]:
    """Yield each prompt of a folder or preset (None: saiten's own) with its languages and forms, all in order.

    Raises:
        ConfigurationError: a prompt would mislead a model; the text names file and line.
    """
    prompts, uses = find_prompts(named), {use.name: use for use in prompt_uses()}
    for name, file in files_in(named).items():
        languages = tuple(prompts.replaced.get(name, LANGUAGES))
        try:
            forms = [uses[name].check(prompts, language) for language in languages]
        except PromptFault as fault:
            raise fault_in_file(file, fault, file.read_text(encoding="utf-8")) from fault
        yield name, languages, forms[0]
