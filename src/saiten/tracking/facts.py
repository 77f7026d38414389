"""A run's facts as MLflow's parameters and tags, and as files.

Parameters distinguish runs (judge, embedder, votes, data, …); MLflow does not allow changing them. Tags are the rest,
with the prefix `saiten.`: signatures, versions, digests, what is unfinished.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saiten.redaction import redact_settings
from saiten.tracking.figures import Logged
from saiten.tracking.names import bounded, safe_name
from saiten.tracking.run import Tracking

IDENTITY = "saiten.run"

_MOST = 100
"""Maximum number of parameters, and of signatures as tags; `saiten/run.json` contains all."""


def params_of(run: Tracking) -> dict[str, str]:
    """Return the settings, with nested ones by path: `system.name`."""
    found = {_path(keys): bounded(_text(value)) for keys, value in _leaves(run.settings)}
    return dict(list(found.items())[:_MOST])


def tags_of(run: Tracking, data_digest: str, unfinished: str | None) -> dict[str, str]:
    """Return all other facts; `saiten.unfinished` is empty for a complete run."""
    signatures = list(run.signatures.items())[:_MOST]
    return {
        IDENTITY: run.identity,
        "saiten.data_digest": data_digest,
        "saiten.unfinished": bounded(unfinished or ""),
        **{f"saiten.signature.{safe_name(metric)}": bounded(str(made)) for metric, made in signatures},
        **{f"saiten.version.{safe_name(name)}": bounded(str(made)) for name, made in run.versions.items()},
    }


def _leaves(value: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, (*above, str(key)))
        else:
            yield (*above, str(key)), item


def _path(keys: tuple[str, ...]) -> str:
    """Return distinct names for distinct paths: a key with a dot is not a path of two."""
    plain = all(key and "." not in key for key in keys)
    return safe_name(".".join(keys) if plain else json.dumps(keys))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def write_meanings(folder: Path, run: Tracking, figures: Mapping[str, Logged]) -> None:
    """Write `run.json`, how the run was made, and `metrics.json`, the meaning of each of MLflow's keys in saiten."""
    made: dict[str, Any] = {
        "identity": run.identity,
        "name": run.name,
        "begun": run.begun.isoformat() if run.begun else None,
        "settings": dict(run.settings),
        "signatures": {metric: str(made) for metric, made in run.signatures.items()},
        "versions": dict(run.versions),
    }
    _write_json(folder / "run.json", made)
    _write_json(
        folder / "metrics.json",
        {key: {name: part for name, part in asdict(of).items() if part is not None} for key, of in figures.items()},
    )


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(redact_settings(value), ensure_ascii=False, indent=2, default=str) + "\n"
    path.write_bytes(text.encode("utf-8", "backslashreplace"))  # lone surrogates as JSON's escapes
