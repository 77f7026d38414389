import asyncio
import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talking import UNION, ScriptedSystem

from saiten.data import BadRow
from saiten.dialogue.conversations import Conversations
from saiten.dialogue.dialogue import Dialogue, DialogueStep, Leak
from saiten.dialogue.lines import dialogue_from_json, dialogue_to_json
from saiten.dialogue.recorded import RecordedSystem
from saiten.dialogue.running import Conversing
from saiten.dialogue.session import DIALOGUES_NAME, open_journal
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, SystemFailed
from saiten.executor import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.records import Answer, Inquiry, Passage, Retrieved, Sample, TimedCall, Usage
from saiten.runs import RunSettings, read_run
from saiten.runs.engine import run_all

PAIRS = [
    Sample(f"q{n}", question=f"What does option {n} do?", reference=f"Option {n} removes duplicate rows.", group="Db2")
    for n in range(6)
]


@dataclass
class Manual:
    """Gives the reference from the second question on; counts its questions."""

    asked: list[Inquiry] = field(default_factory=list)
    stop_after: int = 10_000
    name: str = "manual"

    def describe(self):
        return {"version": "1"}

    async def answer(self, inquiry):
        if len(self.asked) >= self.stop_after:
            raise BudgetSpent("no more calls")
        self.asked.append(inquiry)
        number = inquiry.id.removeprefix("q")
        text = f"Option {number} removes duplicate rows." if inquiry.history else f"There is an option {number}."
        return Answer(text, (Passage(text, "manual.md"),), 0.1, Usage(calls=1), (TimedCall("qa", 0.1, Usage(calls=1)),))

    async def close(self):
        """Nothing is open."""


class Watching:
    """Counts what is done."""

    def __init__(self):
        self.done, self.turns, self.bad = [], 0, []

    def bad_row(self, row):
        self.bad.append(row)

    def answered(self, answer):
        self.turns += 1

    def sample_read(self, sample):
        pass

    def result(self, sample, result):
        pass

    def sample_done(self, sample):
        self.done.append(sample.id)


async def run(folder, rows, system, *, retry_failed=False, agents=None, strict=False, at_once=8):
    """Run once into a folder, as the command does."""
    conversations = Conversations(system, agents or OfflineJudge(), at_once=at_once)
    watch = Watching()
    with open_journal(folder, RunSettings(data="x"), conversations.signatures(), retry_failed=retry_failed) as journal:
        await run_all(Conversing(journal, conversations, watch.answered), rows, LocalExecutor(4), watch, strict=strict)
    return watch


def dialogues(folder):
    """The lines of the file."""
    return [json.loads(line) for line in (folder / DIALOGUES_NAME).read_text(encoding="utf-8").splitlines()]


async def test_a_run_of_dialogues_is_a_run(tmp_path):
    """Its scores can be read like any run's; each dialogue is a line with everything that was said."""
    await run(tmp_path / "run", PAIRS, Manual())
    scores = {(one.sample, one.metric): one.score for one in read_run(tmp_path / "run").scores()}
    assert {metric for _, metric in scores} == {"wscore", "lscore", "mscore", "leak"}
    assert len(scores) == 4 * len(PAIRS)
    lines = dialogues(tmp_path / "run")
    assert sorted(line["id"] for line in lines) == [pair.id for pair in PAIRS]
    first = lines[0]
    assert [step["name"] for step in first["steps"]][:3] == ["T1", "T2", "T3"]
    assert first["steps"][0]["contexts"][0]["source"] == "manual.md"
    assert scores[first["id"], "wscore"].value == first["wscore"]


async def test_the_same_again_asks_nobody(tmp_path):
    """All dialogues are done."""
    await run(tmp_path / "run", PAIRS, Manual())
    system = Manual()
    watch = await run(tmp_path / "run", PAIRS, system)
    assert (system.asked, len(watch.done), watch.turns) == ([], len(PAIRS), 0)
    assert len(dialogues(tmp_path / "run")) == len(PAIRS)


async def test_a_spent_budget_stops_cleanly_and_what_was_said_is_not_asked_again(tmp_path):
    """This holds in the middle of dialogues, too: over both runs the system gets each question exactly once."""
    first, second = Manual(stop_after=7), Manual()
    with pytest.raises(BudgetSpent):
        await run(tmp_path / "run", PAIRS, first)
    await run(tmp_path / "run", PAIRS, second)
    heard = [(inquiry.id, len(inquiry.history)) for inquiry in (*first.asked, *second.asked)]
    assert len(heard) == len(set(heard))
    assert sorted(line["id"] for line in dialogues(tmp_path / "run")) == [pair.id for pair in PAIRS]


async def test_a_kill_between_the_dialogue_and_its_scores_costs_nothing(tmp_path):
    """The scores are computed from the existing line."""
    folder = tmp_path / "run"
    await run(folder, PAIRS, Manual())
    scores = (folder / "scores.jsonl").read_text().splitlines(keepends=True)
    (folder / "scores.jsonl").write_text("".join(scores[:-3]))
    system = Manual()
    await run(folder, PAIRS, system)
    assert system.asked == []
    assert len(list(read_run(folder).scores())) == 4 * len(PAIRS)


async def test_a_failed_dialogue_has_no_value_and_is_asked_again_if_wanted(tmp_path):
    """It keeps its transcript and its reason; answers it got are not requested again."""
    folder = tmp_path / "run"
    broken = ScriptedSystem(["There is an option.", SystemFailed("HTTP 503", "failed")])
    await run(folder, [UNION], broken)
    scores = {one.metric: one.score for one in read_run(folder).scores()}
    assert {score.status for score in scores.values()} == {"failed"}
    assert scores["wscore"].reason == "T1 (system), turn 2: it failed: HTTP 503"
    again = ScriptedSystem(["UNION eliminates duplicate rows from the result, UNION ALL keeps them."])
    await run(folder, [UNION], again)
    assert again.asked == []
    await run(folder, [UNION], again, retry_failed=True)
    assert [len(inquiry.history) for inquiry in again.asked] == [1]
    assert {one.score.status for one in read_run(folder).scores()} == {"ok"}


async def test_each_run_has_sessions_of_its_own_and_keeps_them_when_it_goes_on(tmp_path):
    """Two runs against one server share none; a resumed dialogue continues in its own."""
    first, second, other = Manual(stop_after=7), Manual(), Manual()
    with pytest.raises(BudgetSpent):
        await run(tmp_path / "run", PAIRS, first)
    await run(tmp_path / "run", PAIRS, second)
    await run(tmp_path / "other", PAIRS, other)
    sessions = {inquiry.id: inquiry.session for inquiry in first.asked}
    assert {inquiry.session for inquiry in second.asked if inquiry.id in sessions} <= set(sessions.values())
    assert not {inquiry.session for inquiry in other.asked} & {inquiry.session for inquiry in second.asked}


async def test_a_run_that_begins_anew_takes_nothing_from_the_system_before(tmp_path):
    """Stopped before the first score, then another system: no dialogue has an answer of the first."""
    with pytest.raises(BudgetSpent):
        await run(tmp_path / "run", PAIRS, Manual(stop_after=1))
    other = Manual(name="other")
    await run(tmp_path / "run", PAIRS, other)
    answers = [step for line in dialogues(tmp_path / "run") for step in line["steps"] if step["name"] == "T1"]
    assert len(other.asked) == len(answers) > len(PAIRS)


async def test_the_system_is_not_asked_more_at_a_time_than_it_is_to_be(tmp_path):
    """Systems under test are often one small server."""

    class Counting(Manual):
        now = most = 0

        async def answer(self, inquiry):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1
            return await super().answer(inquiry)

    system = Counting()
    await run(tmp_path / "run", PAIRS, system, at_once=2)
    assert system.most == 2


async def test_what_is_no_pair_is_kept_apart(tmp_path):
    """An unreadable row, and one without a reference."""
    rows = [BadRow("x.jsonl:1", "no JSON"), Sample("a", question="Why?"), PAIRS[0]]
    watch = await run(tmp_path / "run", rows, Manual())
    assert [row.reason for row in watch.bad] == ["no JSON", "a dialogue needs a reference"]
    assert watch.done == ["q0"]
    with pytest.raises(BadInput, match="--strict"):
        await run(tmp_path / "strict", rows, Manual(), strict=True)


async def test_another_system_is_another_run(tmp_path):
    """Figures of two systems are never in one folder."""
    await run(tmp_path / "run", PAIRS[:1], Manual())
    with pytest.raises(ConfigurationError, match="other settings"):
        await run(tmp_path / "run", PAIRS[:1], Manual(name="other"))


async def test_a_system_set_up_wrongly_stops_the_run(tmp_path):
    """All other dialogues would fail as well."""
    with pytest.raises(ConfigurationError, match="no such host"):
        await run(tmp_path / "run", [UNION], ScriptedSystem([ConfigurationError("no such host")]))


PASSAGES = st.builds(Passage, text=st.text(max_size=9), source=st.text(max_size=5), score=st.none() | st.floats(0, 1))
USAGES = st.builds(Usage, calls=st.integers(0, 9), cost=st.floats(0, 1))
STEPS = st.builds(
    DialogueStep,
    name=st.sampled_from(["T1", "T2", "T3", "T4", "T5", "T6", "T7"]),
    turn=st.integers(1, 5),
    agent=st.sampled_from(["system", "composer", "grader", "questioner"]),
    text=st.text(max_size=20),
    grade=st.none() | st.floats(0, 5),
    contexts=st.none() | st.lists(PASSAGES, max_size=2).map(tuple),
    usage=USAGES,
)


@given(
    st.lists(STEPS, max_size=4).map(tuple),
    st.lists(PASSAGES, max_size=2).map(tuple),
    st.builds(Leak, st.none() | st.floats(0, 1), st.lists(st.text(max_size=4)).map(tuple), st.just((2,))),
    USAGES,
)
def test_what_is_written_is_read_back(steps, passages, leak, usage):
    """This holds for every field with any content."""
    evidence = Retrieved(passages, usage)
    dialogue = Dialogue(
        "1", "q", "r", 5, steps, "failed", "why", "judge", "timeout", "run/1", leak, "s", None, "ja", evidence, usage
    )
    line = json.dumps(dialogue_to_json(dialogue))
    assert dialogue_from_json(json.loads(line)) == dialogue


@pytest.mark.parametrize(
    "damage",
    [
        {"reason": 5},
        {"group": 7},
        {"max_turns": 0},
        {"evidence": {"passages": [{"text": "", "score": 10**400}]}},
        {"leak": {"share": "much"}},
        {"leak": {"words": [1]}},
        {"evidence": {"passages": [{"text": 3}]}},
        {"fault": ["judge"]},
        {"steps": [{"name": "T3", "turn": 1, "agent": "grader", "text": "", "grade": -1}]},
        {"steps": [{"name": "T3", "turn": 1, "agent": "grader", "text": "", "grade": float("nan")}]},
        {"steps": [{"name": "T1", "turn": 1, "agent": "dog", "text": ""}]},
        {"steps": [{"name": "T1", "turn": 1, "agent": "system", "text": "", "usage": {"calls": None}}]},
    ],
)
def test_a_damaged_line_is_no_dialogue(damage):
    """Code that shows one can rely on the types of grades and texts."""
    plain = dialogue_to_json(Dialogue("1", "q", "r", 5, (), "failed", "why", "judge", "failed", "run/1"))
    with pytest.raises(ValueError, match="not a dialogue"):
        dialogue_from_json(plain | damage)


async def test_an_answer_that_came_as_all_was_called_off_is_written_down():
    """It was given, and may have been paid for."""
    written = []
    system = RecordedSystem(ScriptedSystem(["It was 1998."]), [], lambda line, _: written.append(line), 1)
    asking = asyncio.create_task(system.answer(Inquiry("When?", "1")))
    await asyncio.sleep(0)  # the system has answered; the line is not written yet
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [line["question"] for line in written] == ["When?"]
