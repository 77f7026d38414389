"""Work on this machine alone, in one process or in several: the same files, nothing lost, nothing doubled, no hang."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import orjson
import pytest
from doubles import speaking

import saiten
from saiten.data import BadRow
from saiten.errors import BadInput, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.metrics.catalog import make_metrics
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Sample, Score
from saiten.runs import Journal, read_run
from saiten.runs import local as local_runs
from saiten.runs import workers as workers_of_runs
from saiten.runs.engine import run_all
from saiten.runs.local import LocalPlan, plan_local, run_local
from saiten.runs.scoring import Scoring

OWN = """
import os, signal
from dataclasses import dataclass
import saiten

@dataclass(frozen=True)
class Own(saiten.BaseMetric):
    title = "own"
    needs = ("answer",)

    async def score(self, sample, judge):
        return await score_of(sample)

"""
COUNTS = OWN + "async def score_of(sample):\n    return saiten.Score(float(len(sample.answer)))\n"


class Watching:
    """A watch that sees each score."""

    def __init__(self):
        self.read, self.results, self.done, self.bad = 0, [], [], []

    def sample_read(self, sample):
        self.read += 1

    def bad_row(self, row):
        self.bad.append(row.where)

    def result(self, sample, result):
        assert sample.id == result.sample
        self.results.append((result.sample, result.metric))

    def sample_done(self, sample):
        self.done.append(sample.id)


def rows(number, start=0):
    """Samples in both languages, with and without references, and a bad row after every tenth."""
    for n in range(start, start + number):
        answer, reference = f"The answer is {n % 7}. It is.", (f"It is {n % 5}.", "答えは3です。")[n % 2]
        yield Sample(
            f"s{n}",
            f"What is {n}?",
            answer if n % 11 else "",
            (reference, "Another text."),
            reference if n % 13 else None,
            language=("en", "ja")[n % 2],
        )
        if n % 10 == 9:
            yield BadRow(f"data.jsonl:{n}", "not JSON", "{")


def plan(processes, **more):
    """A plan with small chunks."""
    return LocalPlan(processes, **{"at_once": True, "few": 0, "rows": 7, **more})


async def score(folder, data, processes, metrics, watch=None, **more):
    """Score into a folder, in chunks."""
    strict = more.pop("strict", False)
    signatures = {metric.name: "signature" for metric in metrics}
    with Journal.open(folder, signatures=signatures) as journal:
        scoring = Scoring(tuple(metrics), OfflineJudge(BuiltinEmbedder()), journal)
        how = plan(processes, **more) if isinstance(processes, int) else processes
        await run_local(scoring, data, watch or Watching(), how, notify=print, strict=strict)


def contents(folder):
    """The bytes of the files of lines."""
    return {name: (folder / name).read_bytes() for name in ("samples.jsonl", "scores.jsonl", "errors.jsonl")}


def pairs(folder):
    """How often each pair of sample and metric is among the lines."""
    lines = (folder / "scores.jsonl").read_bytes().splitlines()
    return Counter((one["sample"], one["metric"]) for one in map(orjson.loads, lines))


async def test_files_are_equal_for_one_and_three_processes_and_in_the_order_of_the_data(tmp_path):
    """Statuses, details, bad rows and order are the same byte by byte, and the same as those of the engine."""
    metrics = make_metrics(["overlap", "faithfulness", "context_recall", "answer_similarity"])
    for processes in (1, 3):
        await score(tmp_path / f"of{processes}", rows(120), processes, metrics)
    assert contents(tmp_path / "of1") == contents(tmp_path / "of3")
    with Journal.open(tmp_path / "engine", signatures={metric.name: "signature" for metric in metrics}) as journal:
        scoring = Scoring(metrics, OfflineJudge(BuiltinEmbedder()), journal)
        await run_all(scoring, rows(120), LocalExecutor(1), Watching())
    assert sorted(contents(tmp_path / "engine")["scores.jsonl"].splitlines()) == sorted(
        contents(tmp_path / "of3")["scores.jsonl"].splitlines()
    )
    run = read_run(tmp_path / "of3")
    assert [sample.id for sample in run.samples()] == [f"s{n}" for n in range(120)]
    assert list(dict.fromkeys(one.sample for one in run.scores())) == [f"s{n}" for n in range(120)]
    assert run.manifest.finished
    assert run.bad_rows() == 12
    assert {one.score.status for one in run.scores()} >= {"ok", "undefined"}


@pytest.mark.parametrize("processes", [1, 2])
async def test_a_watch_sees_each_score_and_sample_in_order(tmp_path, processes):
    """The Python API's results and progress come from a watch."""
    watch = Watching()
    await score(tmp_path / "run", rows(50), processes, make_metrics(["token_f1,length"]), watch)
    ids = [f"s{n}" for n in range(50)]
    assert watch.results == [(name, metric) for name in ids for metric in ("token_f1", "length")]
    assert (watch.read, watch.done, len(watch.bad)) == (50, ids, 5)


async def test_resuming_with_another_number_of_processes_and_metrics_adds_only_what_is_missing(tmp_path):
    """Samples that were done are not scored again; a new metric is scored for all."""
    one, two = make_metrics(["token_f1"]), make_metrics(["token_f1,rouge_l"])
    await score(tmp_path / "run", (row for row in rows(40) if isinstance(row, Sample)), 1, one)
    await score(tmp_path / "run", rows(90), 3, two)
    await score(tmp_path / "run", rows(90), 2, two)
    assert pairs(tmp_path / "run") == {(f"s{n}", metric): 1 for n in range(90) for metric in ("token_f1", "rouge_l")}
    assert read_run(tmp_path / "run").manifest.finished


@pytest.mark.parametrize("processes", [1, 3])
async def test_what_is_read_before_an_error_is_written(tmp_path, processes):
    """With strict, all rows before the first bad one have their scores, for any number of processes."""
    with pytest.raises(BadInput, match=r"data.jsonl:9: not JSON .*--strict"):
        await score(tmp_path / "run", rows(50), processes, make_metrics(["token_f1"]), strict=True)
    assert pairs(tmp_path / "run") == {(f"s{n}", "token_f1"): 1 for n in range(10)}
    assert read_run(tmp_path / "run").unfinished


@pytest.mark.parametrize(("processes", "chunks"), [(1, 1), (2, 5)])
async def test_memory_does_not_grow_with_the_data(tmp_path, processes, chunks):
    """No more chunks are read ahead than processes can have: reading waits for writing."""
    watch, ahead = Watching(), []

    def reading():
        for number, row in enumerate(rows(2_000)):
            if isinstance(row, Sample):
                ahead.append(number - len(watch.done) - len(watch.bad))
                yield row

    await score(tmp_path / "run", reading(), processes, make_metrics(["token_f1"]), watch)
    assert len(watch.done) == 2_000
    written = [each - 200 for each in ahead]  # the bad rows were left out
    assert max(written) <= 0 or max(written) <= chunks * 7 + 7


async def test_rows_that_cannot_be_used_are_not_held(tmp_path):
    """A file of bad rows only is written as it is read, too."""
    watch, held = Watching(), []

    def reading():
        for number in range(200):
            held.append(number - len(watch.bad))
            yield BadRow(f"data.jsonl:{number}", "not JSON", "{")

    await score(tmp_path / "run", reading(), 2, make_metrics(["token_f1"]), watch)
    assert len(watch.bad) == 200
    assert max(held) <= 7


async def test_large_rows_make_small_chunks(tmp_path, monkeypatch):
    """A chunk ends at a size, too, so that a thousand long contexts are not held at once."""
    sizes = []
    write = Journal.block

    def block(self, samples, *rest):
        sizes.append(len(samples))
        write(self, samples, *rest)

    monkeypatch.setattr(Journal, "block", block)
    data = (Sample(f"s{n}", "q", "a", ("word " * 60_000,), "r") for n in range(12))
    await score(tmp_path / "run", data, 1, make_metrics(["token_f1"]), rows=1_000)
    assert max(sizes) < 2 * local_runs._BYTES
    assert sum(sizes) > 3 * local_runs._BYTES


async def test_a_process_that_is_killed_ends_the_run_which_can_be_resumed(tmp_path):
    """The error says what happened and what to do; nothing is lost or doubled, with another number of processes."""
    killing = """async def score_of(sample):
    if sample.id == "s60" and not os.path.exists("{0}"):
        open("{0}", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return saiten.Score(1.0)
"""
    (tmp_path / "mine.py").write_text(OWN + killing.format(tmp_path / "killed"))
    metrics = make_metrics([f"{tmp_path}/mine.py:Own"])
    with pytest.raises(ConfigurationError, match=r"ended by SIGKILL, .*memory.*re-run the command to resume"):
        await score(tmp_path / "run", rows(100), 2, metrics)
    there = pairs(tmp_path / "run")
    assert len(there) <= 60
    assert list(there) == [(f"s{n}", "own") for n in range(len(there))]
    await score(tmp_path / "run", rows(100), 3, metrics)
    assert pairs(tmp_path / "run") == {(f"s{n}", "own"): 1 for n in range(100)}


async def test_an_error_of_a_metric_is_a_status_and_one_of_the_run_ends_it(tmp_path):
    """A broken metric has failed, with its traceback; a missing package stops the run with its own words."""
    broken = """async def score_of(sample):
    print("noise on standard output")
    if sample.id == "s1":
        return saiten.Score(1.0, details={"not JSON": object()})
    if sample.id == "s30":
        from saiten.errors import ConfigurationError
        raise ConfigurationError("install something")
    raise ValueError("broken")
"""
    (tmp_path / "mine.py").write_text(OWN + broken)
    with pytest.raises(ConfigurationError, match=r"^install something$"):
        await score(tmp_path / "run", rows(40), 2, make_metrics([f"{tmp_path}/mine.py:Own"]), limit=4)
    scores = list(read_run(tmp_path / "run").scores())
    assert [one.sample for one in scores] == [f"s{n}" for n in range(len(scores))]
    assert scores[0].score.reason == "ValueError: broken"
    assert "score_of" in scores[0].score.details["traceback"]
    assert "ready for JSON" in scores[1].score.reason
    assert sum(error["kind"] == "score" for error in read_run(tmp_path / "run").errors()) == len(scores)


async def test_a_metric_of_ones_own_waits_for_many_samples_at_a_time(tmp_path):
    """What it waits for may be a service; order and files stay the same."""
    waiting = """import asyncio
most = now = 0
async def score_of(sample):
    global most, now
    now += 1
    most = max(most, now)
    await asyncio.sleep(0.001 * (sample.id[-1] == "0"))
    now -= 1
    return saiten.Score(float(most > 1), reason="ok")
"""
    (tmp_path / "mine.py").write_text(OWN + waiting)
    await score(tmp_path / "run", rows(60), 2, make_metrics([f"{tmp_path}/mine.py:Own"]), limit=4)
    scores = list(read_run(tmp_path / "run").scores())
    assert [one.sample for one in scores] == [f"s{n}" for n in range(60)]
    assert 1.0 in {one.score.value for one in scores}


@dataclass(frozen=True)
class Holding:
    """A metric that holds something that cannot be sent to another process."""

    what: object = lambda sample: len(sample.answer)
    name: ClassVar[str] = "holding"
    needs: ClassVar[tuple[str, ...]] = ("answer",)
    tasks: ClassVar[tuple[object, ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    higher_is_better: ClassVar[bool] = True

    def describe(self):
        return {}

    async def score(self, sample, judge):
        return Score(float(self.what(sample)), details={"process": os.getpid()})


def test_a_metric_that_cannot_be_sent_is_scored_in_one_process_with_a_word(caplog):
    """A lambda cannot be pickled."""
    found = saiten.evaluate([row for row in rows(30) if isinstance(row, Sample)], [Holding()], workers=2)
    assert len(found.scores) == 30
    assert {one.score.details["process"] for one in found.scores} == {os.getpid()}
    assert "scored in one process, since others cannot do it" in caplog.text


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path):
    """Processes do not import the script that started them, so its own metric is scored in one, with a word."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path[:0] = {[str(tmp_path)]!r}\nprint('begun', flush=True)\n"
        + COUNTS
        + "from mine import Own as Other\n"
        "data = [{'id': str(n), 'answer': 'x' * n, 'reference': 'x'} for n in range(100)]\n"
        "print(len(saiten.evaluate(data, [Own()], workers=2).scores))\n"
        "print(len(saiten.evaluate(data, [Other()], workers=2).scores))\n"
        "print(saiten.evaluate(data, ['token_f1'], workers=2).summary.overall('token_f1').mean)\n"
    )
    (tmp_path / "mine.py").write_text(COUNTS)
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["begun", "100", "100", "0.01"]
    assert ended.stderr.count("scored in one process") == 1


async def test_calls_of_a_model_stay_in_one_process():
    """The error for workers with a judge elsewhere names it, and what to set instead; metrics without one are fine."""
    judge, metrics = speaking(), make_metrics(["token_f1,faithfulness"])
    assert plan_local(metrics, judge, None) is None
    assert plan_local(metrics, judge, 1) is None
    with pytest.raises(ConfigurationError, match=r"faithfulness asks .* made by one process; .* concurrency"):
        plan_local(metrics, judge, 2)
    assert plan_local(metrics[:1], judge, 2).processes == 2
    with pytest.raises(ConfigurationError, match="at least 1"):
        plan_local(metrics[:1], judge, 0)
    with pytest.raises(ConfigurationError, match=r"5000 workers are more than this machine can use, .* start at most"):
        plan_local(metrics[:1], judge, 5_000)


async def test_by_default_few_rows_are_scored_here_and_many_by_a_process_per_core(tmp_path, monkeypatch):
    """Processes are started only after as many rows as their start is worth."""
    begun = []
    monkeypatch.setattr(local_runs, "available_cores", lambda: 2)
    started = local_runs.started
    monkeypatch.setattr(local_runs, "started", lambda *arguments: begun.append(arguments[0]) or started(*arguments))
    by_default = plan_local(make_metrics(["overlap"]), OfflineJudge(), None)
    assert (by_default.processes, by_default.at_once) == (2, False)
    assert by_default.few > plan_local(make_metrics(["faithfulness"]), OfflineJudge(), None).few
    few = LocalPlan(2, at_once=False, few=20, rows=10)
    await score(tmp_path / "few", rows(20), few, make_metrics(["token_f1"]))
    assert begun == []
    await score(tmp_path / "many", rows(60), few, make_metrics(["token_f1"]))
    assert begun == [2]
    await score(tmp_path / "one", rows(60), 1, make_metrics(["token_f1"]), rows=10)
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


async def test_canceling_a_run_ends_its_processes(tmp_path, monkeypatch):
    """As Ctrl-C does: no process is left, and what was written stays."""
    begun, start = [], workers_of_runs._Worker.start

    async def starting():
        begun.append(await start())
        return begun[-1]

    monkeypatch.setattr(workers_of_runs._Worker, "start", starting)
    endless = "import time\nasync def score_of(sample):\n    time.sleep(0.01)\n    return saiten.Score(1.0)\n"
    (tmp_path / "mine.py").write_text(OWN + endless)
    written = asyncio.Event()

    class Waiting(Watching):
        def sample_done(self, sample):
            super().sample_done(sample)
            written.set()

    metrics, watch = make_metrics([f"{tmp_path}/mine.py:Own"]), Waiting()
    running = asyncio.create_task(score(tmp_path / "run", rows(5_000), 2, metrics, watch))
    await written.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [worker.process.returncode is None for worker in begun] == [False, False]
    assert list(pairs(tmp_path / "run")) == [(name, "own") for name in watch.done]
