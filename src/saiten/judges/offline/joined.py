"""Joined tasks, one part after the other: the offline judge saves nothing, but stands in for a model in a dry run."""

from saiten.judges.offline.contexts import judge_context
from saiten.judges.offline.entities import list_entities
from saiten.judges.offline.splitting import split
from saiten.judges.offline.summaries import extract_keyphrases, write_closed_questions
from saiten.judges.offline.tools import Tools
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.joined import (
    ContextVerdicts,
    EntitiesAndQuestions,
    EntitiesOfBoth,
    ExtractKeyphrasesAndQuestions,
    JudgeContexts,
    KeyphrasesAndQuestions,
    ListEntitiesAndQuestions,
    ListEntitiesOfBoth,
    SplitTwoTexts,
    TwoLists,
)
from saiten.tasks.statements import ListEntities, SplitStatements
from saiten.tasks.summaries import ExtractKeyphrases, WriteClosedQuestions
from saiten.tasks.verdicts import Verdict


def split_two(task: SplitTwoTexts) -> TwoLists:
    """Split each text by itself."""
    first, second = (
        split(SplitStatements(task.question, text, language=task.language)).statements
        for text in (task.first, task.second)
    )
    return TwoLists(first=first, second=second)


def judge_contexts(task: JudgeContexts, tools: Tools) -> ContextVerdicts:
    """Judge each context by itself; raises CannotJudge as for one."""
    found = [
        judge_context(JudgeContext(task.question, context, task.reference, language=task.language), tools)
        for context in task.contexts
    ]
    verdicts = [Verdict(number=n, reason=one.reason, verdict=one.useful, p=one.p) for n, one in enumerate(found, 1)]
    return ContextVerdicts(verdicts=verdicts)


def list_both(task: ListEntitiesOfBoth) -> EntitiesOfBoth:
    """List the entities of the contexts and those of the text."""
    contexts = list_entities(ListEntities("\n".join(task.contexts), language=task.language))
    text = list_entities(ListEntities(task.text, language=task.language))
    return EntitiesOfBoth(contexts=contexts.entities, text=text.entities)


def extract_and_ask(task: ExtractKeyphrasesAndQuestions) -> KeyphrasesAndQuestions:
    """Write the questions from the key phrases just extracted."""
    phrases = extract_keyphrases(ExtractKeyphrases(task.contexts, language=task.language)).keyphrases
    asked = write_closed_questions(WriteClosedQuestions(task.contexts, tuple(phrases), language=task.language))
    return KeyphrasesAndQuestions(keyphrases=phrases, questions=asked.questions)


def list_and_ask(task: ListEntitiesAndQuestions) -> EntitiesAndQuestions:
    """List the entities, and write the questions from the key phrases."""
    listed = list_both(ListEntitiesOfBoth(task.contexts, task.text, language=task.language))
    asked = extract_and_ask(ExtractKeyphrasesAndQuestions(task.contexts, language=task.language))
    return EntitiesAndQuestions(**listed.model_dump(), **asked.model_dump())
