"""The LLM judge over a scripted chat."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, Unreadable
from saiten.judges.llm import LLMJudge
from saiten.judges.reply_schema import schema_of
from saiten.metrics.ragas.faithfulness import Faithfulness
from saiten.protocols import ChatRequest, Completion, Embeddings
from saiten.records import Sample, Usage
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.similarity import MeasureSimilarity, WriteQuestions
from saiten.tasks.statements import SplitStatements

TASK = JudgeContext("q", "c", "r", language="ja")
GOOD = '{"reason": "x", "useful": true}'
CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost=0.5)


@dataclass
class Says:
    """A chat with these replies in turn that records its requests."""

    lines: Sequence[str | Exception | Completion]
    asked: list[ChatRequest] = field(default_factory=list)
    closed: int = 0
    name: str = "test:says"
    left_out: frozenset[str] = frozenset()

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked.append(request)
        line = self.lines[len(self.asked) - 1]
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, Completion) else Completion(line, CALL, "stop")

    async def close(self) -> None:
        self.closed += 1


@dataclass
class Embeds:
    """An embedder with a table of vectors."""

    table: dict[str, tuple[float, ...]]
    lost: int = 0
    closed: int = 0
    name: str = "test:embeds"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        vectors = np.array([self.table[text] for text in texts], dtype=np.float32)
        return Embeddings(vectors[: len(texts) - self.lost], CALL)

    async def close(self) -> None:
        self.closed += 1


async def test_a_readable_reply_costs_one_call():
    """The reply is what the model said, with the cost of the call."""
    chat = Says([GOOD])
    reply = await LLMJudge(chat).perform(TASK)
    assert (reply.reason, reply.useful, reply.usage) == ("x", True, CALL)
    (request,) = chat.asked
    assert (request.temperature, request.seed, request.schema) == (0.0, 0, schema_of(ContextVerdict, "ja"))
    assert request.messages[-1].content.endswith("<context>\nc\n</context>")


async def test_a_reply_in_prose_is_asked_for_without_a_schema():
    """A model held to a JSON schema could not write `[RESULT] 4`."""
    chat = Says(["Feedback: x [RESULT] 4"])
    reply = await LLMJudge(chat).perform(GradeAnswer("q", "a", ("r",), form="prometheus", language="en"))
    assert reply.grade == 4
    assert chat.asked[0].schema is None


async def test_an_unreadable_reply_is_repaired_once_with_the_fault_named():
    """The model sees its own reply and its fault; the reply's cost includes both calls."""
    chat = Says(['{"reason": "x", "useful": "perhaps"}', GOOD])
    reply = await LLMJudge(chat).perform(TASK)
    assert reply.useful is True
    assert reply.usage == CALL + CALL
    first, second = chat.asked
    assert second.messages[: len(first.messages)] == first.messages
    own, request = second.messages[len(first.messages) :]
    assert (own.role, own.content) == ("assistant", '{"reason": "x", "useful": "perhaps"}')
    assert request.role == "user"
    assert "`useful`" in request.content
    assert "もう一度" in request.content
    assert "`useful`はtrueかfalseでなければなりませんが、'perhaps'でした" in request.content
    assert "Input should be" not in request.content


async def test_what_fits_the_schema_but_not_the_task_is_repaired_too():
    """A reply without a question is sent back with the number requested."""
    chat = Says(['{"questions": [], "noncommittal": false}', '{"questions": ["a", "b"], "noncommittal": false}'])
    reply = await LLMJudge(chat).perform(WriteQuestions("a", count=2, language="en"))
    assert reply.questions == ["a", "b"]
    assert "expected 2 questions, got none" in chat.asked[1].messages[-1].content


async def test_two_unreadable_replies_are_unreadable_with_the_raw_reply_and_both_costs():
    """Never a verdict, never a third call: the error has the reason, the reply, and the cost."""
    chat = Says(["no idea", "I still have no idea", GOOD])
    with pytest.raises(Unreadable, match=r"test:says.*judge_context.*no JSON") as error:
        await LLMJudge(chat).perform(TASK)
    assert (error.value.raw, error.value.usage, len(chat.asked)) == ("I still have no idea", CALL + CALL, 2)


async def test_a_reply_that_was_cut_off_says_which_limit_cut_it():
    """The error shows readers which setting to change."""
    cut = Completion('{"reason": "x', CALL, "length")
    with pytest.raises(Unreadable, match="max_tokens=50"):
        await LLMJudge(Says([cut, cut]), max_tokens=50).perform(TASK)


async def test_a_statement_in_a_second_json_value_counts():
    """Statements in two pieces are all judged; the one that the contexts do not support is not lost."""
    split = '{"statements": ["Kobe is a city."]}\n{"statements": ["Kobe is in Hokkaido."]}'
    verdicts = (
        '{"verdicts": [{"number": 1, "reason": "said", "verdict": true}]}\n'
        '{"verdicts": [{"number": 2, "reason": "not said", "verdict": false}]}'
    )
    sample = Sample("s", question="q", answer="a", contexts=("Kobe is a city.",), language="en")
    score = await Faithfulness().score(sample, LLMJudge(Says([split, verdicts])))
    assert score.value == 0.5


async def test_a_reply_that_was_cut_off_is_asked_for_more_briefly():
    """The model cannot change a setting; the request says what it can do, in the language of its prompt."""
    for language, request in (("en", "answer more briefly"), ("ja", "もっと短く答えてください")):
        chat = Says([Completion('{"reason": "x', CALL, "length"), GOOD])
        await LLMJudge(chat, max_tokens=50).perform(JudgeContext("q", "c", "r", language=language))
        assert request in chat.asked[1].messages[-1].content
        assert "max_tokens" not in chat.asked[1].messages[-1].content


async def test_a_long_bad_reply_is_shown_again_in_part_and_an_empty_one_not_at_all():
    """A repair costs a bounded number of tokens, and no server is sent an empty message."""
    chat = Says(["{" * 50_000 + "end", GOOD])
    await LLMJudge(chat).perform(TASK)
    shown = chat.asked[1].messages[-2]
    assert shown.role == "assistant"
    assert len(shown.content) < 2_100
    assert shown.content.endswith("end")
    chat = Says([" \n", GOOD])
    await LLMJudge(chat).perform(TASK)
    assert all(message.content.strip() for message in chat.asked[1].messages)


async def test_a_call_that_fails_during_the_repair_costs_what_the_first_call_cost():
    """What was paid for is never lost, and the underlying error is left unchanged."""
    failure = CallFailed("down", Usage(calls=3), retryable=True, status=503)
    with pytest.raises(CallFailed, match="down") as error:
        await LLMJudge(Says(["?", failure])).perform(TASK)
    assert error.value.usage == CALL + Usage(calls=3)
    assert (error.value.retryable, error.value.status) == (True, 503)
    assert failure.usage == Usage(calls=3)


@pytest.mark.parametrize("error", [BudgetSpent("no money"), ConfigurationError("no key"), CallFailed("down")])
async def test_errors_of_the_chat_pass(error):
    """An error of the call or of the run is not for the judge to swallow."""
    with pytest.raises(type(error), match=str(error)):
        await LLMJudge(Says([error])).perform(TASK)


async def test_only_replies_that_were_of_no_use_are_forgotten():
    """A cache keeps what led to a reply, including a repaired one, and drops both requests if nothing did."""
    forgotten: list[ChatRequest] = []
    await LLMJudge(Says(["?", GOOD]), forget=forgotten.append).perform(TASK)
    assert forgotten == []
    chat = Says(["?", "??"])
    with pytest.raises(Unreadable):
        await LLMJudge(chat, forget=forgotten.append).perform(TASK)
    assert forgotten == chat.asked


async def test_draws_of_one_task_are_different_requests():
    """A task meant to be asked several times does not get the same reply from a cache."""
    reply = '{"questions": ["a"], "noncommittal": false}'
    chat = Says([reply] * 5)
    judge = LLMJudge(chat, seed=7)
    for draw in (0, 1, 2):
        await judge.perform(WriteQuestions("a", count=1, draw=draw, language="en"))
    for draw in (0, 1):
        await judge.with_seed(None).perform(WriteQuestions("a", count=1, draw=draw, language="en"))
    assert [request.seed for request in chat.asked] == [7, 8, 9, None, 1]


async def test_similarity_is_the_cosine_and_0_for_a_text_without_content():
    """The embedder measures; a zero vector is similar to nothing, and rounding never leaves [-1, 1]."""
    embeds = Embeds({"a": (0.6, 0.8), "b": (0.6000001, 0.8000001), "c": (-0.6, -0.8), "d": (0.8, -0.6), "": (0.0, 0.0)})
    reply = await LLMJudge(Says([]), embeds).perform(MeasureSimilarity("a", ("b", "c", "d", ""), language="en"))
    assert reply.values == pytest.approx([1.0, -1.0, 0.0, 0.0], abs=1e-6)
    assert all(-1 <= value <= 1 for value in reply.values)
    assert reply.usage == CALL
    alone = await LLMJudge(Says([]), embeds).perform(MeasureSimilarity("a", (), language="en"))
    assert (alone.values, alone.usage) == ([], Usage())


async def test_an_embedder_that_loses_a_text_is_a_failed_call():
    """A missing row would shift every similarity; it is refused, and paid for."""
    with pytest.raises(CallFailed, match="1 vectors for 2 texts") as error:
        await LLMJudge(Says([]), Embeds({"a": (1.0,), "b": (1.0,)}, lost=1)).perform(
            MeasureSimilarity("a", ("b",), language="en")
        )
    assert error.value.usage == CALL


async def test_a_missing_embedder_is_found_before_the_first_call():
    """Describing the judge for a metric that needs an embedder fails at once, and so does the task."""
    judge = LLMJudge(Says([]))
    with pytest.raises(ConfigurationError, match="embedder"):
        judge.describe([MeasureSimilarity])
    with pytest.raises(ConfigurationError, match="embedder"):
        await judge.perform(MeasureSimilarity("a", ("b",), language="en"))


def test_the_description_names_what_the_figure_depends_on():
    """Model, temperature, seed, prompts and joined calls if a model is asked; the embedder if one is; else nothing."""
    judge = LLMJudge(Says([]), Embeds({}), temperature=None, seed=3)
    described = judge.describe([SplitStatements])
    assert {key: value for key, value in described.items() if key != "prompts"} == {
        "judge": "test:says",
        "temperature": "default",
        "seed": "3",
        "calls": "joined",
    }
    alone = replace(judge, separate_calls=True).describe([SplitStatements])
    assert "calls" not in alone
    assert alone["prompts"] != described["prompts"]
    assert "calls" not in judge.describe([GradeAnswer])  # there is nothing to join
    assert described["prompts"] != judge.describe([GradeAnswer])["prompts"]
    assert judge.describe([SplitStatements, GradeAnswer]) == judge.describe([GradeAnswer, SplitStatements])
    assert judge.describe([MeasureSimilarity]) == {"embedder": "test:embeds"}
    assert set(judge.describe([SplitStatements, MeasureSimilarity])) == {
        "judge",
        "temperature",
        "seed",
        "prompts",
        "calls",
        "embedder",
    }
    assert judge.describe([]) == {}


async def test_the_preflight_is_one_real_call_that_no_cache_answers():
    """It tests the key, the model and the address, in the shape of every other call: the same roles, a schema, the same
    parameters. Its reply need not be readable.
    """
    chat, cached = Says(["whatever"]), Says(['{"statements": []}'])
    judge = LLMJudge(cached, Embeds({"ok": (1.0,)}), uncached=chat)
    await judge.preflight()
    assert (len(chat.asked), cached.asked) == (1, [])
    assert chat.asked[0].schema["title"] == "preflight"
    assert sum(len(message.content) for message in chat.asked[0].messages) < 100
    await judge.perform(SplitStatements("q", "t", language="en"))
    (small,), (real,) = chat.asked, cached.asked
    assert {message.role for message in small.messages} == {message.role for message in real.messages}
    assert (small.temperature, small.seed, small.max_tokens) == (real.temperature, real.seed, real.max_tokens)


@pytest.mark.parametrize("error", [ConfigurationError("401: wrong key"), CallFailed("503: overloaded")])
async def test_a_preflight_that_fails_stops_the_run(error):
    """Whatever goes wrong with the first call is reported before 10,000 calls go wrong."""
    with pytest.raises(ConfigurationError, match=str(error)):
        await LLMJudge(Says([error])).preflight()


async def test_closing_closes_the_model_and_the_embedder():
    """Nothing is left open, even if closing the model fails."""

    class Sticks(Says):
        async def close(self) -> None:
            raise OSError("stuck")

    embeds = Embeds({})
    with pytest.raises(OSError, match="stuck"):
        await LLMJudge(Sticks([]), embeds).close()
    chat = Says([])
    await LLMJudge(chat).close()
    assert (embeds.closed, chat.closed) == (1, 1)


async def test_many_tasks_at_once_do_not_get_into_each_others_way():
    """The judge has no state: of a hundred simultaneous tasks each gets its own reply."""

    class Echo(Says):
        async def complete(self, request: ChatRequest) -> Completion:
            await asyncio.sleep(0)
            said = request.messages[-1].content.partition("<text>\n")[2].partition("\n</text>")[0]
            return Completion(f'{{"statements": ["{said}"]}}', CALL)

    judge = LLMJudge(Echo([]))
    replies = await asyncio.gather(*(judge.perform(SplitStatements("q", f"t{i}", language="en")) for i in range(100)))
    assert [reply.statements for reply in replies] == [[f"t{i}"] for i in range(100)]
