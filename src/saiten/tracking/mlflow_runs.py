"""Runs in MLflow's own terms: found or created once, and updated only with what is new."""

import time
from collections.abc import Mapping
from typing import Any

from saiten.errors import ConfigurationError
from saiten.tracking.facts import IDENTITY
from saiten.tracking.figures import Logged
from saiten.tracking.files import TABLE
from saiten.tracking.run import Tracking

FOLDER = "saiten"
"""The folder of saiten's files among the artifacts."""


def experiment_of(client: Any, name: str) -> str:
    """Return the experiment's id; create it if needed."""
    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            return str(client.create_experiment(name))
        except Exception:
            found = client.get_experiment_by_name(name)  # another process was faster
            if found is None:
                raise
    if found.lifecycle_stage != "active":
        raise ConfigurationError(f"the experiment {name!r} was deleted in MLflow; restore it there, or name another")
    return str(found.experiment_id)


def found_run(client: Any, experiment_id: str, run: Tracking) -> tuple[Any, list[str]]:
    """Return MLflow's run with this identity, if any, and a note on duplicates."""
    found = client.search_runs([experiment_id], f"tags.`{IDENTITY}` = '{run.identity}'", max_results=10)
    if not found:
        return None, []
    first = min(found, key=lambda one: str(one.info.run_id))
    if len(found) == 1:
        return first, []
    return first, [f"MLflow has this run {len(found)} times; {first.info.run_id} was updated"]


def made_run(client: Any, experiment_id: str, run: Tracking, name: str | None) -> Any:
    """Create a run; if another process created one meanwhile, keep only one of them."""
    begun = int(run.begun.timestamp() * 1000) if run.begun is not None else None
    new = client.create_run(experiment_id, start_time=begun, tags={IDENTITY: run.identity}, run_name=name or run.name)
    first, _ = found_run(client, experiment_id, run)
    if first is None or first.info.run_id == new.info.run_id:
        return new
    client.delete_run(new.info.run_id)
    return first


def log_figures(
    client: Any, there: Any, figures: Mapping[str, Logged], params: Mapping[str, str], tags: Mapping[str, str]
) -> None:
    """Log only what is new: repeated figures would be drawn as a curve, and parameters can be set only once."""
    from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415 - optional package

    before = there.data.metrics
    names = {key.rpartition("/")[2] for key in figures}
    gone = [key for key in before if key not in figures and key.rpartition("/")[2] in names]
    if gone:
        raise ConfigurationError(
            f"MLflow's run {there.info.run_id} has {len(gone)} figures that the run no longer has ({gone[0]}, …), and "
            "MLflow cannot remove a figure; delete the run there, and track it again"
        )
    now = time.time_ns() // 1_000_000
    metrics = [Metric(key, one.value, now, 0) for key, one in figures.items() if before.get(key) != one.value]
    params = {key: value for key, value in params.items() if key not in there.data.params}
    marked = dict(tags)
    if "mlflow.loggedArtifacts" not in there.data.tags:  # lets MLflow's page find the table
        marked["mlflow.loggedArtifacts"] = f'[{{"path": "{FOLDER}/{TABLE}", "type": "table"}}]'
    client.log_batch(
        there.info.run_id,
        metrics,
        [Param(key, value) for key, value in params.items()],
        [RunTag(key, value) for key, value in marked.items()],
    )
