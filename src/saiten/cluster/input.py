"""The input of a run in shards: divided once, and the same whenever the run is resumed."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from saiten.cluster.divided_run import DividedRun
from saiten.cluster.driver import InputPart
from saiten.data import BadRow
from saiten.data.addresses import size_of
from saiten.data.chat_logs import ChatUse
from saiten.data.files import InputFile, files_of
from saiten.data.shard_rows import ids_of, read_shard, repeated
from saiten.data.shards import RowCount, Shard, count_rows, cut, numbered
from saiten.errors import ConfigurationError
from saiten.records import Language, Sample
from saiten.redaction import redact
from saiten.runs.shards import Division
from saiten.text.language import detect_language

if TYPE_CHECKING:
    from saiten.cluster.ray_workers import RayCluster
    from saiten.cluster.running import ClusterWatch

_MOST, _LEAST = 16 << 20, 64 << 10
"""Bytes of a shard: so few that a lost one costs little, and so many that each has enough to do."""
_LEAST_IF_SMALL = 1 << 10
"""The same if a network runs in the workers: ten questions should not leave all GPUs but one without work."""
_ROWS = 1000
"""Rows of a shard of rows in memory, at most."""
_EACH = 8
"""Shards per worker, so that all end at about the same time."""


class Input(Protocol):
    """Rows to be divided."""

    @property
    def name(self) -> str:
        """For messages."""

    async def parts(
        self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch", *, small: bool = False
    ) -> list[InputPart]:
        """Return the shards, divided now or when the run began.

        Args:
            run: The run, which has the division if it began before.
            cluster: Its workers count the rows.
            watch: Learns the number of rows and shards.
            small: Whether few rows are enough for a shard, since each takes long.

        Raises:
            BadInput: It cannot be read.
            ConfigurationError: It has changed since the run began.
        """


@dataclass(frozen=True, slots=True)
class RowsOfShard:
    """The rows of a shard of files, which its worker reads."""

    shard: Shard
    columns: Mapping[str, str]
    language: Language | None
    refused: frozenset[int] = frozenset()
    """Digests of ids that an earlier shard has."""
    answers: bool = True
    chats: ChatUse = "answers"

    def rows(self, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        return read_shard(
            self.shard,
            columns=self.columns,
            detect_language=detect_language,
            language=self.language,
            notify=notify,
            refused=self.refused,
            answers=self.answers,
            chats=self.chats,
        )


@dataclass(frozen=True, slots=True)
class RowsInMemory:
    """Rows that the driver has, such as those of `evaluate`."""

    kept: Sequence[Sample | BadRow]

    def rows(self, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        return iter(self.kept)


@dataclass(frozen=True, slots=True)
class FilesInput:
    """Rows in files, which workers read themselves, wherever they are."""

    path: str
    """A path, a pattern or an address."""
    columns: Mapping[str, str]
    format: str | None = None
    language: Language | None = None
    limit: int | None = None
    answers: bool = True
    """Whether a row with the answers of several systems is a sample for each."""
    chats: ChatUse = "answers"

    @property
    def name(self) -> str:
        return redact(self.path)

    async def parts(
        self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch", *, small: bool = False
    ) -> list[InputPart]:
        there = run.division
        if there is None:
            size = self._size(cluster.workers, _LEAST_IF_SMALL if small else _LEAST)
            shards = cut(self.path, self.format, size)
            found = await self._divided(shards, cluster)
            run.divide(Division(tuple(_as_json(shard, refused) for shard, refused in found), size, len(shards)))
        else:
            found = self._again(there)
        rows = [shard.rows for shard, _ in found]
        known = [each for each in rows if each is not None]
        watch.divided(sum(known) if len(known) == len(rows) else None, len(rows))
        how = self.columns, self.language
        return [
            InputPart(
                RowsOfShard(shard, *how, refused, self.answers, self.chats), f"{shard.name} from row {shard.first}"
            )
            for shard, refused in found
        ]

    async def _divided(self, shards: tuple[Shard, ...], cluster: "RayCluster") -> list[tuple[Shard, frozenset[int]]]:
        """Return the shards, numbered, with the ids that each must refuse; workers count the rows and find the ids."""
        counts = [RowCount(0, 0)] * len(shards)
        async for number, counted in cluster.map(count_rows, [(shard, dict(self.columns)) for shard in shards]):
            counts[number] = counted
        shards = numbered(shards, counts, self.limit)
        if len(shards) < 2:
            return [(shard, frozenset()) for shard in shards]
        ids = [array("Q")] * len(shards)
        how: dict[str, Any] = {"columns": dict(self.columns), "language": self.language}
        how |= {"answers": self.answers, "chats": self.chats}
        wanted = [(shard, how) for shard in shards]
        async for number, each in cluster.map(_ids, wanted):
            ids[number] = each
        return list(zip(shards, repeated(ids), strict=True))

    def _size(self, workers: int, least: int) -> int:
        total = sum(_bytes_of(file) for file in files_of(self.path))
        return min(max(total // (_EACH * workers), least), _MOST)

    def _again(self, division: Division) -> list[tuple[Shard, frozenset[int]]]:
        """Return the shards as they were divided; raises ConfigurationError if the input has changed."""
        now = {_place(shard): shard.path for shard in cut(self.path, self.format, division.size)}
        kept = [_from_json(part) for part in division.parts]
        places = [_place(shard) for shard, _ in kept]
        if any(place not in now for place in places) or len(now) != division.cut:
            raise ConfigurationError(
                f"{self.name} is not what it was when the run began: files or their sizes have changed; name another "
                "folder to score it anew"
            )
        return [(replace(shard, path=now[_place(shard)]), refused) for shard, refused in kept]


def _bytes_of(file: InputFile) -> int:
    if file.size is not None:
        return file.size
    return size_of(file.path) if isinstance(file.path, str) else file.path.stat().st_size


def _ids(shard: Shard, how: Mapping[str, Any]) -> "array[int]":
    return ids_of(shard, **how)


def _as_json(shard: Shard, refused: frozenset[int]) -> dict[str, Any]:
    return {"shard": {**asdict(shard), "path": redact(shard.path)}, "refused": sorted(refused)}


def _from_json(part: Mapping[str, Any]) -> tuple[Shard, frozenset[int]]:
    value = part["shard"]
    return Shard(**{**value, "groups": tuple(value["groups"])}), frozenset(part["refused"])


def _place(shard: Shard) -> tuple[object, ...]:
    return redact(shard.path), shard.start, shard.end, shard.groups, shard.skip


@dataclass(frozen=True, slots=True)
class RowsInput:
    """Rows that the driver has."""

    kept: Sequence[Sample | BadRow]
    name: str = "samples"

    async def parts(
        self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch", *, small: bool = False
    ) -> list[InputPart]:
        rows = len(self.kept)
        if run.division is None:
            size = min(max(rows // (_EACH * cluster.workers), 1), _ROWS)
            run.divide(
                Division(tuple({"start": at, "rows": min(size, rows - at)} for at in range(0, rows, size)), size)
            )
        division = run.division or Division(())
        before = sum(int(part["rows"]) for part in division.parts)
        if before != rows:
            raise ConfigurationError(f"the run began with {before} rows, now there are {rows}; name another folder")
        watch.divided(rows, len(division.parts))
        found = []
        for part in division.parts:
            start, end = int(part["start"]), int(part["start"]) + int(part["rows"])
            found.append(InputPart(RowsInMemory(self.kept[start:end]), f"rows {start + 1} to {end}"))
        return found
