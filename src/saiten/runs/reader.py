"""Streaming access to a run on disk, even while it is being written; damaged lines are skipped."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from saiten.digests import Digests, digest_here
from saiten.errors import BadInput
from saiten.models.prices import Quote
from saiten.records import Sample, Scored, Usage
from saiten.runs.journal import SAMPLES_NAME, SCORES_NAME
from saiten.runs.lines import has_lines, read_lines, sample_from_json, scored_from_json
from saiten.runs.locked_folder import ERRORS_NAME, paid_in, prices_in
from saiten.runs.manifest import Manifest, read_manifest
from saiten.runs.shards import missing_shards, run_folders

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunReader:
    """A run on disk. Unreadable lines are reported with their numbers and skipped."""

    folder: Path
    manifest: Manifest
    notify: Callable[[str], None]
    """Called with a note about each unreadable line."""
    folders: tuple[Path, ...]
    """The folders with its results, in the order of the input: its own, or those of its shards."""

    @property
    def unfinished(self) -> bool:
        """Whether the run is known to be unfinished; False for runs of versions that did not record it."""
        return self.manifest.finished is False

    def only(self, folder: Path) -> "RunReader":
        """Return one of its shards, with the manifest of all."""
        return RunReader(self.folder, self.manifest, self.notify, (folder,))

    def scores(self) -> Iterator[Scored]:
        """Yield the last score of each pair of sample and metric, in file order, shard by shard.

        Reads each file twice; memory: at most 50 bytes per pair of one file. Lines added meanwhile are not seen.
        """
        return (scored for folder in self.folders for scored in _scores(folder / SCORES_NAME, self.notify))

    def places(self) -> Iterator[tuple[str, str, str | None, str | None, str | None]]:
        """Yield id, question, system, group and conversation of each sample, in file order; faster than `samples`."""
        return self.lines(SAMPLES_NAME, _place)

    def samples(self) -> Iterator[Sample]:
        """Return the samples in file order."""
        return self.lines(SAMPLES_NAME, sample_from_json)

    def sample(self, identity: str) -> Sample | None:
        """Return the sample with this id, or None; scans the file."""
        return next((sample for sample in self.samples() if sample.id == identity), None)

    def errors(self) -> Iterator[dict[str, Any]]:
        """Return bad rows (`kind` row: `where`, `reason`, `raw`) and failed scores (`kind` score), in file order."""
        return self.lines(ERRORS_NAME, dict[str, Any])

    def lines(self, name: str, reader: Callable[[dict[str, Any]], T]) -> Iterator[T]:
        """Yield what `reader` makes of each line of the run's files of this name, shard by shard."""
        for folder in self.folders:
            for _, value in read_lines(folder / name, reader, self.notify):
                yield value

    def paid(self) -> Usage | None:
        """Return the total spending, including calls that led to no score; None if no call was recorded."""
        known = [paid for folder in self.folders if (paid := paid_in(folder)) is not None]
        return sum(known, Usage()) if known else None

    def prices(self) -> list[Quote]:
        """Return the prices that the costs were computed with; none for models without a known price."""
        return list(dict.fromkeys(quote for folder in self.folders for quote in prices_in(folder)))

    def bad_rows(self) -> int:
        """Return the unusable rows of the last complete reading of the data, else the number of all so far."""
        if self.manifest.finished and self.manifest.bad_rows is not None:
            return self.manifest.bad_rows
        return sum(error.get("kind") == "row" for error in self.errors())


def _scores(path: Path, notify: Callable[[str], None]) -> Iterator[Scored]:
    last, end, repeated = Digests("Q"), 0, False
    for end, pair in read_lines(path, pair_of, notify):
        repeated = last.put(digest_here(pair), end) is not None or repeated
    if not repeated:
        last = Digests()
    for number, scored in read_lines(path, scored_from_json):
        if not repeated or last.get(digest_here((scored.sample, scored.metric))) == number:
            yield scored
        if number >= end:
            return


def pair_of(value: dict[str, Any]) -> tuple[str, str]:
    """Return sample and metric of a score; raises ValueError if the object is not a line of `scores.jsonl`."""
    if (
        value.get("status") != "ok"
        or not isinstance(value.get("value"), float)
        or not isinstance(value.get("sample"), str)
        or not isinstance(value.get("metric"), str)
        or not isinstance(value.get("usage"), dict)
        or not isinstance(value.get("details"), dict)
        or not isinstance(value.get("reason"), str | None)
        or "votes" in value
        or "expected" in value
    ):
        scored = scored_from_json(value)
        return scored.sample, scored.metric
    return value["sample"], value["metric"]


def _place(value: dict[str, Any]) -> tuple[str, str, str | None, str | None, str | None]:
    identity = value.get("id")
    if not isinstance(identity, str):
        raise ValueError("no sample: its id is expected as text")  # noqa: TRY004 - a fault of the file
    return identity, value.get("question", ""), value.get("system"), value.get("group"), value.get("conversation")


def read_run(folder: Path | str, *, notify: Callable[[str], None] = _LOG.warning) -> RunReader:
    """Return the run in a folder; one that has lost a shard counts as unfinished, whatever its manifest says.

    Raises:
        BadInput: the folder holds no run.
        ConfigurationError: its manifest is from a later version or damaged.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest is None:
        kind = "there is no manifest.json in it" if folder.is_dir() else "a run is the folder that `saiten score` makes"
        raise BadInput(f"{folder} is no run of saiten: {kind if folder.exists() else 'there is no such folder'}")
    if manifest.finished and (missing := missing_shards(folder)):
        notify(
            f"{folder} lacks {len(missing)} of the shards that it had when it was finished: {missing[0]}"
            f"{' and others' if missing[1:] else ''}; restore them, or re-run the command that started it"
        )
        manifest = replace(manifest, finished=False)
    folders = run_folders(folder)
    for each in folders if manifest.finished else ():
        if has_lines(each / SAMPLES_NAME) and not has_lines(each / SCORES_NAME):
            notify(f"{each / SCORES_NAME} is missing or empty, although the run was finished; restore the file")
    return RunReader(folder, manifest, notify, folders)
