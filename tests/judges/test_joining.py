"""Joined calls: the same scores from fewer calls, and nothing lost if one of them goes wrong."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten import make_metrics
from saiten.demo.samples import load_demo
from saiten.errors import BudgetSpent, CallFailed, Unreadable
from saiten.judges.joining import Joining, Joins
from saiten.judges.memo import Memo
from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import Task
from saiten.records import Sample, Usage
from saiten.runs.scoring import score_once
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.joined import (
    JOINED,
    MOST_ITEMS,
    ExtractKeyphrasesAndQuestions,
    JudgeContexts,
    KeyphrasesAndQuestions,
    ListEntitiesAndQuestions,
    ListEntitiesOfBoth,
    SplitTwoTexts,
    TwoLists,
    join,
)
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import (
    Entities,
    ListEntities,
    SplitStatements,
    Statements,
    StatementVerdicts,
    VerifyStatements,
)
from saiten.tasks.summaries import ClosedQuestions, ExtractKeyphrases, Keyphrases, WriteClosedQuestions
from saiten.tasks.verdicts import Verdict

NINE = make_metrics(["ragas"])
EVERY = frozenset(JOINED)
SPLITS = [SplitStatements("q", text, language="en") for text in ("one", "two")]
LONG = ("A context. " * 200,)


def joined_around(judge, prompts: Prompts = BUILT_IN) -> Joining:
    """The judge with all joins that these prompts allow."""
    return Joining(judge, Joins.of(prompts))


@dataclass
class Asking:
    """A judge that notes what it is asked, and when calls begin and end; `says` makes the replies or the errors."""

    says: object = None
    asked: list[Task] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    judge: OfflineJudge = field(default_factory=lambda: OfflineJudge(BuiltinEmbedder()))

    async def perform(self, task):
        """Take a turn, as a call over the network does."""
        if not isinstance(task, MeasureSimilarity):
            self.asked.append(task)
        self.log.append(f"+{type(task).__name__}")
        for _ in range(40):
            await asyncio.sleep(0)
        self.log.append(f"-{type(task).__name__}")
        said = self.says(task) if self.says is not None else None
        if isinstance(said, Exception):
            raise said
        reply = await self.judge.perform(task) if said is None else said
        return reply.with_usage(Usage(calls=1, prompt_tokens=10))


async def scored(sample: Sample, judge, metrics=NINE):
    """Score the sample with all metrics at once, as a run does."""
    return await asyncio.gather(*(score_once(sample, metric, judge) for metric in metrics))


@pytest.mark.parametrize("one", [pytest.param(one, id=one.sample.id) for one in load_demo()[::5]])
async def test_joined_calls_give_the_same_scores_as_separate_ones(one):
    """With a judge that decides alike either way, all nine metrics have equal values, reasons and details."""
    apart, together = Asking(), Asking()
    expected = await scored(one.sample, Memo(apart))
    found = await scored(one.sample, Memo(joined_around(together)))
    assert [replace(score, usage=Usage()) for score in found] == [replace(score, usage=Usage()) for score in expected]
    assert len(together.asked) <= len(apart.asked)


async def test_a_sample_of_five_contexts_takes_eight_calls_instead_of_seventeen():
    """The answer's and the reference's steps, all contexts, and all that is extracted from them are one call each."""
    sample = full_sample()
    apart, together = Asking(), Asking()
    await scored(sample, Memo(apart))
    scores = await scored(sample, Memo(joined_around(together)))
    assert len(apart.asked) == 17
    assert Counter(type(task).__name__ for task in together.asked) == Counter(
        SplitTwoTexts=1,
        VerifyStatements=1,
        ClassifyStatements=1,
        JudgeContexts=1,
        ListEntitiesAndQuestions=1,
        WriteQuestions=1,
        CritiqueAspect=1,
        AnswerFromSummary=1,
    )
    whole = sum((score.usage for score in scores), Usage())
    cannot = sum(score.status == "undefined" for score in scores)  # the offline judge on harmfulness
    assert whole.calls == 8 + together.log.count("+MeasureSimilarity") - cannot
    assert whole.reused >= 9


def full_sample() -> Sample:
    """A built-in sample with five contexts, for which every step is needed."""
    right = [each.sample for each in load_demo("en") if each.defect == "right_paraphrase"]
    one, other = right[0], next(each for each in right if not {*each.contexts} & {*right[0].contexts})
    contexts = tuple(dict.fromkeys([*(one.contexts or ()), *(other.contexts or ())]))[:5]
    assert len(contexts) == 5
    return replace(one, contexts=contexts)


@given(
    lists=st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=True), min_size=1, max_size=4),
    partial=st.booleans(),
    data=st.data(),
)
def test_verdicts_find_their_way_back(lists, partial, data):
    """Whatever statements two texts share, and whatever order the verdicts come in, each task gets its own, renumbered."""
    tasks = list(dict.fromkeys(VerifyStatements(tuple(each), ("c",), partial, language="en") for each in lists))
    (whole,) = join(tasks, EVERY)
    statements = whole.task.statements
    assert len(set(statements)) == len(statements)
    verdicts = [Verdict(number=n, reason=text, verdict=text < "d") for n, text in enumerate(statements, 1)]
    kept = data.draw(st.permutations(verdicts))
    replies = whole.apart(StatementVerdicts(verdicts=kept[1:] if partial else kept))
    assert list(replies) == tasks
    for task, reply in replies.items():
        task.check(reply)
        assert all(task.statements[each.number - 1] == each.reason for each in reply.verdicts)
        assert len(task.statements) - len(reply.verdicts) <= int(partial)


def test_what_has_nothing_in_common_is_not_joined():
    """Another question, language or list of contexts, and contexts that RAGAS judges alone, are other calls."""
    tasks = [
        SPLITS[0],
        replace(SPLITS[1], question="another"),
        replace(SPLITS[1], language="ja"),
        VerifyStatements(("a",), ("c",), language="en"),
        VerifyStatements(("b",), ("d",), language="en"),
        VerifyStatements(("b",), ("c",), partial=True, language="en"),
        JudgeContext("q", "c", "r", language="en"),
        JudgeContext("q", "c", "another", language="en"),
        JudgeContext("q", "c", "r", alone=True, language="en"),
        JudgeContext("q", "d", "r", alone=True, language="en"),
        ListEntities("t", language="en"),
        WriteClosedQuestions(("c",), ("k",), language="en"),
    ]
    found = join(tasks, EVERY)
    assert [each.task for each in found] == tasks
    assert not any(each.several for each in found)
    assert [each.task for each in join(SPLITS, frozenset())] == SPLITS


def test_no_call_has_more_items_than_a_model_can_count():
    """Long lists are verified one by one, and many contexts in several calls, in order."""
    long = [
        VerifyStatements(tuple(f"{name}{n}" for n in range(MOST_ITEMS - 1)), ("c",), language="en") for name in "ab"
    ]
    assert [each.task for each in join(long, EVERY)] == long
    contexts = [JudgeContext("q", str(n), "r", language="en") for n in range(2 * MOST_ITEMS + 1)]
    found = join(contexts, EVERY)
    assert [type(each.task) for each in found] == [JudgeContexts, JudgeContexts, JudgeContext]
    assert [part for each in found for part in each.parts] == contexts


def test_entities_and_key_phrases_of_the_same_contexts_are_one_call():
    """Other contexts are another call, and a second text is listed by itself."""
    of_contexts = ListEntities("c", ("c",), language="en")
    text, phrases = ListEntities("t", language="en"), ExtractKeyphrases(("c",), language="en")
    assert [type(each.task) for each in join([text, of_contexts, phrases], EVERY)] == [ListEntitiesAndQuestions]
    assert [type(each.task) for each in join([text, of_contexts], EVERY)] == [ListEntitiesOfBoth]
    assert [type(each.task) for each in join([phrases], EVERY)] == [ExtractKeyphrasesAndQuestions]
    other = replace(phrases, contexts=("d",))
    assert [type(each.task) for each in join([text, of_contexts, other], EVERY)] == [
        ListEntitiesOfBoth,
        ExtractKeyphrasesAndQuestions,
    ]
    second = replace(text, text="u")
    assert [each.task for each in join([text, second, of_contexts], EVERY)] == [text, second, of_contexts]


@pytest.mark.parametrize(("written", "calls"), [(["a", "b"], 1), (["a", "a", " ", "b"], 2)])
async def test_questions_are_those_for_exactly_the_key_phrases_that_count(written: list[str], calls: int):
    """If the metric drops a repeated or blank phrase, it asks for the questions again, as with separate calls."""
    judge = Asking(
        lambda task: (
            KeyphrasesAndQuestions(keyphrases=written, questions=["A?"])
            if isinstance(task, ExtractKeyphrasesAndQuestions)
            else ClosedQuestions(questions=["B?"])
        )
    )
    around = joined_around(judge)
    phrases = await around.perform(ExtractKeyphrases(("c",), language="en"))
    assert phrases.keyphrases == written
    asked = await around.perform(WriteClosedQuestions(("c",), ("a", "b"), language="en"))
    assert asked.questions == (["A?"] if calls == 1 else ["B?"])
    assert len(judge.asked) == calls
    assert (phrases.usage + asked.usage).calls == calls


async def test_an_unreadable_reply_is_asked_for_in_parts():
    """A model that cannot do two things at once does them one by one; what the first attempt cost is counted once."""
    broken = Unreadable("no JSON", "…", Usage(calls=2, prompt_tokens=7))
    judge = Asking(lambda task: broken if isinstance(task, SplitTwoTexts) else Statements(statements=[task.text]))
    notes: list[str] = []
    around = Joining(judge, Joins.of(BUILT_IN, notify=notes.append))
    replies = await asyncio.gather(*map(around.perform, SPLITS))
    assert "--separate-calls" in notes[0]
    assert [reply.statements for reply in replies] == [["one"], ["two"]]
    assert [type(task) for task in judge.asked] == [SplitTwoTexts, SplitStatements, SplitStatements]
    assert sum((reply.usage for reply in replies), Usage()) == Usage(calls=4, prompt_tokens=27)


async def test_a_part_that_stays_unreadable_harms_no_other():
    """The status of one score does not depend on another text that a model cannot split."""
    spent = Usage(calls=2, prompt_tokens=7)
    judge = Asking(
        lambda task: Statements(statements=["one"]) if task == SPLITS[0] else Unreadable("no JSON", "…", spent)
    )
    around = joined_around(judge)
    one, other = await asyncio.gather(*map(around.perform, SPLITS), return_exceptions=True)
    assert one.statements == ["one"]
    assert isinstance(other, Unreadable)
    assert one.usage + other.usage == spent + spent + Usage(calls=1, prompt_tokens=10)


@pytest.mark.parametrize(
    "error", [CallFailed("500", Usage(calls=3)), BudgetSpent("spent"), KeyError("a mistake in a judge")]
)
async def test_a_failed_call_fails_all_its_tasks_and_is_charged_once(error: Exception):
    """Asking for the parts of a call that failed would only fail again."""
    judge = Asking(lambda _: error)
    outcomes = await asyncio.gather(*map(joined_around(judge).perform, SPLITS), return_exceptions=True)
    assert [type(each) for each in outcomes] == [type(error)] * 2
    assert len(judge.asked) == 1
    if isinstance(error, CallFailed):
        assert [each.usage for each in outcomes] == [Usage(calls=3), Usage(reused=1)]


@pytest.mark.parametrize("task", [SPLITS[0], JudgeContext("q", "c", "r", language="en")])
async def test_a_reply_that_does_not_fit_is_an_error_and_no_hang(task):
    """A judge of the user's own may return anything; whoever waits for it gets the error."""
    other = replace(task, **({"text": "two"} if task is SPLITS[0] else {"context": "d"}))
    around = joined_around(Asking(lambda _: Entities(entities=[])))
    outcomes = await asyncio.wait_for(asyncio.gather(*map(around.perform, (task, other)), return_exceptions=True), 20)
    assert [type(each) for each in outcomes] == [AttributeError, AttributeError]


async def test_a_call_that_nobody_waits_for_is_canceled():
    """One of two askers may leave without harm to the other; with both gone, nothing is paid for any more."""
    judge = Asking(lambda _: TwoLists(first=["1"], second=["2"]))
    around = joined_around(judge)
    first, second = (asyncio.create_task(around.perform(task)) for task in SPLITS)
    for _ in range(20):
        await asyncio.sleep(0)
    assert judge.log == ["+SplitTwoTexts"]
    first.cancel()
    assert (await second).statements == ["2"]
    assert first.cancelled()
    askers = [asyncio.create_task(around.perform(replace(task, text=f"{task.text}!"))) for task in SPLITS]
    for _ in range(20):
        await asyncio.sleep(0)
    for each in askers:
        each.cancel()
    await asyncio.gather(*askers, return_exceptions=True)
    for _ in range(60):
        await asyncio.sleep(0)
    assert judge.log == ["+SplitTwoTexts", "-SplitTwoTexts", "+SplitTwoTexts"]  # it began and did not end


async def test_the_first_call_fills_a_prefix_cache_before_the_others_are_sent():
    """Of calls that begin with the same long contexts, one goes ahead: the one that another call depends on."""
    judge = Asking()
    sample = replace(full_sample(), contexts=(*LONG, *full_sample().contexts))
    await scored(sample, Memo(joined_around(judge)))
    of_contexts = [each for each in judge.log if each[1:] in _READING]
    assert of_contexts[:2] == ["+ListEntitiesAndQuestions", "-ListEntitiesAndQuestions"]
    assert set(of_contexts[2:4]) == {"+JudgeContexts", "+VerifyStatements"}  # then at once


_READING = {"ListEntitiesAndQuestions", "JudgeContexts", "VerifyStatements"}


@pytest.mark.parametrize(("contexts", "waits"), [(("short",), False), (LONG, True)])
@pytest.mark.parametrize("said", [CallFailed("500"), None])
async def test_waiting_for_a_cache_has_to_pay(contexts: tuple[str, ...], *, waits: bool, said: Exception | None):
    """Short contexts are not worth a delay; a first call that fails does not hold the others up for ever."""
    judge = Asking(lambda task: said if isinstance(task, VerifyStatements) else Keyphrases(keyphrases=[]))
    around = Joining(judge, Joins(BUILT_IN, frozenset()))
    tasks = [VerifyStatements(("a",), contexts, language="en"), ExtractKeyphrases(contexts, language="en")]
    await asyncio.wait_for(asyncio.gather(*map(around.perform, tasks), return_exceptions=True), 20)
    overlapping = any(one[0] == other[0] == "+" for one, other in pairwise(judge.log))
    assert overlapping is not waits


async def test_each_vote_joins_its_own_calls():
    """A panel of two splits once and verifies twice; the second vote finds the contexts in the cache."""
    members = [Asking(), Asking()]

    @dataclass
    class Voter:
        judge: Asking
        joins: Joins = field(default_factory=lambda: Joins.of(BUILT_IN))

        async def perform(self, task):
            return await self.judge.perform(task)

    panel = Panel(tuple(map(Voter, members))).remembering()
    metrics = make_metrics(["faithfulness", "context_recall"])
    scores = await scored(full_sample(), Memo(panel), metrics)
    assert {score.status for score in scores} == {"ok"}
    assert [[type(task) for task in each.asked] for each in members] == [
        [SplitTwoTexts, VerifyStatements],
        [VerifyStatements],
    ]


def test_a_prompt_of_the_users_own_is_not_passed_over():
    """If only the prompt for one text was replaced, a joined call would ignore it; with both replaced, it is joined."""
    mine = {
        name: {"en": BUILT_IN.load(name, "en")} for name in ("split_statements", "split_two_texts", "judge_context")
    }
    alone = Joins.of(Prompts({"split_statements": mine["split_statements"], "judge_context": mine["judge_context"]}))
    both = Joins.of(Prompts({name: mine[name] for name in ("split_statements", "split_two_texts")}))
    assert EVERY - alone.kinds == {SplitStatements, JudgeContext}
    assert both.kinds == EVERY


def test_an_answer_that_equals_the_reference_is_split_once():
    """Equal texts are equal tasks, which are performed once, so there is no pair to join."""
    assert join(dict.fromkeys([SPLITS[0], replace(SPLITS[1], text="one")]), EVERY)[0].task == SPLITS[0]


async def test_context_verdicts_keep_reason_and_probability():
    """What a joined verdict says about a context is all that a single one would have said."""
    tasks = [JudgeContext("q", text, "r", language="en") for text in "ab"]
    (whole,) = join(tasks, EVERY)
    verdicts = [Verdict(number=2, reason="y", verdict=False, p=0.2), Verdict(number=1, reason="x", verdict=True, p=0.9)]
    replies = whole.apart(whole.task.reply(verdicts=verdicts))
    assert replies == {
        tasks[0]: ContextVerdict(reason="x", useful=True, p=0.9),
        tasks[1]: ContextVerdict(reason="y", useful=False, p=0.2),
    }
