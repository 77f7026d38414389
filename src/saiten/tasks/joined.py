"""Tasks that ask for several others at once: less text to send, and fewer calls.

A joined call defines nothing of its own: its reply is taken apart into the replies to the single tasks, which metrics
asked for and which `--separate-calls` sends one by one. Texts of equal tasks are shown once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from saiten.protocols import Reply, Task
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.statements import (
    Entities,
    ListEntities,
    SplitStatements,
    Statements,
    StatementVerdicts,
    VerifyStatements,
)
from saiten.tasks.summaries import ClosedQuestions, ExtractKeyphrases, Keyphrases, WriteClosedQuestions
from saiten.tasks.verdicts import Verdicts, check_numbers, merge_verdicts

MOST_ITEMS = 40
"""Statements or contexts in one call; with more, a model loses count."""

T = TypeVar("T", bound=Task[Any])

Replies = Mapping[Task[Any], Reply]


class TwoLists(Reply):
    """The statements of two texts."""

    first: list[str]
    second: list[str]


@dataclass(frozen=True, slots=True)
class SplitTwoTexts(Task[TwoLists]):
    """Split two texts that answer the question into statements, each by itself."""

    reply = TwoLists
    question: str
    """Empty if unknown."""
    first: str
    second: str


class ContextVerdicts(Reply):
    """One verdict per context: whether it was useful for arriving at the reference."""

    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class JudgeContexts(Task[ContextVerdicts]):
    """Decide for each context, by itself, whether it is useful for arriving at the reference answer to the question."""

    reply = ContextVerdicts
    votable = True
    question: str
    contexts: tuple[str, ...]
    reference: str

    @property
    def counts(self) -> Mapping[str, int]:
        return {"verdicts": len(self.contexts)}

    def check(self, reply: ContextVerdicts) -> None:
        check_numbers(reply.verdicts, len(self.contexts), what="context")

    def merge(self, replies: Sequence[ContextVerdicts]) -> ContextVerdicts:
        return ContextVerdicts(verdicts=merge_verdicts([reply.verdicts for reply in replies]))


class EntitiesOfBoth(Reply):
    """The entities of the contexts and of the text, without repetition."""

    contexts: list[str]
    text: list[str]


@dataclass(frozen=True, slots=True)
class ListEntitiesOfBoth(Task[EntitiesOfBoth]):
    """List the unique entities of the contexts and those of a text."""

    reply = EntitiesOfBoth
    contexts: tuple[str, ...]
    text: str


class KeyphrasesAndQuestions(Reply):
    """The important phrases of the text, and questions on them, answered by yes or no."""

    keyphrases: list[str]
    questions: list[str]


@dataclass(frozen=True, slots=True)
class ExtractKeyphrasesAndQuestions(Task[KeyphrasesAndQuestions]):
    """Extract the key phrases of the contexts, and write closed questions on them, all of which are answered by yes."""

    reply = KeyphrasesAndQuestions
    contexts: tuple[str, ...]


class EntitiesAndQuestions(KeyphrasesAndQuestions, EntitiesOfBoth):
    """The entities of the contexts and of a text; key phrases of the contexts, and questions on them."""


@dataclass(frozen=True, slots=True)
class ListEntitiesAndQuestions(Task[EntitiesAndQuestions]):
    """List entities, extract key phrases and write questions on these, all from the same contexts."""

    reply = EntitiesAndQuestions
    contexts: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A task to be asked instead of several, or one task that is asked as it is."""

    task: Task[Any]
    parts: tuple[Task[Any], ...]
    """The tasks that it stands for, in the order in which they came."""
    apart: Callable[[Any], Replies]
    """Makes the replies to the parts, and to a task that may follow them, of the reply to the joined task."""

    @property
    def several(self) -> bool:
        """Whether the task differs from its only part."""
        return self.parts != (self.task,)


JOINED: Mapping[type[Task[Any]], tuple[type[Task[Any]], ...]] = {
    SplitStatements: (SplitTwoTexts,),
    VerifyStatements: (VerifyStatements,),
    JudgeContext: (JudgeContexts,),
    ListEntities: (ListEntitiesOfBoth, ListEntitiesAndQuestions),
    ExtractKeyphrases: (ExtractKeyphrasesAndQuestions, ListEntitiesAndQuestions),
    WriteClosedQuestions: (ExtractKeyphrasesAndQuestions, ListEntitiesAndQuestions),
}
"""Each type of task that is joined with others, and the types that are then asked."""


def join(tasks: Iterable[Task[Any]], kinds: Collection[type[Task[Any]]]) -> list[Joined]:
    """Return what to ask for these tasks, of which no two are equal; only tasks of these kinds are joined."""
    groups: dict[Any, list[Any]] = {}
    for task in tasks:
        groups.setdefault(_key(task) if type(task) in kinds else task, []).append(task)
    return [
        joined
        for key, group in groups.items()
        for joined in (_JOINS[key[0]](group) if isinstance(key, tuple) else _each(group))
    ]


def _key(task: Task[Any]) -> Any:
    """Return what tasks that are asked together have in common, or the task itself."""
    match task:
        case SplitStatements():
            return SplitStatements, task.question, task.conversation, task.language
        case VerifyStatements():
            return VerifyStatements, task.contexts, task.question, task.conversation, task.partial, task.language
        case JudgeContext(alone=False):
            return JudgeContext, task.question, task.conversation, task.reference, task.language
        case ListEntities() | ExtractKeyphrases():
            return ListEntities, task.language
    return task


def _batched(tasks: Sequence[T], most: int) -> Iterator[tuple[T, ...]]:
    return (tuple(tasks[start : start + most]) for start in range(0, len(tasks), most))


def _each(tasks: Iterable[Task[Any]]) -> Iterator[Joined]:
    """Join nothing."""
    return (Joined(task, (task,), partial(_alone, task)) for task in tasks)


def _alone(task: Task[Any], reply: Reply) -> Replies:
    return {task: reply}


def _split(tasks: Sequence[SplitStatements]) -> Iterator[Joined]:
    """Join them by two."""
    for pair in _batched(tasks, 2):
        if len(pair) == 1:
            yield from _each(pair)
            continue
        first, second = pair
        task = SplitTwoTexts(
            first.question, first.text, second.text, language=first.language, conversation=first.conversation
        )
        yield Joined(task, pair, partial(_apart_split, pair))


def _apart_split(pair: Sequence[SplitStatements], reply: TwoLists) -> Replies:
    first, second = pair
    return {first: Statements(statements=reply.first), second: Statements(statements=reply.second)}


def _verify(tasks: Sequence[VerifyStatements]) -> Iterator[Joined]:
    """Join the lists of statements, each statement once."""
    statements = tuple(dict.fromkeys(chain.from_iterable(task.statements for task in tasks)))
    if len(tasks) == 1 or len(statements) > MOST_ITEMS:
        yield from _each(tasks)
    else:
        yield Joined(
            replace(tasks[0], statements=statements), tuple(tasks), partial(_apart_verified, tasks, statements)
        )


def _apart_verified(tasks: Sequence[VerifyStatements], statements: Sequence[str], reply: StatementVerdicts) -> Replies:
    verdicts = {statements[verdict.number - 1]: verdict for verdict in reply.verdicts}
    return {
        task: StatementVerdicts(
            verdicts=[
                verdicts[statement].model_copy(update={"number": number})
                for number, statement in enumerate(task.statements, 1)
                if statement in verdicts
            ]
        )
        for task in tasks
    }


def _contexts(tasks: Sequence[JudgeContext]) -> Iterator[Joined]:
    """Join all contexts of a question."""
    for some in _batched(tasks, MOST_ITEMS):
        if len(some) == 1:
            yield from _each(some)
            continue
        contexts = tuple(task.context for task in some)
        one = some[0]
        task = JudgeContexts(
            one.question, contexts, one.reference, language=one.language, conversation=one.conversation
        )
        yield Joined(task, some, partial(_apart_contexts, some))


def _apart_contexts(tasks: Sequence[JudgeContext], reply: ContextVerdicts) -> Replies:
    found = {verdict.number: verdict for verdict in reply.verdicts}
    verdicts = [found[number] for number in range(1, len(tasks) + 1)]
    return {
        task: ContextVerdict(reason=verdict.reason, useful=verdict.verdict, p=verdict.p)
        for task, verdict in zip(tasks, verdicts, strict=True)
    }


def _extract(tasks: Sequence[ListEntities | ExtractKeyphrases]) -> Iterator[Joined]:
    """Join the entities of contexts with those of a text, and the key phrases with the questions, which are next."""
    phrases = [task for task in tasks if isinstance(task, ExtractKeyphrases)]
    entities = [task for task in tasks if isinstance(task, ListEntities)]
    contexts, texts = ([task for task in entities if bool(task.contexts) is whole] for whole in (True, False))
    if (len(contexts), len(texts)) == (1, 1):
        both, language = (contexts[0], texts[0]), texts[0].language
        same = [task for task in phrases if task.contexts == both[0].contexts]
        phrases = [task for task in phrases if task not in same]
        kind = ListEntitiesAndQuestions if same else ListEntitiesOfBoth
        task = kind(both[0].contexts, both[1].text, language=language)
        yield Joined(task, (*both, *same), partial(_apart_extracted, both, same))
    else:
        yield from _each(entities)
    for each in phrases:
        alone = ExtractKeyphrasesAndQuestions(each.contexts, language=each.language)
        yield Joined(alone, (each,), partial(_apart_keyphrases, each))


def _apart_extracted(both: Sequence[ListEntities], phrases: Sequence[ExtractKeyphrases], reply: Any) -> Replies:
    contexts, text = both
    replies: dict[Task[Any], Reply] = {
        contexts: Entities(entities=reply.contexts),
        text: Entities(entities=reply.text),
    }
    for each in phrases:
        replies |= _apart_keyphrases(each, reply)
    return replies


def _apart_keyphrases(task: ExtractKeyphrases, reply: KeyphrasesAndQuestions) -> Replies:
    """Return the questions as the reply for exactly these key phrases; for a selection of them, they are asked for."""
    follows = WriteClosedQuestions(task.contexts, tuple(reply.keyphrases), language=task.language)
    return {task: Keyphrases(keyphrases=reply.keyphrases), follows: ClosedQuestions(questions=reply.questions)}


_JOINS: Mapping[type[Task[Any]], Callable[[Any], Iterator[Joined]]] = {
    SplitStatements: _split,
    VerifyStatements: _verify,
    JudgeContext: _contexts,
    ListEntities: _extract,
}
