"""Making test sets: rounds until there are enough questions, and a folder that survives every interruption."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, Unreadable
from saiten.executor import LocalExecutor
from saiten.runs.manifest import RunSettings
from saiten.testsets.checking import Checks
from saiten.testsets.drafting import Drafted, NothingToAsk
from saiten.testsets.folder import SetFolder
from saiten.testsets.items import Checked, SetItem, SetPassage
from saiten.testsets.making import Making, Rounds, make_set, most_tries
from saiten.testsets.plan.slots import Slot
from saiten.testsets.rules.duplicates import KnownQuestions

SETTINGS = RunSettings(judge={"judge": "m"})


class Plans:
    """Slots for as long as they last."""

    def __init__(self, last: dict[str, int]) -> None:
        self.last = last
        self.given: Counter[str] = Counter()

    async def take(self, kind, n):
        """The next n slots of the kind, or fewer."""
        first = self.given[kind] + 1
        self.given[kind] = min(self.given[kind] + n, self.last.get(kind, 10**6))
        return [slot(kind, number) for number in range(first, self.given[kind] + 1)]

    def why_not(self, kind):
        """Nothing to say."""


def slot(kind: str, number: int) -> Slot:
    """The slot with this number."""
    return Slot(f"{kind}-{number}", kind, (SetPassage(f"Rule {number} is about {kind}."),), "en", "easy")


class Script:
    """A writer whose n-th question, over all kinds, is what the script says: an error, a failed check, or a question."""

    kinds = ("single", "comparison")

    def __init__(self, script=None) -> None:
        self.script = script or {}
        self.slots: list[str] = []

    async def write(self, a_slot):
        """An item, dropped if the script has the name of a check."""
        self.slots.append(a_slot.id)
        said = self.script.get(len(self.slots), self.script.get(a_slot.id))
        if isinstance(said, Exception):
            raise said
        question = f"Which rule has the number {a_slot.id.rpartition('-')[2]} in {a_slot.kind}?"
        item = SetItem(a_slot.id, question, "It is the rule about doors.", a_slot.kind, "en", a_slot.passages)
        return Drafted(item if said is None else item.with_check(Checked(said, passed=False, reason="x")))


class Watching:
    """What a run showed."""

    def __init__(self) -> None:
        self.results: list[object] = []

    def sample_read(self, sample):
        """Not counted."""

    def bad_row(self, row):
        """There are none."""
        pytest.fail(str(row))

    def result(self, sample, result):
        """Count."""
        self.results.append(result)

    def sample_done(self, sample):
        """Not counted."""


async def made(path: Path, wanted: dict, writer=None, plans=None, *, shared=False, at_once=1):
    """Make a set in the folder; returns folder, rounds, writer."""
    writer, plans = writer or Script(), plans or Plans({})
    with SetFolder.open(path, SETTINGS, notify=pytest.fail) as folder:
        plans.given.update(Counter(each.kind for each in folder.slots.values()))
        skipped = frozenset({"duplicate", "wording", "leak"})
        rounds = Rounds(folder, plans, dict(wanted), shared)
        making = Making(folder, writer, Checks(KnownQuestions(), skipped=skipped))
        await make_set(making, rounds, LocalExecutor(at_once), Watching())
    return folder, rounds, writer


def lines(path: Path) -> list[dict]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kept(folder: SetFolder) -> list[str]:
    """The ids of the questions that were kept."""
    return [item.id for item in folder.kept]


async def test_there_are_as_many_questions_as_wanted(tmp_path):
    """No slot more is taken than needed, and every one is in the plan before it is written."""
    folder, _, writer = await made(tmp_path / "set", {"single": 3, "comparison": 2})
    assert Counter(item.kind for item in folder.kept) == {"single": 3, "comparison": 2}
    assert len(writer.slots) == 5
    assert [line["id"] for line in lines(tmp_path / "set" / "plan.jsonl")] == [*folder.slots]


async def test_dropped_questions_are_replaced_and_kept_with_their_reason(tmp_path):
    """A question that fails a check is in dropped.jsonl, and another slot is tried."""
    script = Script({1: "support", 3: "leak", 4: NothingToAsk("the passage is a list")})
    folder, _, _ = await made(tmp_path / "set", {"single": 3}, script)
    assert kept(folder) == ["single-2", "single-5", "single-6"]
    dropped = lines(tmp_path / "set" / "dropped.jsonl")
    assert [(line["id"], line["checks"][0]["check"]) for line in dropped] == [
        ("single-1", "support"),
        ("single-3", "leak"),
    ]
    (error,) = lines(tmp_path / "set" / "errors.jsonl")
    assert (error["slot"], error["reason"], error["final"]) == ("single-4", "the passage is a list", True)


async def test_tries_are_bounded(tmp_path):
    """A model whose questions all fail does not cost without end: three tries per question, and five more at least."""
    never = Script(dict.fromkeys(range(1, 1000), "support"))
    folder, rounds, writer = await made(tmp_path / "set", {"single": 4}, never)
    assert len(writer.slots) == most_tries(4) == 12
    assert most_tries(1) == 6
    assert kept(folder) == []
    assert rounds.missing("single") == 4


async def test_what_one_kind_lacks_the_others_give(tmp_path):
    """If the documents allow only one comparison, there are more single questions; unless the kinds were chosen."""
    few = {"comparison": 1}
    folder, _, _ = await made(tmp_path / "shared", {"single": 3, "comparison": 3}, plans=Plans(few), shared=True)
    assert Counter(item.kind for item in folder.kept) == {"single": 5, "comparison": 1}
    folder, rounds, _ = await made(tmp_path / "typed", {"single": 3, "comparison": 3}, plans=Plans(few))
    assert Counter(item.kind for item in folder.kept) == {"single": 3, "comparison": 1}
    assert rounds.missing("comparison") == 2


async def test_resuming_a_shared_set_adds_nothing(tmp_path):
    """The other kinds have given their share already."""
    plans = {"comparison": 1}
    wanted = {"single": 3, "comparison": 3}
    before, _, _ = await made(tmp_path / "set", wanted, plans=Plans(plans), shared=True)
    after, _, writer = await made(tmp_path / "set", wanted, plans=Plans(plans), shared=True)
    assert writer.slots == []
    assert kept(after) == kept(before)


async def test_a_failed_call_is_tried_again_by_the_next_run(tmp_path):
    """In this run another slot takes its place, so that there are enough questions."""
    script = Script({"single-1": CallFailed("gone"), "single-2": Unreadable("no JSON", "hm", usage=None)})
    folder, _, _ = await made(tmp_path / "set", {"single": 2}, script)
    assert kept(folder) == ["single-3", "single-4"]
    errors = lines(tmp_path / "set" / "errors.jsonl")
    assert [(error["slot"], error["final"], error["raw"]) for error in errors] == [
        ("single-1", False, ""),
        ("single-2", False, "hm"),
    ]
    again, _, writer = await made(tmp_path / "set", {"single": 5})
    assert writer.slots[:2] == ["single-1", "single-2"]
    assert len(again.kept) == 5


async def test_a_round_of_failures_is_the_last(tmp_path):
    """A server that is gone is not asked for every slot of the base."""
    script = Script(dict.fromkeys(range(1, 1000), CallFailed("gone")))
    _, rounds, writer = await made(tmp_path / "set", {"single": 5}, script)
    assert len(writer.slots) == 5
    assert rounds.missing("single") == 5


async def test_a_spent_budget_keeps_what_there_is(tmp_path):
    """The slot whose call was not allowed is the next run's."""
    script = Script({3: BudgetSpent("spent")})
    with pytest.raises(BudgetSpent):
        await made(tmp_path / "set", {"single": 5}, script)
    folder, _, writer = await made(tmp_path / "set", {"single": 5})
    assert writer.slots == ["single-3", "single-4", "single-5"]
    assert len(folder.kept) == 5


async def test_more_questions_are_added_to_those_there(tmp_path):
    """A larger n continues the set, with new ids."""
    await made(tmp_path / "set", {"single": 2})
    folder, _, writer = await made(tmp_path / "set", {"single": 4, "comparison": 1})
    assert writer.slots == ["single-3", "single-4", "comparison-1"]
    assert len(folder.kept) == 5


async def test_a_torn_last_line_costs_one_question(tmp_path):
    """After a power failure, the half line is moved aside and its slot is written again."""
    await made(tmp_path / "set", {"single": 3})
    path = tmp_path / "set" / "questions.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    notes: list[str] = []
    with SetFolder.open(tmp_path / "set", SETTINGS, notify=notes.append) as folder:
        assert kept(folder) == ["single-1", "single-2"]
    assert "half a line" in notes[0]
    folder, _, writer = await made(tmp_path / "set", {"single": 3})
    assert writer.slots == ["single-3"]
    assert len(lines(path)) == 3


async def test_a_set_is_continued_with_the_same_settings_or_not_at_all(tmp_path):
    """Questions of another model do not get mixed in; a set without questions may start over."""
    SetFolder.open(tmp_path / "set", replace(SETTINGS, judge={"judge": "typo"}), notify=pytest.fail).close()
    await made(tmp_path / "set", {"single": 1})
    with pytest.raises(ConfigurationError, match='judge: was "m", is "other"'):
        SetFolder.open(tmp_path / "set", replace(SETTINGS, judge={"judge": "other"}), notify=pytest.fail)


def test_foreign_folders_are_left_alone(tmp_path):
    """Only an empty folder, one with a knowledge base, or a test set is taken."""
    (tmp_path / "kb").mkdir()
    SetFolder.open(tmp_path, SETTINGS, notify=pytest.fail).close()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"is not empty .*thesis\.txt"):
        SetFolder.open(other, SETTINGS, notify=pytest.fail)
    with pytest.raises(ConfigurationError, match="is a file"):
        SetFolder.open(other / "thesis.txt", SETTINGS, notify=pytest.fail)
    assert sorted(path.name for path in other.iterdir()) == ["thesis.txt"]


async def test_one_process_writes_a_set(tmp_path):
    """Two at once would write its questions twice."""
    with (
        SetFolder.open(tmp_path / "set", SETTINGS, notify=pytest.fail),
        pytest.raises(ConfigurationError, match="in use by another saiten process"),
    ):
        SetFolder.open(tmp_path / "set", SETTINGS, notify=pytest.fail)


async def test_a_line_changed_by_hand_is_named(tmp_path):
    """A damaged item stops the run before anything is paid, with the file and the field."""
    await made(tmp_path / "set", {"single": 1})
    path = tmp_path / "set" / "questions.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"kind":"single"', '"kind":"tricky"'), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"questions\.jsonl has a line that saiten did not write"):
        SetFolder.open(tmp_path / "set", SETTINGS, notify=pytest.fail)


async def test_work_at_once_gives_the_same_number(tmp_path):
    """Concurrency changes neither the number of questions nor the ids."""
    folder, _, _ = await made(tmp_path / "set", {"single": 9}, Script({2: "leak", 5: "support"}), at_once=4)
    assert len(folder.kept) == 9
    assert len(folder.items) == 11
