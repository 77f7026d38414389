"""The driver hands out shards, keeps what workers wrote, and hands out again what a lost worker had."""

import asyncio
import random
from collections import Counter

import pytest

from saiten.cluster.counts import Counts
from saiten.cluster.driver import Driving, InputPart, WorkerGone, WorkerLost
from saiten.cluster.input import RowsInMemory
from saiten.cluster.jobs import ScoringJob
from saiten.cluster.worker import ShardWorker
from saiten.errors import BudgetSpent, ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.records import Sample, Score
from saiten.runs import RunSettings
from saiten.runs.lines import read_lines, scored_from_json
from saiten.settings import CallSettings, JudgeSettings


class Slow(BaseMetric):
    """Takes a moment, and may misbehave at a sample."""

    name = "slow"
    needs = ("answer",)
    tasks = ()
    bounds = (0.0, 1.0)
    higher_is_better = True

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.scored: Counter[str] = Counter()

    async def score(self, sample, judge):
        await asyncio.sleep(0.003)
        self.scored[sample.id] += 1
        if self.error is not None and sample.id == "s50":
            raise self.error
        return Score(len(sample.answer) / 100)


class Remote:
    """A worker in this process that can be lost at any moment, with all that it did not hand over."""

    def __init__(self, job, scratch, *, version=None) -> None:
        self.job, self.scratch = job, scratch
        self.worker = self._new()
        self.lost = False
        self.gone = False
        self.pulls = 0

    def _new(self):
        return ShardWorker(self.job, {}, None, str(self.scratch))

    def lose(self) -> None:
        """Kill the process: its tasks stop, and what it wrote last never arrives."""
        self.lost = True
        for shard in self.worker._shards.values():
            shard.task.cancel()
        self.worker = self._new()

    def _check(self) -> None:
        if self.lost or self.gone:
            raise WorkerLost("killed")

    async def hello(self):
        if self.gone:
            raise WorkerGone("its machine is gone")
        self.lost = False
        return await self.worker.hello()

    async def begin(self, number, piece, files):
        self._check()
        await self.worker.begin(number, piece, files)

    async def pull(self):
        self._check()
        self.pulls += 1
        worker = self.worker
        blocks = await worker.pull()
        self._check()
        return blocks

    async def drop(self):
        self._check()
        return await self.worker.drop()


SAMPLES = [Sample(f"s{n}", f"{n}?", "x" * (n % 90), language="en") for n in range(200)]


def parts(size=20):
    """The shards of the samples."""
    return [
        InputPart(RowsInMemory(tuple(SAMPLES[at : at + size])), f"rows from {at}")
        for at in range(0, len(SAMPLES), size)
    ]


class Setup:
    """A run over workers in this process."""

    def __init__(self, folder, metric=None, workers=2, key="key", size=20) -> None:
        self.folder = folder
        self.parts = parts(size)
        self.metric = metric or Slow()
        job = ScoringJob(
            (self.metric,), JudgeSettings(), CallSettings(concurrency=4, no_cache=True), RunSettings(), {"slow": "slow"}
        )
        self.workers = [Remote(job, folder) for _ in range(workers)]
        self.samples = self.made = 0
        self.lost = []
        self.driving = Driving(self.parts, self.folder_of, key, self.count, self.lost.append)

    def folder_of(self, number):
        return self.folder / "shards" / f"{number:06}"

    def count(self, counts: Counts) -> None:
        self.samples += counts.samples
        self.made += counts.made

    async def run(self) -> None:
        self.driving.left()
        await self.driving.all(self.workers)

    def scores(self):
        """Sample → value, of all lines in all shards; each pair must be there once."""
        lines = [
            scored
            for number in range(len(self.parts))
            for _, scored in read_lines(self.folder_of(number) / "scores.jsonl", scored_from_json)
        ]
        assert len({line.sample for line in lines}) == len(lines)
        return {line.sample: line.score.value for line in lines}


EXPECTED = {sample.id: len(sample.answer) / 100 for sample in SAMPLES}


async def test_every_row_is_scored_once_by_some_worker(tmp_path):
    """Each shard is a run of its own, and the counts add up."""
    setup = Setup(tmp_path)
    await setup.run()
    assert setup.scores() == EXPECTED
    assert (setup.samples, setup.made) == (200, 200)
    assert set(setup.metric.scored.values()) == {1}
    assert not list(tmp_path.glob("saiten-*/0*"))  # the copies are gone


@pytest.mark.parametrize("seed", range(5))
async def test_rows_are_there_exactly_once_however_often_workers_are_lost(tmp_path, seed, monkeypatch):
    """Another worker goes on where the lost one wrote last, and nothing is written twice."""
    monkeypatch.setattr("saiten.cluster.driver._TRIES", 100)  # chance may hit one shard each time
    dice = random.Random(seed)
    setup = Setup(tmp_path, workers=3)

    async def losing() -> None:
        for _ in range(6):
            await asyncio.sleep(dice.uniform(0.02, 0.08))
            dice.choice(setup.workers).lose()

    await asyncio.gather(setup.run(), losing())
    assert setup.scores() == EXPECTED
    assert setup.samples == 200
    assert setup.lost


async def test_a_machine_that_does_not_come_back_is_replaced_by_the_others(tmp_path):
    """Its shards go to those that are left; if none is, the run says so and can be resumed."""
    setup = Setup(tmp_path, workers=2)

    async def going(workers) -> None:
        await asyncio.sleep(0.06)
        for worker in workers:
            worker.gone = True

    await asyncio.gather(setup.run(), going(setup.workers[:1]))
    assert setup.scores() == EXPECTED
    (tmp_path / "again").mkdir()
    again = Setup(tmp_path / "again")
    with pytest.raises(ConfigurationError, match=r"no worker is left: its machine is gone; .*re-run the command"):
        await asyncio.gather(again.run(), going(again.workers))


async def test_a_shard_that_ends_every_worker_ends_the_run(tmp_path):
    """It is not tried forever; the error names it and what may help."""
    setup = Setup(tmp_path, Slow(), workers=2)

    async def losing() -> None:
        while True:
            await asyncio.sleep(0.01)
            for worker in setup.workers:
                if 1 in worker.worker._shards:
                    worker.lose()

    task = asyncio.create_task(losing())
    with pytest.raises(ConfigurationError, match=r"3 workers were lost over rows from (0|20), .*fewer --workers"):
        await setup.run()
    task.cancel()


async def test_workers_that_wait_for_the_last_shards_cost_the_driver_nothing(tmp_path, monkeypatch):
    """They are woken when a shard ends, and not whenever another worker hands over something."""
    looks = 0
    over = Driving._is_over

    def counted(driving):
        nonlocal looks
        looks += 1
        return over(driving)

    monkeypatch.setattr(Driving, "_is_over", counted)
    setup = Setup(tmp_path, workers=60, size=len(SAMPLES))  # one shard, so that 59 have nothing to do
    await setup.run()
    pulls = sum(worker.pulls for worker in setup.workers)
    assert setup.scores() == EXPECTED
    assert pulls > 3
    assert looks < 5 * 60 + 2 * pulls


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), BudgetSpent("spent")])
async def test_an_error_of_the_run_ends_it_and_what_was_done_is_kept(tmp_path, error):
    """The error is raised as on one machine; a resumed run does the rest."""
    setup = Setup(tmp_path, Slow(error))
    with pytest.raises(type(error), match=str(error)):
        await setup.run()
    kept = setup.scores()
    assert 0 < len(kept) < 200
    again = Setup(tmp_path)
    await again.run()
    assert again.scores() == EXPECTED
    assert not set(again.metric.scored) & set(kept)
    assert again.samples == 200


async def test_shards_that_have_ended_are_not_done_again_unless_something_else_is_wanted(tmp_path):
    """They are counted as done; with another key, such as for a further metric, each is looked at again."""
    await Setup(tmp_path).run()
    again = Setup(tmp_path)
    assert again.driving.left() == 0
    assert again.samples == 200
    other = Setup(tmp_path, key="other")
    assert other.driving.left() == 10
    await other.driving.all(other.workers)
    assert not other.metric.scored
    assert other.samples == 200


async def test_a_canceled_run_keeps_what_its_workers_did_until_then(tmp_path):
    """As after Ctrl-C: workers stop, and hand over the rest."""
    setup = Setup(tmp_path)
    task = asyncio.create_task(setup.run())
    while not setup.made:  # noqa: ASYNC110 - the run has no event for it
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    done = sum(setup.metric.scored.values())
    assert len(setup.scores()) == done < 200
    await asyncio.sleep(0.05)
    assert sum(setup.metric.scored.values()) == done


async def test_a_line_that_a_killed_driver_wrote_in_part_is_made_again(tmp_path):
    """Half a line at the end of a file is cut off before the shard goes on."""
    setup = Setup(tmp_path, Slow(BudgetSpent("spent")))
    with pytest.raises(BudgetSpent):
        await setup.run()
    file = next(path for path in sorted(tmp_path.glob("shards/*/scores.jsonl")) if not (path.parent / "ended").exists())
    file.write_bytes(file.read_bytes()[:-9])
    again = Setup(tmp_path)
    await again.run()
    assert again.scores() == EXPECTED
