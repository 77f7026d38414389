"""Files that say how a run was made, and what MLflow's keys mean."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saiten.redaction import redact_settings
from saiten.tracking.figures import Logged
from saiten.tracking.run import Tracking


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
