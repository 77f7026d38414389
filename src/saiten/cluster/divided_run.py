"""A run in shards on the driver's disk: one manifest, the division of the input, and a folder per shard."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from saiten.cluster.driver import ENDED_NAME
from saiten.errors import ConfigurationError
from saiten.runs.journal import SAMPLES_NAME, refuse_foreign
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
        if there is None:
            refuse_foreign(folder, name)
        elif read_division(folder) is None and has_lines(folder / SAMPLES_NAME):
            raise ConfigurationError(
                f"{folder} has a run that is not in shards; resume it without --executor ray, or name another folder"
            )
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

    @property
    def key(self) -> str:
        """What identifies the results of a shard that has ended: its metrics, without what the run found out."""
        signed = {metric: settings_in(made) for metric, made in sorted(self._signatures.items())}
        return sha256(to_line(signed)).hexdigest()[:32]

    def folder_of(self, number: int) -> Path:
        """Return the folder of a shard."""
        return shard_folder(self.path, number)

    def reopen(self, parts: int) -> None:
        """Let shards be looked at again that have ended, for results that failed."""
        for number in range(parts):
            (self.folder_of(number) / ENDED_NAME).unlink(missing_ok=True)

    def conclude(self, parts: int, *, finished: bool) -> None:
        """Take over what the workers found out about their models, and note whether every shard has ended."""
        signatures, bad_rows = dict(self.manifest.signatures), 0
        for manifest in self._manifests(parts):
            bad_rows += manifest.bad_rows or 0
            for metric, made in manifest.signatures.items():
                before = signatures.get(metric, made)
                # What is found out is added to a signature, so the longest has all of it.
                if len(made) > len(before) and settings_in(made) == settings_in(before):
                    signatures[metric] = made
        if finished:
            self.manifest = replace(self.manifest, finished=True, bad_rows=bad_rows)
        self.manifest = replace(self.manifest, signatures=signatures).redact()
        write_manifest(self.path, self.manifest, self._name)

    def _manifests(self, parts: int) -> Iterator[Manifest]:
        for number in range(parts):
            manifest = read_manifest(self.folder_of(number))
            if manifest is not None:
                yield manifest

    def _has_results(self) -> bool:
        names = ("scores.jsonl", "answers.jsonl")
        return any(has_lines(path) for name in names for path in (self.path / SHARDS_NAME).glob(f"*/{name}"))
