"""The input of a run in shards: divided once, and the same whenever the run is resumed."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from saiten.cluster.divided_run import DividedRun
from saiten.cluster.driver import Part
from saiten.data import BadRow
from saiten.data.files import files_at, size_of
from saiten.data.shards import Counted, Shard, count_rows, cut, ids_of, numbered, read_shard, repeated
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
_ROWS = 1000
"""Rows of a shard of rows in memory, at most."""
_EACH = 8
"""Shards per worker, so that all end at about the same time."""


class Input(Protocol):
    """Rows to be divided."""

    @property
    def name(self) -> str:
        """For messages."""

    async def parts(self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch") -> list[Part]:
        """Return the shards, divided now or when the run began.

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

    def rows(self, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        return read_shard(
            self.shard,
            columns=self.columns,
            detect_language=detect_language,
            language=self.language,
            notify=notify,
            refused=self.refused,
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

    @property
    def name(self) -> str:
        return redact(self.path)

    async def parts(self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch") -> list[Part]:
        there = run.division
        if there is None:
            division = await self._divided(cluster)
            run.divide(division)
        else:
            division = there
            self._check(division)
        found = [(_shard(part["shard"]), frozenset(part["refused"])) for part in division.parts]
        rows = [shard.rows for shard, _ in found]
        watch.divided(sum(known) if (known := [each for each in rows if each is not None]) == rows else None, len(rows))
        return [
            Part(RowsOfShard(shard, self.columns, self.language, refused), shard.where, shard.rows)
            for shard, refused in found
        ]

    async def _divided(self, cluster: "RayCluster") -> Division:
        """Divide the input; workers count the rows and find ids that occur twice."""
        size = self._size(cluster.workers)
        shards = cut(self.path, self.format, size)
        counts: list[Counted | None] = [None] * len(shards)
        async for number, counted in cluster.map(count_rows, [(shard,) for shard in shards]):
            counts[number] = counted
        shards = numbered(shards, counts, self.limit)
        ids = [array("Q")] * len(shards)
        if len(shards) > 1:
            wanted = [(shard, dict(self.columns), self.language) for shard in shards]
            async for number, each in cluster.map(ids_of, wanted):
                ids[number] = each
        refused = repeated(ids)
        return Division(
            tuple(
                {"shard": asdict(shard), "refused": sorted(again)} for shard, again in zip(shards, refused, strict=True)
            ),
            size,
        )

    def _size(self, workers: int) -> int:
        total = sum(size_of(file.path) for file in files_at(self.path))
        return min(max(total // (_EACH * workers), _LEAST), _MOST)

    def _check(self, division: Division) -> None:
        """Raise ConfigurationError if the input would be divided differently today."""
        kept = [_place(_shard(part["shard"])) for part in division.parts]
        now = [_place(shard) for shard in cut(self.path, self.format, division.size)]
        if kept != now[: len(kept)] or (self.limit is None and len(now) != len(kept)):
            raise ConfigurationError(
                f"{self.name} is not what it was when the run began: files or their sizes have changed; name another "
                "folder to score it anew"
            )


def _shard(value: Mapping[str, Any]) -> Shard:
    groups = value.get("groups")
    return Shard(**{**value, "groups": None if groups is None else tuple(groups)})


def _place(shard: Shard) -> tuple[object, ...]:
    return shard.path, shard.start, shard.end, shard.groups, shard.skip


@dataclass(frozen=True, slots=True)
class RowsInput:
    """Rows that the driver has."""

    kept: Sequence[Sample | BadRow]
    name: str = "samples"

    async def parts(self, run: DividedRun, cluster: "RayCluster", watch: "ClusterWatch") -> list[Part]:
        rows = len(self.kept)
        there = run.division
        if there is None:
            size = min(max(rows // (_EACH * cluster.workers), 1), _ROWS)
            run.divide(
                Division(tuple({"start": at, "rows": min(size, rows - at)} for at in range(0, rows, size)), size)
            )
        division = run.division or Division(())
        if sum(int(part["rows"]) for part in division.parts) != rows:
            raise ConfigurationError(
                f"the run began with {sum(int(part['rows']) for part in division.parts)} rows, now there are {rows}; "
                "name another folder"
            )
        watch.divided(rows, len(division.parts))
        found = []
        for part in division.parts:
            start, end = int(part["start"]), int(part["start"]) + int(part["rows"])
            found.append(Part(RowsInMemory(self.kept[start:end]), f"rows {start + 1} to {end}", end - start))
        return found
