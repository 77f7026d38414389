"""What saiten asks of Ray, without starting it."""

import tempfile
from types import SimpleNamespace

import pytest

from saiten.cluster import ray_workers
from saiten.cluster.jobs import AnsweringJob, ScoringJob, variables_in
from saiten.cluster.ray_workers import RayCluster
from saiten.cluster.running import variables_for
from saiten.durable.lock import Lock
from saiten.models.lessor import Allowance
from saiten.runs import RunSettings
from saiten.settings import CallSettings, JudgeSettings


class Remote:
    """An actor or a function that keeps the options it was given."""

    def __init__(self, seen) -> None:
        self.seen = seen

    def options(self, **options):
        self.seen.append(options)
        return self

    async def _result(self):
        return 0

    def remote(self, *_):
        return self._result()


@pytest.fixture
def seen():
    """The options of each actor and task."""
    return []


@pytest.fixture
def cluster(seen):
    """A cluster that starts nothing."""
    ray = SimpleNamespace(
        remote=lambda _: Remote(seen), cluster_resources=dict, exceptions=SimpleNamespace(RayTaskError=OSError)
    )
    return RayCluster(ray, 2, None)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
async def test_the_head_node_keeps_no_record_of_each_message(cluster, seen):
    """It would hold 100,000 of them in memory, and 800 workers send some thousand per second."""
    cluster.start(SimpleNamespace(has_network=False), {}, 2)
    cluster.lessor({"models": Allowance(max_calls=1)})
    assert [each async for each in cluster.map(len, [("a",)])] == [(0, 0)]
    assert len(seen) == 4
    assert not any(options["enable_task_events"] for options in seen)


def test_workers_get_the_variables_that_they_read():
    """Keys, those named in headers, and those of the database; nothing else of the environment."""
    environ = dict.fromkeys(("OPENAI_API_KEY", "OWN_KEY", "TEAM", "BOT", "PGPASSWORD", "AWS_REGION", "HOME"), "x")
    calls = CallSettings(key_env={"http://gpu1": "OWN_KEY"})
    judge = JudgeSettings(judge_headers={"X-Team": "env:TEAM", "X-Other": "TEAM2"})
    scoring = ScoringJob((), judge, calls, RunSettings(), {})
    assert set(variables_for(scoring, environ)) == {"OPENAI_API_KEY", "OWN_KEY", "TEAM", "PGPASSWORD", "AWS_REGION"}
    variables = variables_in({"Authorization": "env:BOT"})
    answering = AnsweringJob(lambda _: None, "bot", CallSettings(), RunSettings(), 1, variables=variables)
    assert set(variables_for(answering, environ)) == {"OPENAI_API_KEY", "BOT", "PGPASSWORD", "AWS_REGION"}


def test_folders_of_killed_commands_are_removed_and_no_others(tmp_path, monkeypatch):
    """One that is locked is in use, also by a process that cannot be seen from here; one without a lock is not ours."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("saiten-ray-left", "saiten-ray-used", "saiten-ray-begun", "saiten-ray-other", "saiten-used"):
        (tmp_path / name / "session").mkdir(parents=True)
    for name in ("saiten-ray-left", "saiten-used"):
        Lock(tmp_path / name, pytest.fail).release()
    lock = Lock(tmp_path / "saiten-ray-used", pytest.fail)
    (tmp_path / "saiten-ray-begun" / ".lock").touch()
    ray_workers._remove_left_over()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"saiten-ray-used", "saiten-ray-begun", "saiten-ray-other", "saiten-used"}
    lock.release()
