"""What saiten asks of Ray, without starting it."""

from types import SimpleNamespace

import pytest

from saiten.cluster.ray_workers import RayCluster
from saiten.models.lessor import Allowance


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
