"""Workers as actors of a Ray cluster, which places them, starts them again, and moves them off machines that are gone.

Without an address, Ray is started on this machine for the time of the run: on the loopback address, without its
dashboard, and without sending usage statistics.
"""

import asyncio
import io
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from saiten.cluster.driver import WorkerGone, WorkerLost
from saiten.cluster.jobs import Job
from saiten.cluster.worker import Hello, Piece, ShardNews, ShardWorker
from saiten.durable.lock import LOCK_NAME, Lock, lock_file
from saiten.errors import ConfigurationError
from saiten.models.lessor import Allowance, Lease, LeaseRequest, Lessor
from saiten.redaction import redact
from saiten.runs.workers import available_cores
from saiten.version import __version__

T = TypeVar("T")

_AGAIN = 1.0
"""Seconds before a worker that was lost is spoken to again."""
_GIVEN_UP = 5
"""Times in a row that a worker may be reported dead: it also is for a moment while it is started again."""
_TO_CLOSE = 15.0
"""Seconds that workers have at the end to close their connections, and the processes of an engine."""
_NAMESPACE = "saiten"
_OBJECTS = 256 << 20
"""Bytes of the object store on this machine; nothing large goes through it."""
_FOLDER = "saiten-ray-"
"""How the names of folders for a Ray on this machine begin."""
UNRECORDED = {"enable_task_events": False}
"""An option of all that Ray runs for us: otherwise its head node records each message, 100,000 of them in memory."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's switch for the loopback address, on any system
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # as from its next version on; otherwise it warns
}


class RayWorker:
    """An actor of Ray's as the driver sees it."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor

    async def hello(self) -> Hello:
        dead = 0
        while True:
            try:
                hello: Hello = await self._actor.hello.remote()
            except self._ray.exceptions.ActorDiedError as error:
                dead += 1
                if dead == _GIVEN_UP:
                    raise WorkerGone(_first_line(error)) from error
            except self._ray.exceptions.RayActorError:
                dead = 0
            else:
                break
            await asyncio.sleep(_AGAIN)
        if hello.version != __version__:
            raise ConfigurationError(
                f"the worker on {hello.host} has saiten {hello.version}, this command {__version__}; install the same "
                "version on all machines"
            )
        return hello

    async def begin(self, number: int, piece: Piece, files: Mapping[str, bytes]) -> None:
        await self._called(self._actor.begin.remote(number, piece, dict(files)))

    async def pull(self) -> list[ShardNews]:
        blocks: list[ShardNews] = await self._called(self._actor.pull.remote())
        return blocks

    async def drop(self) -> list[ShardNews]:
        blocks: list[ShardNews] = await self._called(self._actor.drop.remote())
        return blocks

    async def end(self) -> None:
        """Close the worker's models and end its process."""
        with suppress(TimeoutError, WorkerLost):
            async with asyncio.timeout(_TO_CLOSE):
                await self._called(self._actor.close.remote())
        self._ray.kill(self._actor)

    async def _called(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except self._ray.exceptions.RayActorError as error:
            raise WorkerLost(_first_line(error)) from error


@dataclass(frozen=True)
class RayLessor:
    """The actor that hands out leases, as the driver has it."""

    ray: Any
    actor: Any
    ask: "AskActor"
    """What workers are given."""

    def gone(self, worker: str) -> None:
        """Take back the lease of a worker that was lost."""
        self.actor.gone.remote(worker)

    def end(self) -> None:
        """End its process."""
        self.ray.kill(self.actor)


@dataclass(frozen=True)
class AskActor:
    """Asks the lessor from a worker, which finds it by name: a worker that is started again has no handle."""

    name: str

    async def __call__(self, wanted: LeaseRequest) -> Lease:
        lease: Lease = await self._actor.lease.remote(wanted)
        return lease

    @cached_property
    def _actor(self) -> Any:
        return _imported().get_actor(self.name, namespace=_NAMESPACE)


def _first_line(error: Exception) -> str:
    return redact(str(error).strip().splitlines()[0])


@dataclass(frozen=True)
class RayCluster:
    """A cluster that this process is connected to."""

    ray: Any
    """The package."""
    workers: int
    scratch: str | None
    """A folder for the workers' copies, if all are on this machine."""

    def start(
        self, job: Job, variables: Mapping[str, str], number: int, gpus: float | None = None, ask: Any = None
    ) -> list[RayWorker]:
        """Start the workers, which begin to run one after another as the cluster has room.

        Args:
            job: What they do.
            variables: The driver's environment variables that they need.
            number: How many.
            gpus: GPUs of each; None for one if the job has a network and the cluster a GPU. With 0, networks use the
                CPU, even if the machine has GPUs.
            ask: Asks for leases of budget and rates; None if nothing is limited.
        """
        actor = self.ray.remote(ShardWorker)
        options: dict[str, Any] = {"num_cpus": 1, "max_restarts": -1, "max_concurrency": 1000, **UNRECORDED}
        if gpus == 0 and job.has_network:  # Ray hides no GPU from a worker that asks for none
            variables = {**variables, "CUDA_VISIBLE_DEVICES": ""}
        if gpus is None:
            gpus = 1.0 if job.has_network and self.ray.cluster_resources().get("GPU") else 0.0
        if gpus:
            options["num_gpus"] = gpus
        return [
            RayWorker(self.ray, actor.options(**options).remote(job, dict(variables), ask, self.scratch))
            for _ in range(number)
        ]

    def lessor(self, budgets: Mapping[str, Allowance]) -> "RayLessor | None":
        """Start the actor that hands out leases; None if nothing is limited."""
        if not any(each.limits_anything for each in budgets.values()):
            return None
        name = f"saiten-lessor-{token_hex(6)}"
        actor = self.ray.remote(Lessor).options(
            name=name, namespace=_NAMESPACE, num_cpus=0, max_concurrency=10_000, **UNRECORDED
        )
        return RayLessor(self.ray, actor.remote(dict(budgets), self.workers), AskActor(name))

    async def map(self, function: Callable[..., T], items: Sequence[tuple[Any, ...]]) -> AsyncIterator[tuple[int, T]]:
        """Yield the number and the result of each call as it comes; Ray repeats those that a lost process had."""
        remote = self.ray.remote(function).options(num_cpus=1, max_retries=3, **UNRECORDED)
        waiting = iter(enumerate(items))
        running: dict[asyncio.Task[T], int] = {}

        async def one(arguments: tuple[Any, ...]) -> T:
            try:
                result: T = await remote.remote(*arguments)
            except self.ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None
            return result

        try:
            while True:
                while len(running) < 2 * self.workers and (item := next(waiting, None)) is not None:
                    running[asyncio.create_task(one(item[1]))] = item[0]
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield running.pop(task), task.result()
        finally:
            for task in running:
                task.cancel()


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[RayCluster]:
    """Connect to the cluster at this address, or start one on this machine for the time of the block.

    In a script that is connected already, that connection is used; `$RAY_ADDRESS` is used as Ray does.

    Raises:
        ConfigurationError: Ray is not installed, or there is no cluster at the address.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    with _set(_QUIET | _logging_in(address, os.environ)):
        ray = _imported()
        if ray.is_initialized():
            yield RayCluster(ray, workers or _cpus(ray), None)
            return
        with redirect_stdout(_WithoutRay(sys.stdout)):
            if address is not None:
                with _at(ray, address):
                    yield RayCluster(ray, workers or _cpus(ray), None)
            else:
                with _here(ray, workers or available_cores()) as scratch:
                    yield RayCluster(ray, workers or available_cores(), scratch)


def _imported() -> Any:
    try:
        import ray  # noqa: PLC0415 - optional package
    except ImportError as error:
        raise ConfigurationError('--executor ray needs Ray; install it with pip install "saiten[ray]"') from error
    return ray


def _logging_in(address: str | None, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with which Ray Client uses the token that there is, as all other connections of Ray's do."""
    named = any(environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    there = named or (Path.home() / ".ray" / "auth_token").exists()
    return {"RAY_AUTH_MODE": "token"} if there and (address or "").startswith("ray://") else {}


@contextmanager
def _at(ray: Any, address: str) -> Iterator[None]:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        raise ConfigurationError(
            f"there is no Ray cluster at {redact(address)}: {_first_line(error)}; start one with `ray start --head`, "
            "set RAY_AUTH_TOKEN to what `ray get-auth-token` prints there if it has a token, or leave out "
            "--ray-address to use this machine alone"
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _here(ray: Any, workers: int) -> Iterator[str]:
    _remove_left_over()
    folder = tempfile.mkdtemp(prefix=_FOLDER)
    lock = Lock(Path(folder), lambda _: None)
    try:
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=_OBJECTS,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=folder,
        )
        yield folder
    finally:
        ray.shutdown()
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_over() -> None:
    """Remove folders of commands that were killed and could not do it themselves: nobody has locked them any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with suppress(OSError), (folder / LOCK_NAME).open("rb") as file:  # raised if it is in use, or somebody else's
            if file.read(1):  # or it is just being locked
                lock_file(file.fileno())
                shutil.rmtree(folder, ignore_errors=True)


def _cpus(ray: Any) -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


@contextmanager
def _set(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables that are not set, for the time of the block."""
    new = [name for name in variables if name not in os.environ]
    os.environ.update({name: variables[name] for name in new})
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


class _WithoutRay(io.TextIOBase):
    """Standard output without what Ray prints there about workers that died, which would be among the results."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._dropped = False

    def write(self, text: str) -> int:
        dropped = "(raylet" in text or (self._dropped and text == "\n")
        if not dropped:
            self._stream.write(text)
        self._dropped = dropped and text != "\n"
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return bool(self._stream.isatty())
