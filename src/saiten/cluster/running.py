"""A run on a Ray cluster, from the input to a folder in shards."""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from saiten.cluster.counts import Counts
from saiten.cluster.divided_run import DividedRun
from saiten.cluster.driver import Driving
from saiten.cluster.input import Input
from saiten.cluster.jobs import Job
from saiten.cluster.ray_workers import RayCluster, RayWorker, connected
from saiten.cluster.worker import Hello
from saiten.errors import BadInput, ConfigurationError
from saiten.models.answer_store import is_on_server
from saiten.models.lessor import Allowance
from saiten.models.providers import providers
from saiten.settings import CallSettings, ExecutorSettings
from saiten.wiring.models import MODELS, SYSTEM

_VARIABLES = ("QDRANT_API_KEY", "HF_TOKEN", "HF_HOME", "HF_HUB_OFFLINE")
_PREFIXES = ("AWS_", "AZURE_", "GOOGLE_", "GCS_", "PG", "SAITEN_")
"""Variables that workers need beside the providers', and how others begin."""
_TO_START = 20.0
"""Seconds after which a worker that has not started is worth a note."""


class ClusterWatch(Protocol):
    """Sees how far a run is."""

    def divided(self, rows: int | None, shards: int) -> None:
        """The input was divided."""

    def added(self, counts: Counts) -> None:
        """This much more was done and written."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """What is run where."""

    run: DividedRun
    job: Job
    input: Input
    executor: ExecutorSettings
    watch: ClusterWatch
    notify: Callable[[str], None]


def run_on_cluster(what: Clustered) -> None:
    """Make every result that the run lacks, and wait.

    Raises:
        BudgetSpent, BadInput, ConfigurationError: As a run on one machine; what was paid for is kept.
    """
    with connected(what.executor.ray_address, what.executor.workers) as cluster:
        asyncio.run(run_connected(what, cluster))


async def run_connected(what: Clustered, cluster: RayCluster) -> None:
    """Make every result that the run lacks, with the workers of this cluster; raises as `run_on_cluster`."""
    run = what.run
    parts = await what.input.parts(run, cluster, what.watch, small=what.job.has_network)
    if not parts:
        raise BadInput(f"{what.input.name} has no rows")
    if what.job.retry_failed:
        run.reopen(len(parts))
    lessor = cluster.lessor(_budgets(what.job.calls))

    def lost(hello: Hello) -> None:
        what.notify(_lost(hello))
        if lessor is not None:
            lessor.gone(hello.identity)

    driving = Driving(parts, run.folder_of, run.key, what.watch.added, lost)
    workers: list[RayWorker] = []
    finished = False
    try:
        if left := driving.left():
            workers = cluster.start(
                what.job,
                variables_for(what.job, os.environ),
                min(left, cluster.workers),
                what.executor.gpus_per_worker,
                None if lessor is None else lessor.ask,
            )
        waiting = asyncio.create_task(_note_missing(driving, len(workers), what.notify))
        try:
            await driving.all(workers)
        finally:
            waiting.cancel()
        finished = True
    finally:
        run.conclude(len(parts), finished=finished)
        await asyncio.gather(*(worker.end() for worker in workers), return_exceptions=True)
        if lessor is not None:
            lessor.end()


async def _note_missing(driving: Driving, workers: int, notify: Callable[[str], None]) -> None:
    """Say once that workers have not started, since the run goes on without them."""
    await asyncio.sleep(_TO_START)
    if driving.running < workers:
        notify(
            f"{driving.running} of {workers} workers run; the others wait until the cluster has a free core"
            " or GPU for them"
        )


def _budgets(calls: CallSettings) -> dict[str, Allowance]:
    """Return the limits of all workers together; those of a system under test are separate, as on one machine."""
    rates = calls.requests_per_minute, calls.tokens_per_minute
    return {
        MODELS: Allowance(calls.max_calls, calls.max_cost, calls.currency, *rates),
        SYSTEM: Allowance(calls.max_calls, None, calls.currency, *rates),
    }


def variables_for(job: Job, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables with keys, addresses and headers, which workers on other machines lack."""
    names = {*_VARIABLES, *job.calls.key_env.values(), *job.variables}
    for provider in providers().values():
        names |= {*provider.key, provider.url_variable, *provider.where_variable}
    return {name: value for name, value in environ.items() if name in names or name.startswith(_PREFIXES)}


def _lost(hello: Hello) -> str:
    return f"worker {hello.process} on {hello.host} was lost; its shards go to others, from where it wrote last"


def calls_of_workers(calls: CallSettings, folder: Path | None, executor: ExecutorSettings) -> CallSettings:
    """Return the settings of the workers' calls.

    A database is shared by all workers, and a file by those on this machine. Others have their own each, and a reply is
    kept with the shard that paid for it.

    Raises:
        ConfigurationError: Batches were asked for, or a file was named for workers on other machines.
    """
    if calls.batched:
        raise ConfigurationError("--batch is for one process, which waits for the batches; leave out --executor ray")
    ray = sys.modules.get("ray")  # loaded, and perhaps connected, by the user's own script
    connected_already = ray is not None and ray.is_initialized()
    if calls.cache is None or is_on_server(calls.cache):
        return calls
    if executor.here(os.environ) and not connected_already:
        return replace(calls, cache=str(Path(calls.cache).absolute()))
    if folder is None or Path(calls.cache) != folder / "answers.sqlite":
        raise ConfigurationError(
            f"the cache {calls.cache} is a file, which workers on other machines cannot share; give the "
            "address of a PostgreSQL database, or leave it out: each worker then keeps its own replies, with the shard "
            "that paid for them"
        )
    return replace(calls, cache=None)
