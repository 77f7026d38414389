"""How a run was made, as MLflow's parameters and tags: short texts under names of their own.

Parameters are what runs are told apart by (judge, embedder, votes, data, …); MLflow lets none be changed. Tags are the
rest, under `saiten.`: signatures, versions, digests, what is not finished.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from saiten.redaction import redact
from saiten.tracking.names import safe_name
from saiten.tracking.run import Tracking
from saiten.views.strip_controls import strip_controls

IDENTITY = "saiten.run"
UNFINISHED = "saiten.unfinished"

_LONGEST = 500
"""Characters of a value, as older servers take them; the whole stands in `saiten/run.json`."""
_MOST = 100
"""Parameters, and signatures as tags; the whole stands there too."""


def params_of(run: Tracking) -> dict[str, str]:
    """The settings, those within settings by their path: `system.name`."""
    found = {_path(keys): bounded(_text(value)) for keys, value in _leaves(run.settings)}
    return dict(list(found.items())[:_MOST])


def tags_of(run: Tracking, data_digest: str, unfinished: str | None) -> dict[str, str]:
    """Everything else; `saiten.unfinished` is empty for a run that is whole."""
    signatures = list(run.signatures.items())[:_MOST]
    return {
        IDENTITY: run.identity,
        "saiten.data_digest": data_digest,
        UNFINISHED: bounded(unfinished or ""),
        **{f"saiten.signature.{safe_name(metric)}": bounded(str(made)) for metric, made in signatures},
        **{f"saiten.version.{safe_name(name)}": bounded(str(made)) for name, made in run.versions.items()},
    }


def bounded(text: str) -> str:
    """The text, or its beginning and a digest of the whole, so that two that differ still do; presentable."""
    text = redact(strip_controls(text).encode("utf-8", "backslashreplace").decode())
    if len(text) <= _LONGEST:
        return text
    mark = f" … ({sha256(text.encode()).hexdigest()[:16]})"
    return text[: _LONGEST - len(mark)] + mark


def _leaves(value: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, (*above, str(key)))
        else:
            yield (*above, str(key)), item


def _path(keys: tuple[str, ...]) -> str:
    """Distinct paths are distinct names: a key with a dot in it is not a path of two."""
    plain = all(key and "." not in key for key in keys)
    return safe_name(".".join(keys) if plain else json.dumps(keys))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
