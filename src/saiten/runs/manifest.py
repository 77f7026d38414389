"""`manifest.json`: the settings of a run, which decide whether it may be resumed; one format for all runs."""

import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from saiten.data.hand_written import checked
from saiten.durable.whole_file import read_described, write_described
from saiten.errors import ConfigurationError
from saiten.redaction import redact_command, redact_settings
from saiten.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings that all results of a run share; a run is resumed with the same settings or not at all.

    Settings that change no figure (concurrency, budget, progress) are not included.
    """

    data: str | None = None
    """The name of the file; None for samples that are not from a file."""
    judge: Mapping[str, Any] = field(default_factory=dict)
    """`JudgeSettings.kept()`, or the name of a custom judge under `judge`."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Field → column, as given."""
    language: str | None = None
    """The language of all samples; None to detect it per sample."""
    currency: str = "USD"
    more: Mapping[str, Any] = field(default_factory=dict)
    """Settings specific to this kind of run, ready for JSON: a system under test, a number of turns."""

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a manifest stores them: flat, without secrets, and with JSON's types.

        Raises:
            ConfigurationError: They cannot be written as JSON.
        """
        common = {"columns": dict(self.columns), "language": self.language or "detected", "currency": self.currency}
        try:
            text = json.dumps({"data": self.data, **self.judge, **common, **self.more}, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"the settings of a run must be ready for JSON: {error}") from error
        settings: dict[str, Any] = redact_settings(json.loads(text))
        return settings


MANIFEST_NAME = "manifest.json"
KIND = "saiten run"
FORMAT = 1

_FOUND = re.compile(r"\|logprobs:[^|]*|\|history:[^|]*|\brefused\((?P<asked>[^()|]*)\)")

_PACKAGES = (
    "aiohttp", "json-repair", "numpy", "orjson", "pydantic", "rapidfuzz", "sacrebleu", "scipy", "sudachidict-core",
    "sudachipy",
)  # fmt: skip
"""Packages that figures may depend on."""

_ABSENT = "not set"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The settings, signatures and versions of a run."""

    settings: Mapping[str, Any]
    """The `RunSettings` as JSON."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    """Metric → its signature."""
    command: Sequence[str] = ()
    """The command line that began the run."""
    created: str = ""
    """The time of creation, in UTC."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of saiten, Python, the platform and the packages that figures may depend on."""
    finished: bool | None = None
    """Whether all data was read and every score exists; None for versions that did not record it."""
    bad_rows: int | None = None
    """Rows that could not be used when the data was last read to its end; None if it never was."""
    kind: str = KIND
    format: int = FORMAT

    def made_by(self, metric: str) -> dict[str, str]:
        """Return the parts of the metric's signature, `{"judge": "…", "saiten": "…"}`; empty if it has none."""
        return signature_parts(metric, self.signatures)

    @classmethod
    def new(
        cls, settings: RunSettings, signatures: Mapping[str, str], command: Sequence[str] = (), kind: str = KIND
    ) -> "Manifest":
        """Return the manifest of a run that begins now.

        Raises:
            ConfigurationError: the settings cannot be written as JSON.
        """
        created = datetime.now(UTC).isoformat(timespec="seconds")
        made = settings.to_json(), dict(signatures), list(command), created, versions()
        return cls(*made, finished=False, kind=kind).redact()

    def redact(self) -> "Manifest":
        """Return the manifest without secrets, as it is written, read, shown and compared."""
        return replace(
            self,
            settings=redact_settings(self.settings),
            signatures=redact_settings(self.signatures),
            command=redact_command(self.command),
        )

    def going_on(self, settings: RunSettings, signatures: Mapping[str, str], place: Path) -> "Manifest":
        """Return the manifest of the same run with new metrics added; everything else must be the same.

        Raises:
            ConfigurationError: Settings differ; the text lists them.
        """
        differing = self.differing(settings, signatures)
        if differing:
            other = "folder" if place.is_dir() else "file"
            raise ConfigurationError(
                f"{place} was begun with other settings; name another {other}, or give the same settings again:\n"
                + "\n".join(f"  {line}" for line in differing)
            )
        whole = self.finished and set(signatures) <= set(self.signatures)
        return replace(self, signatures={**signatures, **self.signatures}, finished=whole).redact()

    def differing(self, settings: RunSettings, signatures: Mapping[str, str]) -> list[str]:
        """Return one line per setting or signature that differs; the run may be resumed if there is none.

        A setting that an earlier version did not record had its default; the data may have been any. What the run found
        out is no difference: whether a server returned token probabilities, which parameters it refused, and whether
        samples have histories.
        """
        was, now = {**RunSettings().to_json(), **self.settings}, settings.to_json()
        if "data" not in self.settings:
            was["data"] = now["data"]
        was, now = ({name: _setting(value) for name, value in each.items()} for each in (was, now))
        both = sorted(set(self.signatures) & set(signatures))
        before, after = self.signatures, redact_settings(signatures)
        return [
            *differences(was, now),
            *differences(
                {name: settings_in(before[name]) for name in both}, {name: settings_in(after[name]) for name in both}
            ),
        ]


def signature_parts(metric: str, signatures: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of the metric's signature, `{"judge": "…", "saiten": "…"}`; empty if it has none.

    A metric's name may contain the separators of the parts.
    """
    rest = signatures.get(metric, "").removeprefix(metric).removeprefix("|")
    parts: dict[str, str] = {}
    for key, _, value in (part.partition(":") for part in rest.split("|") if part):
        parts[key] = f"{parts[key]}, {value}" if key in parts else value
    return parts


def read_manifest(folder: Path, name: str = MANIFEST_NAME, kind: str = KIND) -> Manifest | None:
    """Return the folder's manifest, or None.

    Raises:
        ConfigurationError: it is not saiten's, has a later format, or is damaged.
    """
    path = folder / name
    value = read_described(path, kind, FORMAT)
    if value is None:
        return None
    known = Manifest.__dataclass_fields__
    try:
        there = checked(Manifest, {"settings": {}} | {key: item for key, item in value.items() if key in known})
    except ValueError as error:
        raise ConfigurationError(f"{path} is damaged: {error}; restore the file") from error
    return replace(there, settings=_flat(there.settings)).redact()


def _flat(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Flatten the judge's settings, which runs begun from Python once nested."""
    judge = settings.get("judge")
    return {**settings, **judge} if isinstance(judge, Mapping) else settings


def write_manifest(folder: Path, manifest: Manifest, name: str = MANIFEST_NAME) -> None:
    """Write the manifest atomically, unless the file is already equal."""
    write_described(folder / name, manifest, otherwise="name another folder")


def versions() -> dict[str, str]:
    """Return the versions of saiten, Python, the platform and the packages that figures may depend on."""
    found = {"saiten": __version__, "python": sys.version.split()[0], "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def differences(was: Mapping[str, Any], now: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield `system: was "a", is "b"`, one line per differing setting; nested settings by their path."""
    for key in dict.fromkeys([*was, *now]):
        before, after = was.get(key, _ABSENT), now.get(key, _ABSENT)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from differences(before, after, f"{above}{key}.")
        elif before != after:
            yield f"{above}{key}: was {_shown(before)}, is {_shown(after)}"


def settings_in(signature: str) -> str:
    """Return the signature without what the run found out."""
    return _FOUND.sub(lambda found: found["asked"] or "", signature)


def _setting(value: Any) -> Any:
    return settings_in(value) if isinstance(value, str) else value


def _shown(value: Any) -> str:
    return value if value is _ABSENT else json.dumps(value, ensure_ascii=False)
