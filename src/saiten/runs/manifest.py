"""`manifest.json`: how a run was made, and whether it may go on like that."""

import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.redaction import redact_command, redact_settings
from saiten.version import __version__

MANIFEST_NAME = "manifest.json"
KIND = "saiten run"
FORMAT = 1

_PACKAGES = (
    "aiohttp",
    "json-repair",
    "numpy",
    "orjson",
    "pydantic",
    "rapidfuzz",
    "sacrebleu",
    "scipy",
    "sudachidict-core",
    "sudachipy",
)
"""What figures may depend on."""

_ABSENT = "not set"


@dataclass(frozen=True, slots=True)
class Manifest:
    """How a run was made."""

    settings: Mapping[str, Any]
    """What every score of the run has in common: judge, data, compatibility, …; ready for JSON."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    """Metric → how its figures are made."""
    command: Sequence[str] = ()
    """The command line that began the run."""
    created: str = ""
    """When, in UTC."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of saiten, Python, the platform and the packages that figures may depend on."""
    finished: bool | None = None
    """Whether the data was read to its end and every score is there; None for a run of a version that did not say."""
    bad_rows: int | None = None
    """Rows that could not be used when the data was last read to its end; None: it has not been."""
    kind: str = KIND
    format: int = FORMAT

    def made_by(self, metric: str) -> dict[str, str]:
        """The parts of the metric's signature, `{"judge": "…", "saiten": "…"}`; empty where it has none.

        The name of a metric may hold anything, also what separates the parts.
        """
        rest = self.signatures.get(metric, "").removeprefix(metric).removeprefix("|")
        parts: dict[str, str] = {}
        for key, _, value in (part.partition(":") for part in rest.split("|") if part):
            parts[key] = f"{parts[key]}, {value}" if key in parts else value
        return parts

    @classmethod
    def new(cls, settings: Mapping[str, Any], signatures: Mapping[str, str], command: Sequence[str]) -> "Manifest":
        """The manifest of a run that begins now.

        Raises:
            ConfigurationError: the settings cannot be written as JSON.
        """
        created = datetime.now(UTC).isoformat(timespec="seconds")
        made = _as_read_back(settings), dict(signatures), list(command), created, dict(_versions())
        return cls(*made, finished=False).redact()

    def redact(self) -> "Manifest":
        """The same without what is secret: as it is written, read, shown and compared."""
        return replace(
            self,
            settings=redact_settings(self.settings),
            signatures=redact_settings(self.signatures),
            command=redact_command(self.command),
        )

    def going_on(self, settings: Mapping[str, Any], signatures: Mapping[str, str], folder: Path) -> "Manifest":
        """The manifest of the same run with metrics added, which it lacks yet; all that is there must be the same.

        Raises:
            ConfigurationError: they are not; the text lists what differs.
        """
        differing = self._differing(settings, signatures)
        if differing:
            raise ConfigurationError(
                f"{folder} was begun with other settings; name another folder, or give the same settings again:\n"
                + "\n".join(f"  {line}" for line in differing)
            )
        whole = self.finished and set(signatures) <= set(self.signatures)
        return replace(self, signatures={**self.signatures, **signatures}, finished=whole).redact()

    def may_go_on(self, settings: Mapping[str, Any], signatures: Mapping[str, str]) -> bool:
        """Whether `going_on` would not refuse."""
        return not self._differing(settings, signatures)

    def _differing(self, settings: Mapping[str, Any], signatures: Mapping[str, str]) -> list[str]:
        signatures = redact_settings(signatures)
        was, now = self.settings, redact_settings(_as_read_back(settings))
        if "data" not in was:  # a run that an earlier version began from Python
            now = {key: item for key, item in now.items() if key != "data"}
        differing = list(differences(was, now, ""))
        both = set(self.signatures) & set(signatures)
        before, after = ({metric: made[metric] for metric in sorted(both)} for made in (self.signatures, signatures))
        return [*differing, *differences(before, after, "")]


def read_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest; None if it has none.

    Raises:
        ConfigurationError: it is not saiten's, of a later format, or damaged.
    """
    path = folder / MANIFEST_NAME
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise ConfigurationError(f"{folder} is no run of saiten: its {MANIFEST_NAME} is of another kind")
    if value.get("format") != FORMAT:
        raise ConfigurationError(
            f"{folder} has format {value.get('format')}, this saiten reads {FORMAT}; use the version that wrote it "
            f"(saiten {(value.get('versions') or {}).get('saiten', 'unknown')})"
        )
    if not isinstance(value.get("finished"), bool | None):
        raise ConfigurationError(f"{path} cannot be read: `finished` is true, false or absent")
    known = Manifest.__dataclass_fields__
    found = {key: item for key, item in value.items() if key in known}
    return Manifest(**found | {"settings": _flat(found.get("settings", {}))}).redact()


def _flat(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings with those of the judge beside the others, where runs begun from Python once nested them."""
    judge = settings.get("judge")
    return {**settings, **judge} if isinstance(judge, Mapping) else settings


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it as a whole or not at all: beside, to the disk, then over the old one, unless that says the same."""
    text = json.dumps(asdict(manifest), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    path = folder / MANIFEST_NAME
    if not path.is_file() or path.read_bytes() != text.encode("utf-8", "backslashreplace"):
        write_whole(path, text, otherwise="name another folder")


def _versions() -> Iterator[tuple[str, str]]:
    yield "saiten", __version__
    yield "python", sys.version.split()[0]
    yield "platform", platform.platform()
    for package in _PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, "not installed"


def _as_read_back(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON gives them back, so that (1, 2) and [1, 2] are the same setting."""
    try:
        value: dict[str, Any] = json.loads(json.dumps(dict(settings), ensure_ascii=True, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"the settings of a run must be ready for JSON: {error}") from error
    return value


def differences(was: Mapping[str, Any], now: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """`system: was "a", is "b"`, a line a setting; settings within settings by their path."""
    for key in dict.fromkeys([*was, *now]):
        before, after = was.get(key, _ABSENT), now.get(key, _ABSENT)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from differences(before, after, f"{above}{key}.")
        elif before != after:
            yield f"{above}{key}: was {_shown(before)}, is {_shown(after)}"


def _shown(value: Any) -> str:
    return value if value is _ABSENT else json.dumps(value, ensure_ascii=False)
