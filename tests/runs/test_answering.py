"""Questions × one system → answers in a file: none lost, none twice, whatever happens on the way."""

import asyncio
import json
import math
import random
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from saiten.data import BadRow, read_samples
from saiten.errors import BadInput, BudgetSpent, CallFailed, ConfigurationError, SystemFailed
from saiten.executor import LocalExecutor
from saiten.records import Answer, Passage, Sample, TimedCall, Usage
from saiten.runs import RunSettings
from saiten.runs.answers import AnswersFile, Collecting, summarize_answers
from saiten.runs.answers.answers_file import folder_of
from saiten.runs.engine import run_all
from saiten.text.language import detect_language

SAMPLES = [Sample(f"q{n}", f"Question {n}?", reference=f"Reference {n}.", group="g") for n in range(20)]
SETTINGS = {"system": "own"}


@dataclass
class Own:
    """A system that is a function of the question."""

    what: object
    asked: list = field(default_factory=list)
    name: str = "own"

    def describe(self):
        return {"system": self.name}

    async def answer(self, inquiry):
        self.asked.append(inquiry.id)
        found = self.what(inquiry)
        return await found if asyncio.iscoroutine(found) else found

    async def close(self):
        """Has nothing to close."""


class Watch:
    """Counts its notifications."""

    def __init__(self):
        self.counts = Counter()

    def sample_read(self, sample):
        self.counts["before"] += 1

    def result(self, sample, result):
        self.counts[type(result).__name__] += 1
        self.counts["before"] -= 1

    def sample_done(self, sample):
        pass

    def bad_row(self, row):
        self.counts["bad"] += 1


def opened(path="answers.jsonl", settings=SETTINGS, **more):
    """The file, without its notes."""
    return AnswersFile.open(path, RunSettings(more=settings), "own", **{"notify": lambda _: None} | more)


async def collect(system, samples=SAMPLES, path="answers.jsonl", limit=4, **more):
    """Put all of them to the system and write the answers to the file."""
    watch = Watch()
    strict = more.pop("strict", False)
    with opened(path, **more) as ledger:
        await run_all(Collecting(system, ledger), samples, LocalExecutor(limit), watch, strict=strict)
    return dict(+watch.counts)


def rows(path="answers.jsonl"):
    """ID → row; a line that SIGKILL left without its end was not acknowledged."""
    lines = Path(path).read_bytes().split(b"\n")[:-1]
    found = {row["id"]: row for row in map(json.loads, lines)}
    assert len(found) == len(lines)
    return found


def to(inquiry):
    """A plain answer."""
    return Answer(f"To {inquiry.question}", (Passage("c", "s.md", 0.5, 3, 4),), 0.25, Usage(1, 10, 5, 0.5), (TimedCall("qa", 0.2, Usage(1, 10, 5, 0.5)),))  # fmt: skip


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Run each test in its own folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_each_row_has_all_that_is_known():
    """The fields of the question, the system's answer, the cost."""
    await collect(Own(to), SAMPLES[:1])
    usage = asdict(Usage(1, 10, 5, 0.5))
    assert rows()["q0"] == {
        "id": "q0",
        "question": "Question 0?",
        "answer": "To Question 0?",
        "contexts": [{"text": "c", "source": "s.md", "score": 0.5, "start": 3, "end": 4}],
        "reference": "Reference 0.",
        "group": "g",
        "language": "en",
        "system": "own",
        "seconds": 0.25,
        "calls": [{"step": "qa", "seconds": 0.2, "usage": usage}],
        "usage": usage,
    }


async def test_the_file_is_read_as_samples_as_it_is():
    """Answers, contexts, references and failures; missing contexts stay missing."""

    def mixed(inquiry):
        if inquiry.id == "q1":
            raise SystemFailed("no")
        return to(inquiry) if inquiry.id == "q0" else Answer("A", None) if inquiry.id == "q2" else Answer("B", ())

    await collect(Own(mixed), SAMPLES[:4])
    found = {s.id: s for s in read_samples("answers.jsonl", detect_language=detect_language)}
    assert found["q0"] == Sample("q0", "Question 0?", "To Question 0?", ("c",), "Reference 0.", group="g", system="own")
    assert found["q1"].answer is None
    assert (found["q2"].contexts, found["q3"].contexts) == (None, ())


async def test_one_that_fails_does_not_stop_the_rest():
    """Each failure has its kind, reason and cost, even for unexpected errors."""
    errors = [
        SystemFailed("slow", "timeout", Usage(2)),
        CallFailed("down", Usage(3)),
        ValueError("odd"),
        RecursionError(),
    ]

    def some(inquiry):
        number = int(inquiry.id[1:])
        if number < len(errors):
            raise errors[number]
        return to(inquiry)

    counts = await collect(Own(some))
    assert counts == {"SystemFailed": 4, "Answer": 16}
    found = rows()
    assert [found[f"q{n}"]["error"] for n in range(4)] == [
        {"kind": "timeout", "reason": "slow"},
        {"kind": "failed", "reason": "down"},
        {"kind": "failed", "reason": "ValueError: odd"},
        {"kind": "failed", "reason": "RecursionError: "},
    ]
    assert [found[f"q{n}"]["usage"]["calls"] for n in range(5)] == [2, 3, 0, 0, 1]
    assert found["q0"]["answer"] is None


async def test_what_was_answered_or_failed_is_not_asked_again():
    """Unless failures are requested; then each appears once."""

    def some(inquiry):
        if inquiry.id in {"q3", "q4"}:
            raise SystemFailed("no")
        return to(inquiry)

    await collect(Own(some), SAMPLES[:10])
    again = Own(to)
    assert await collect(again) == {"before": 10, "Answer": 10}
    assert set(again.asked) == {f"q{n}" for n in range(10, 20)}
    mended = Own(to)
    assert await collect(mended, retry_failed=True) == {"before": 18, "Answer": 2}
    assert set(mended.asked) == {"q3", "q4"}
    assert all("error" not in row for row in rows().values())
    kept = (folder_of(Path("answers.jsonl")) / "errors.jsonl").read_text()
    assert kept.count('"reason":"no"') == 2


async def test_a_budget_that_is_spent_stops_cleanly():
    """Calls in flight end and are written; unasked questions are not in the file."""

    def bounded(inquiry):
        if len(system.asked) > 7:
            raise BudgetSpent("spent")
        return slowly(inquiry)

    async def slowly(inquiry):
        await asyncio.sleep(0.01)
        return to(inquiry)

    system = Own(bounded)
    with pytest.raises(BudgetSpent):
        await collect(system)
    assert len(rows()) == 7
    assert len(system.asked) < 20


@pytest.mark.parametrize("error", [ConfigurationError("no server"), BadInput("no file")])
async def test_what_concerns_the_whole_run_stops_it_at_once(error):
    """It does not become a row."""

    def broken(inquiry):
        if inquiry.id == "q5":
            raise error
        return to(inquiry)

    with pytest.raises(type(error)):
        await collect(Own(broken), limit=1)
    assert set(rows()) == {f"q{n}" for n in range(5)}


async def test_rows_that_cannot_be_used_are_kept_apart_once():
    """This includes a row without a question; `strict` stops there."""
    bad = [BadRow("f:1", "no JSON", "{"), Sample("empty", " ", "An answer."), *SAMPLES[:2]]
    assert await collect(Own(to), bad) == {"bad": 2, "Answer": 2}
    assert await collect(Own(to), bad) == {"bad": 2, "before": 2}
    kept = (folder_of(Path("answers.jsonl")) / "errors.jsonl").read_text().splitlines()
    assert [json.loads(line)["reason"] for line in kept] == ["no JSON", "there is no question in it"]
    with pytest.raises(BadInput, match="f:1: no JSON"):
        await collect(Own(to), bad, strict=True)


@pytest.mark.parametrize(
    "answer",
    [
        Answer("a", seconds=math.nan),
        Answer("a", (Passage("c", score=math.inf),)),
        Answer("a", (Passage(object()),)),
        Answer("x" * (33 << 20)),
        Answer("a", usage=Usage(cost=math.nan)),
        Answer(7),
        None,
    ],
    ids=["nan", "infinity", "object", "33 MiB", "cost", "number", "nothing"],
)
async def test_an_answer_that_cannot_be_kept_is_unreadable(answer):
    """The file stays readable."""
    counts = await collect(Own(lambda _: answer), SAMPLES[:1])
    assert counts == {"SystemFailed": 1}
    assert rows()["q0"]["error"]["kind"] == "unreadable"


async def test_another_question_under_a_known_id_is_refused():
    """Nothing is overwritten; a changed reference is counted and reported."""
    await collect(Own(to))
    with pytest.raises(BadInput, match="'q3' is not the one"):
        await collect(Own(to), [Sample("q3", "Another?")])
    with opened() as ledger:
        assert ledger.is_done(SAMPLES[1])
        assert ledger.outdated == 0
        assert ledger.is_done(Sample("q1", "Question 1?", reference="Mended."))
        assert ledger.outdated == 1


def test_other_settings_in_the_same_file_are_refused_with_what_differs():
    """Unless there is no row yet: after a mistyped name the right one can be given."""
    opened(settings={"system": "a", "seed": "1"}).close()
    with opened(settings={"system": "b"}) as ledger:
        ledger.answered(SAMPLES[0], Answer("a"))
    with pytest.raises(ConfigurationError, match=r'system: was "b", is "c"(\n|.)*seed: was not set, is "2"'):
        opened(settings={"system": "c", "seed": "2"})
    opened(settings={"system": "b"}).close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Path("answers.jsonl").write_text("{}\n"), "holds something already"),
        (lambda: Path("answers.jsonl").mkdir(), "is no file"),
        (
            lambda: (Path("answers.jsonl.saiten").mkdir(), Path("answers.jsonl.saiten/made.json").write_text("{}")),
            "of another kind",
        ),
        (lambda: Path("answers.jsonl.saiten").write_text("x"), "cannot be made"),
    ],
)
def test_what_is_not_ours_is_left_alone(make, message):
    """For example, the questions themselves, named by mistake."""
    make()
    before = sorted(Path().rglob("*"))
    with pytest.raises(ConfigurationError, match=message):
        opened()
    assert sorted(Path().rglob("*")) == before


def test_answers_are_json_lines():
    """Another extension would be read as another format."""
    with pytest.raises(ConfigurationError, match=r"ends in .jsonl, not a.csv"):
        opened("a.csv")


@pytest.mark.parametrize(
    ("torn", "left"),
    [
        (b'{"id":"q9","ans', 3),
        (b"\x00\x00\x00", 3),
        (b'{"id":"q9","question":"Question 9?","answer":"a"}', 4),
        (b"", 3),
    ],
)
def test_a_last_line_that_was_cut_off_is_moved_aside(torn, left):
    """One that lacks only its line end is complete."""
    asyncio.run(collect(Own(to), SAMPLES[:3]))
    with Path("answers.jsonl").open("ab") as file:
        file.write(torn)
    opened().close()
    assert len(rows()) == left
    kept = folder_of(Path("answers.jsonl")) / "answers.jsonl.torn"
    assert (kept.read_bytes() == torn + b"\n") if kept.exists() else left == 4 or not torn


def test_a_long_torn_line_is_found_from_the_end():
    """The file is not read from the beginning."""
    asyncio.run(collect(Own(lambda _: Answer("長" * 200_000)), SAMPLES[:2]))
    whole = Path("answers.jsonl").read_bytes()
    for cut in (1, 100, 300_000):
        Path("answers.jsonl").write_bytes(whole[: -1 - cut])
        opened().close()
        assert Path("answers.jsonl").read_bytes() == whole[: whole.index(b"\n") + 1]


def test_a_line_in_the_middle_that_cannot_be_read_counts_as_not_written():
    """Its question is asked again, and the rest is kept."""
    asyncio.run(collect(Own(to), SAMPLES[:3]))
    lines = Path("answers.jsonl").read_text().splitlines(keepends=True)
    Path("answers.jsonl").write_text(lines[0] + "rubbish\n" + lines[2])
    notes = []
    assert asyncio.run(collect(Own(to), SAMPLES[:3], notify=notes.append)) == {"before": 2, "Answer": 1}
    assert notes == [f"{Path('answers.jsonl').resolve()}:2 cannot be read; it counts as not written"]


async def test_at_most_so_many_are_asked_at_once():
    """Questions are read no faster than they are answered."""
    open_now = peak = pulled = 0

    async def slowly(inquiry):
        nonlocal open_now, peak
        open_now += 1
        peak = max(peak, open_now)
        await asyncio.sleep(0.001)
        open_now -= 1
        return to(inquiry)

    def source():
        nonlocal pulled
        for number in range(200):
            assert pulled - len(system.asked) < 30
            pulled += 1
            yield Sample(f"s{number}", "?")

    system = Own(slowly)
    await collect(system, source(), limit=5)
    assert peak == 5
    assert len(rows()) == 200


async def test_the_summary_counts_what_is_in_the_file():
    """Answers, failures by kind and reason, the measured latencies, and all costs."""

    def some(inquiry):
        number = int(inquiry.id[1:])
        if number < 4:
            raise SystemFailed("slow" if number else "odd", "timeout" if number else "failed", Usage(1))
        return Answer("a", () if number < 10 else None, None if number == 4 else float(number), Usage(1, 10, 1, 0.5))

    await collect(Own(some))
    found = summarize_answers(Path("answers.jsonl"))
    assert (found.system, found.answered, found.with_contexts) == ("own", 16, 6)
    assert found.failures == {"timeout": 3, "failed": 1}
    assert [reason[:3] for reason in found.reasons] == [("timeout", "slow", 3), ("failed", "odd", 1)]
    assert (found.latency.n, found.latency.median, found.latency.mean) == (15, 12.0, 12.0)
    assert found.latency.p95 == pytest.approx(18.3)
    assert found.usage == Usage(20, 160, 16, 8.0)


async def test_the_summary_counts_what_failures_cost_that_were_asked_again():
    """Their rows are removed from the file; the money is spent nevertheless."""

    def some(inquiry):
        raise SystemFailed("no", usage=Usage(2, 20, 0, 1.0))

    await collect(Own(some), SAMPLES[:2])
    await collect(Own(to), SAMPLES[:2], retry_failed=True)
    found = summarize_answers(Path("answers.jsonl"))
    assert (found.answered, found.failures) == (2, {})
    assert found.usage == Usage(6, 60, 10, 3.0)


WRITER = textwrap.dedent("""
    import asyncio, os, sys, time
    from saiten.runs import RunSettings
    from saiten.runs.answers import AnswersFile, Collecting
    from saiten.runs.engine import run_all
    from saiten.executor import LocalExecutor
    from saiten.records import Answer, Sample

    class Own:
        async def answer(self, inquiry):
            await asyncio.sleep(0.001 * (hash(inquiry.id) % 5))
            return Answer("長い" * 3000)

    class Watch:
        def sample_read(self, sample): pass
        def sample_done(self, sample): pass
        def bad_row(self, row): pass
        left = int(sys.argv[1])
        def result(self, sample, outcome):
            os.write(1, f"{sample.id}\\n".encode())  # only what was acknowledged
            self.left -= 1
            if not self.left:
                time.sleep(600)  # so that however late the signal is, it comes before the end

    samples = [Sample(f"q{n}", f"Question {n}?") for n in range(400)]
    with AnswersFile.open("answers.jsonl", RunSettings(more={"system": "own"}), "own", notify=lambda _: None) as ledger:
        asyncio.run(run_all(Collecting(Own(), ledger), samples, LocalExecutor(16), Watch()))
    os.write(1, b"end\\n")
""")


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_loses_and_doubles_nothing():
    """SIGKILL at random moments: no acknowledged answer is lost, none is asked for twice."""
    dice = random.Random(20261121)
    acknowledged = Counter()
    for attempt in range(40):
        count = dice.randrange(1, 60) if attempt < 6 else 0
        most = str(count + 5 if count else 1000)
        with subprocess.Popen([sys.executable, "-c", WRITER, most], stdout=subprocess.PIPE) as process:
            said = []
            if count:
                said = [process.stdout.readline() for _ in range(count)]
                process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        acknowledged.update(line.decode().strip() for line in said)
        assert set(acknowledged) - {"end"} <= set(rows())
        if acknowledged["end"]:
            break
    assert set(rows()) == {f"q{n}" for n in range(400)}
    assert attempt >= 6
    assert max(acknowledged.values()) == 1


def test_a_second_process_is_refused_until_the_first_is_killed():
    """This holds even through a link to the file."""
    code = WRITER.replace(
        "await asyncio.sleep(0.001 * (hash(inquiry.id) % 5))", "os.write(1, b'open\\n'); await asyncio.sleep(600)"
    )
    Path("link.jsonl").symlink_to("answers.jsonl")
    with subprocess.Popen([sys.executable, "-c", code, "1000"], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        for name in ("answers.jsonl", "link.jsonl"):
            with pytest.raises(ConfigurationError, match=f"number {holder.pid}"):
                opened(name)
        holder.send_signal(signal.SIGKILL)
    opened().close()
