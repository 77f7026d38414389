"""A run: shared steps once, costs that add up, votes, possible ends of a run, and bounded memory."""

import asyncio
from collections import Counter

import pytest
from doubles import CALL, SAMPLE, Own, paid, speaking, split_of

from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metrics
from saiten.records import Sample, Score, Usage
from saiten.runs import Journal, read_run
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring
from saiten.runs.signatures import signature_of
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.statements import SplitStatements, Statements, VerifyStatements


class Book:
    """A ledger and a watch in memory."""

    with_history = False

    def __init__(self):
        self.scores, self.samples, self.bad, self.finished, self.ended = {}, [], [], [], False

    def is_done(self, sample, metric):
        return (sample, metric) in self.scores

    def sample(self, sample):
        self.samples.append(sample)

    def score(self, scored):
        self.scores[scored.sample, scored.metric] = scored.score

    def result(self, sample, scored):
        assert (sample.id, scored.metric) in self.scores  # reported only after it is written

    def bad_row(self, where, reason=None, raw=""):
        if reason is not None:
            self.bad.append((where, reason))

    def sample_read(self, sample):
        pass

    def sample_done(self, sample):
        self.finished.append(sample.id)

    def sign(self, signatures):
        self.signatures = signatures

    def finish(self, pairs=None):
        self.ended = True


def samples(number):
    """This many samples with two contexts each."""
    return [Sample(f"s{n}", f"q{n}", f"a{n}", (f"c{n}", f"d{n}"), f"r{n}") for n in range(number)]


async def run(judge, rows, names=("faithfulness",), book=None, concurrency=4, **settings):
    """Score into a book; returns the outcome."""
    book = book or Book()
    metrics = names if not isinstance(names[0], str) else make_metrics(names)
    await run_all(Scoring(tuple(metrics), judge, book), rows, LocalExecutor(concurrency), book, **settings)
    return book


async def test_equal_tasks_of_several_metrics_are_asked_once():
    """Each sample is split once, however many metrics need it, and the first metric pays."""
    judge = speaking()

    def also(name):
        async def score(sample, asked):
            await asked.perform(split_of(sample))
            return Score(1.0)

        return Own(score, name)

    book = await run(judge, samples(5), (*make_metrics(["faithfulness"]), also("second"), also("third")))
    assert Counter(type(task) for task in judge.asked) == {SplitStatements: 5, VerifyStatements: 5}
    assert len(book.scores) == 15
    whole = sum((score.usage for score in book.scores.values()), Usage())
    assert (whole.calls, whole.cost, whole.reused) == (10, 5.0, 10)


async def test_the_shared_step_of_a_failed_call_is_paid_once_too():
    """Two metrics see the same failure; one of them has its cost."""
    from saiten.errors import CallFailed

    async def score(sample, judge):
        await judge.perform(split_of(sample))
        return Score(1.0)

    judge = ScriptedJudge({SplitStatements: CallFailed("down", Usage(calls=8))})
    book = await run(judge, samples(1), (Own(score, "a"), Own(score, "b")))
    assert len(judge.asked) == 1
    assert {score.status for score in book.scores.values()} == {"failed"}
    assert sum((score.usage for score in book.scores.values()), Usage()) == Usage(calls=8, reused=1)


class Purse(ScriptedJudge):
    """A judge with a fixed number of calls to spend."""

    def __init__(self, calls, script):
        super().__init__(script)
        object.__setattr__(self, "_left", [calls])

    __slots__ = ("_left",)

    async def perform(self, task):
        if self._left[0] == 0:
            raise BudgetSpent("the budget is spent")
        self._left[0] -= 1
        await asyncio.sleep(0)
        return await super().perform(task)


@pytest.mark.parametrize("calls", [0, 1, 5, 8, 15])
async def test_a_spent_budget_keeps_what_was_under_way_and_leaves_the_rest_pending(calls):
    """Every score that could be paid for is recorded, none has a status that hides the budget, and a second run with
    more money does exactly the rest.
    """
    book = Book()
    with pytest.raises(BudgetSpent):
        await run(Purse(calls, speaking().script), samples(10), ("faithfulness", "token_f1"), book)
    assert {score.status for score in book.scores.values()} <= {"ok"}
    faithful = [sample for sample, metric in book.scores if metric == "faithfulness"]
    assert len(faithful) <= calls // 2
    assert all((sample, "faithfulness") in book.scores for sample in book.finished)
    before = dict(book.scores)
    await run(speaking(), samples(10), ("faithfulness", "token_f1"), book)
    assert len(book.scores) == 20
    assert all(book.scores[key] is score for key, score in before.items())


async def test_no_sample_is_begun_after_the_budget_is_spent():
    """The source of a long file is not read further."""
    pulled = []

    def source():
        for sample in samples(1000):
            pulled.append(sample)
            yield sample

    with pytest.raises(BudgetSpent):
        await run(Purse(6, speaking().script), source(), concurrency=2)
    assert len(pulled) < 12


async def test_a_wrong_set_up_stops_at_once_and_keeps_what_other_metrics_have():
    """Nothing more is asked after the first ConfigurationError; what is done for this sample is recorded."""
    judge = ScriptedJudge({SplitStatements: ConfigurationError("401: no key")})
    book = Book()
    with pytest.raises(ConfigurationError, match="no key"):
        await run(judge, samples(100), ("faithfulness", "token_f1"), book, concurrency=1)
    assert len(judge.asked) == 1
    assert list(book.scores) == [("s0", "token_f1")]


async def test_the_preflight_comes_before_the_first_score_and_only_if_a_judge_is_needed():
    """One small call finds a wrong setup; metrics on text, and a finished run, need none."""

    class Refused(ScriptedJudge):
        async def preflight(self):
            raise ConfigurationError("no such model")

    book = await run(Refused({}), samples(3), ("token_f1",))
    assert len(book.scores) == 3
    with pytest.raises(ConfigurationError, match="no such model"):
        await run(Refused({}), samples(3), ("faithfulness",), book)
    done = await run(speaking(), samples(3))
    await run(Refused({}), samples(3), book=done)


def panel(*grades):
    """Each member gives a fixed grade and considers contexts useful if its grade is above 3."""

    def member(grade):
        return ScriptedJudge(
            {
                GradeAnswer: paid(Grade(feedback=str(grade), grade=grade)),
                JudgeContext: paid(ContextVerdict(reason="", useful=grade > 3)),
                SplitStatements: paid(Statements(statements=["One."])),
            }
        )

    return Panel(tuple(member(grade) for grade in grades))


async def test_votes_are_merged_kept_and_not_asked_for_again():
    """Grades are averaged, verdicts go by majority; each vote's own value is kept, without a further call."""
    judge = panel(5, 2, 4)
    book = await run(judge, [SAMPLE], ("correctness", "context_precision"))
    graded, precise = book.scores["s", "correctness"], book.scores["s", "context_precision"]
    assert graded.value == pytest.approx(11 / 3)
    assert graded.votes == (5.0, 2.0, 4.0)
    assert graded.expected == pytest.approx(11 / 3)
    assert precise.value == 1.0
    assert precise.votes == (1.0, 0.0, 1.0)
    assert precise.expected == pytest.approx(2 / 3)
    assert [len(member.asked) for member in judge.members] == [2, 2, 2]
    assert graded.usage + precise.usage == sum([CALL] * 6, Usage())


async def test_a_panels_refusal_is_a_vote_without_a_value():
    """If most members say that the answer declines, so does the panel; the others have grades."""
    book = await run(panel(0, 0, 4), [SAMPLE], ("correctness",))
    score = book.scores["s", "correctness"]
    assert (score.status, score.value, score.expected, score.votes) == ("declined", None, None, (None, None, 4.0))


async def test_metrics_without_a_vote_have_no_votes():
    """Text metrics are deterministic; a split is made only by the first member."""

    async def score(sample, judge):
        return Score(float(len((await judge.perform(split_of(sample))).statements)))

    judge = panel(1, 2)
    book = await run(judge, [SAMPLE], (Own(score), *make_metrics(["token_f1"])))
    assert [score.votes for score in book.scores.values()] == [(), ()]
    assert [len(member.asked) for member in judge.members] == [1, 0]


async def test_a_source_of_a_million_samples_is_not_pulled_ahead():
    """Memory is bounded by the work in progress: when a few are done, little more than those were read."""
    pulled = 0

    def source():
        nonlocal pulled
        for number in range(1_000_000):
            pulled += 1
            yield Sample(f"s{number}", "q", "a", ("c",), "r")

    class Enough(Exception):
        pass

    class Full(Book):
        def score(self, scored):
            super().score(scored)
            if len(self.scores) == 20:
                raise Enough

    with pytest.raises(Enough):
        await run(speaking(), source(), book=Full(), concurrency=4)
    assert pulled <= 20 + 4 + 8 + 1


async def test_bad_rows_are_kept_apart_and_strict_stops():
    """A bad row does not affect the others, unless the user wants to stop; then file and line are named."""
    rows = [samples(2)[0], BadRow("d.jsonl:2", "not JSON", "{"), samples(2)[1]]
    book = await run(speaking(), rows)
    assert book.bad == [("d.jsonl:2", "not JSON")]
    assert len(book.scores) == 2
    with pytest.raises(BadInput, match=r"d\.jsonl:2: not JSON"):
        await run(speaking(), rows, strict=True)


async def test_details_that_are_no_json_make_one_failed_score(tmp_path):
    """A custom metric may put anything into its details; the run goes on, and the cost is kept."""

    async def score(sample, judge):
        await judge.perform(split_of(sample))
        return Score(1.0, details={"what": object() if sample.id == "s0" else "fine"})

    metric = Own(score)
    with Journal.open(tmp_path / "run", signatures={"own": "own"}) as journal:
        await run_all(Scoring((metric,), speaking(), journal), samples(3), LocalExecutor(2), Book2())
    found = {one.sample: one.score for one in read_run(tmp_path / "run").scores()}
    assert [found[f"s{n}"].status for n in range(3)] == ["failed", "ok", "ok"]
    assert "object" in found["s0"].reason
    assert found["s0"].usage == CALL


class Book2(Book):
    """A watch alone."""

    def result(self, sample, scored):
        self.scores[sample.id, scored.metric] = scored.score


def test_a_signature_names_judge_settings_and_version():
    """A judged figure has the judge in its signature, one on text the tokenizer, and each has saiten's version."""
    judged, counted = make_metrics(["faithfulness", "token_f1"])
    assert str(signature_of(judged, speaking())).startswith("faithfulness|judge:scripted|")
    assert "tokeniser_ja:" in str(signature_of(counted, speaking()))
    assert "judge" not in str(signature_of(counted, speaking()))
    assert "|saiten:" in str(signature_of(counted, speaking()))


async def test_a_canceled_run_keeps_what_is_recorded():
    """Ctrl-C cancels: the scores until then are in the ledger, and nothing is recorded afterwards."""
    book = Book()
    reached = asyncio.Event()

    async def score(sample, judge):
        if sample.id == "s3":
            reached.set()
            await asyncio.Event().wait()
        return Score(1.0)

    task = asyncio.create_task(run(speaking(), samples(10), (Own(score),), book, concurrency=1))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [sample for sample, _ in book.scores] == ["s0", "s1", "s2"]
