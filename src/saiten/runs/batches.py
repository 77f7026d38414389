"""`batches/` in a run's folder: requests, replies, and what became of each batch (`models/batch/shelf.py`).

001.requests.jsonl    what was sent
001.json              the batch: its name at the server, when, how many, how it ended
001.output.jsonl      the replies
001.errors.jsonl      what failed
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from uuid import uuid4

from saiten.data.hand_written import checked
from saiten.durable.private import private_folder
from saiten.durable.whole_file import whole_file
from saiten.errors import ConfigurationError, NotWritten
from saiten.models.batch.shelf import BatchRecord
from saiten.strict_parsing import strict_json

BATCHES_NAME = "batches"


@dataclass(frozen=True, slots=True)
class BatchFolder:
    """A `Shelf` in the folder of a run, which the caller has locked; created with its first batch."""

    run: Path

    @property
    def path(self) -> Path:
        """The folder."""
        return self.run / BATCHES_NAME

    def records(self) -> Sequence[BatchRecord]:
        """Return the batches so far, in order; raises ConfigurationError for one that cannot be read."""
        return [_read(path) for path in sorted(self.path.glob("[0-9]*.json"), key=lambda path: int(path.stem))]

    def add(self, model: str, lines: Sequence[bytes], *, by_hand: bool) -> BatchRecord:
        number = max((record.number for record in self.records()), default=0) + 1
        record = BatchRecord(
            number=number,
            model=model,
            requests=len(lines),
            mark=uuid4().hex,
            by_hand=by_hand,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        with self.writing(self.requests(record)) as file:
            file.writelines(lines)
        self.keep(record)
        return record

    def keep(self, record: BatchRecord) -> None:
        with self.writing(self.path / f"{record.number:03}.json") as file:
            file.write(json.dumps(asdict(record), ensure_ascii=False, indent=2).encode() + b"\n")

    def requests(self, record: BatchRecord) -> Path:
        return self.path / f"{record.number:03}.requests.jsonl"

    def results(self, record: BatchRecord) -> Sequence[Path]:
        return [self.path / f"{record.number:03}.{name}.jsonl" for name in ("output", "errors")]

    @contextmanager
    def writing(self, path: Path) -> Iterator[IO[bytes]]:
        try:
            private_folder(path.parent)
            with whole_file(path) as file:
                yield file
        except OSError as error:
            raise NotWritten(f"{path} cannot be written: {error.strerror}; free some space and re-run") from error


def _read(path: Path) -> BatchRecord:
    try:
        found = strict_json(path.read_bytes())
        known = {name: found[name] for name in BatchRecord.__dataclass_fields__ if name in found}
        return replace(checked(BatchRecord, known), number=int(path.stem))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({error}); move it away, and the requests of this batch are sent again"
        ) from error
