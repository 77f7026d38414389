"""A run in shards on the driver's disk: one manifest, the division of the input, and a folder per shard."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from saiten.cluster.driver import ENDED_NAME
from saiten.durable.lock import LOCK_NAME
from saiten.durable.whole_file import is_left
from saiten.errors import ConfigurationError
from saiten.runs.lines import has_lines, to_line
from saiten.runs.locked_folder import LockedFolder
from saiten.runs.manifest import KIND, MANIFEST_NAME, Manifest, RunSettings, read_manifest, settings_in, write_manifest
from saiten.runs.shards import DIVISION_NAME, SHARDS_NAME, Division, read_division, shard_folder, write_division


class DividedRun(LockedFolder):
    """A run in shards, being written by this process for its workers."""

    @classmethod
    def open(
        cls,
        folder: Path,
        settings: RunSettings,
        signatures: Mapping[str, str],
        *,
        command: Sequence[str] = (),
        notify: Callable[[str], None],
        name: str = MANIFEST_NAME,
        kind: str = KIND,
    ) -> "DividedRun":
        """Start a run in a new folder, or resume the one in it; metrics may be added, as to any run.

        Args:
            folder: The run's folder.
            settings: Shared by all results of the run.
            signatures: Metric → its signature.
            command: The command line, for the manifest.
            notify: Called with notes.
            name: The name of the manifest.
            kind: Its kind.

        Raises:
            ConfigurationError: The folder holds something else, a run that is not in shards, or one with other
                settings; another process is writing it; it cannot be written. Nothing was changed then.
        """
        there = read_manifest(folder, name, kind)
        _refuse_others(folder, there, name)
        run = cls(folder, notify)
        try:
            run._begin(there, Manifest.new(settings, signatures, command, kind), settings, name)
        except BaseException:
            run.close()
            raise
        return run

    def _begin(self, there: Manifest | None, new: Manifest, settings: RunSettings, name: str) -> None:
        self._name, self._signatures = name, dict(new.signatures)
        if there is not None and there.differing(settings, new.signatures) and not self._has_results():
            shutil.rmtree(self.path / SHARDS_NAME, ignore_errors=True)
            (self.path / DIVISION_NAME).unlink(missing_ok=True)
            there = None
        going_on = new if there is None else there.going_on(settings, new.signatures, self.path)
        self.manifest = replace(going_on, finished=False)
        write_manifest(self.path, self.manifest, name)

    @property
    def division(self) -> Division | None:
        """How the input was divided when the run began; None if it just begins."""
        return read_division(self.path)

    def divide(self, division: Division) -> None:
        """Keep the division, by which the run is resumed, whatever the number of workers is then."""
        write_division(self.path, division)

    def key(self, more: str = "") -> str:
        """Return what identifies the results of a shard that has ended: metrics and settings, found out or not."""
        signed = {metric: settings_in(made) for metric, made in sorted(self._signatures.items())}
        return sha256(to_line({"signatures": signed, "more": more})).hexdigest()[:32]

    def folder_of(self, number: int) -> Path:
        """Return the folder of a shard."""
        return shard_folder(self.path, number)

    def reopen(self, parts: int) -> None:
        """Let shards be looked at again that have ended, for results that failed."""
        for number in range(parts):
            (self.folder_of(number) / ENDED_NAME).unlink(missing_ok=True)

    def sign(self, parts: int) -> None:
        """Take over into the signatures what the workers found out about their models."""
        found = dict(self.manifest.signatures)
        for manifest in self._manifests(parts):
            for metric, made in manifest.signatures.items():
                if (
                    metric in found
                    and settings_in(made) == settings_in(found[metric])
                    and len(made) > len(found[metric])
                ):
                    found[metric] = made
        self.manifest = replace(self.manifest, signatures=found).redact()
        write_manifest(self.path, self.manifest, self._name)

    def finish(self, parts: int) -> None:
        """Mark the run as finished."""
        bad = sum(manifest.bad_rows or 0 for manifest in self._manifests(parts))
        self.manifest = replace(self.manifest, finished=True, bad_rows=bad)
        write_manifest(self.path, self.manifest, self._name)

    def _manifests(self, parts: int) -> Iterator[Manifest]:
        for number in range(parts):
            manifest = read_manifest(self.folder_of(number))
            if manifest is not None:
                yield manifest

    def _has_results(self) -> bool:
        names = ("scores.jsonl", "answers.jsonl")
        return any(has_lines(path) for name in names for path in (self.path / SHARDS_NAME).glob(f"*/{name}"))


def _refuse_others(folder: Path, there: Manifest | None, name: str) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file; name a folder for the run")
    if there is not None and read_division(folder) is None and has_lines(folder / "samples.jsonl"):
        raise ConfigurationError(
            f"{folder} has a run that is not in shards; resume it without --executor ray, or name another folder"
        )
    if there is None and folder.is_dir():
        names = {path.name for path in folder.iterdir()} - {LOCK_NAME}
        if others := sorted(each for each in names if not is_left(each, name)):
            raise ConfigurationError(
                f"{folder} is not empty and no run of saiten (it holds {', '.join(others[:5])}); name a new folder"
            )
