"""Exporting one run to MLflow: a repeated export updates the same run.

A saiten run is one MLflow run, found again by its identity, which is stored as a tag. MLflow's global state (its
address, active run, autologging) is neither used nor changed.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.errors import BadInput, ConfigurationError
from saiten.tracking.files import TABLE, write_files, write_meanings
from saiten.tracking.run import Tracking
from saiten.tracking.stores import opened_store, quietly
from saiten.tracking.values import IDENTITY, Logged, logged_figures, params_of, tags_of

EXPERIMENT = "saiten"
"""The default experiment."""
_FOLDER = "saiten"
"""The folder of saiten's files among the artifacts."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """The location of an exported run."""

    run_id: str
    """MLflow's id of the run."""
    experiment: str
    experiment_id: str
    store: str
    """The address, without a password."""
    made: bool
    """Whether the run is new in MLflow; otherwise it was updated."""
    figures: int
    """The number of metrics."""
    unfinished: str | None
    """Why the run is incomplete; None if it is complete, as far as its files say."""
    notes: tuple[str, ...] = ()
    """Further notes for the user."""

    @property
    def address(self) -> str | None:
        """The run's page, if a server shows it."""
        if not self.store.startswith(("http://", "https://")):
            return None
        return f"{self.store.rstrip('/')}/#/experiments/{self.experiment_id}/runs/{self.run_id}"


def log_to_mlflow(
    run: Tracking,
    *,
    to: str | None = None,
    experiment: str | None = None,
    name: str | None = None,
    texts: bool = False,
    report: Path | None = None,
) -> Tracked:
    """Create or update the run in MLflow, and return its location.

    Args:
        run: The run to export.
        to: The store: `sqlite:///mlflow.db`, `http://HOST:5000`, …; see `stores.opened_store` for the default.
        experiment: Created if needed. Defaults to MLFLOW_EXPERIMENT_NAME, else `saiten`.
        name: The run's name in MLflow; by default the name of its folder.
        texts: Whether to store samples and details of scores, too; without them no question, answer or context is
            stored, but the judge's reasons are.
        report: A file to store with them.

    Raises:
        ConfigurationError: the extra is not installed, there is no such store, or it refuses.
        BadInput: there is no such report.
    """
    if report is not None and not report.is_file():
        raise BadInput(f"{report} is not a file; create it with `saiten report`")
    wanted = experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
    with quietly(), opened_store(to) as (client, store), tempfile.TemporaryDirectory("-saiten") as temporary:
        experiment_id = _experiment(client, wanted)
        folder = Path(temporary) / _FOLDER
        folder.mkdir()
        written = write_files(run, folder, texts=texts)
        figures, left_out = logged_figures(written.summary)
        write_meanings(folder, run, figures)
        missing = written.missing(run)
        incomplete = f"{missing} of {missing + written.scores} scores are missing" if missing else None
        unfinished = "; ".join(filter(None, (run.stopped, incomplete))) or None
        counts = {"samples": written.samples, "scores": written.scores, "missing": missing, "bad_rows": run.bad_rows}
        figures |= {f"run/{key}": Logged(float(number), key) for key, number in counts.items()}

        there, notes = _found(client, experiment_id, run)
        made = there is None
        if there is None:
            there, notes = _made(client, experiment_id, run, name)
        elif name and there.info.run_name != name:
            client.update_run(there.info.run_id, name=name)
        run_id = there.info.run_id
        _log(client, there, figures, params_of(run), tags_of(run, written.data_digest, unfinished))
        client.log_artifacts(run_id, str(folder), _FOLDER)
        if report is not None:
            client.log_artifact(run_id, str(report), f"{_FOLDER}/report")
        client.set_terminated(run_id, "KILLED" if unfinished else "FINISHED")
        if left_out:
            notes.append(f"{left_out} figures of systems and groups were left out; they are in saiten/summary.md")
        return Tracked(run_id, wanted, experiment_id, store, made, len(figures), unfinished, tuple(notes))


def _experiment(client: Any, name: str) -> str:
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


def _found(client: Any, experiment_id: str, run: Tracking) -> tuple[Any, list[str]]:
    """Return MLflow's run with this identity, if any, and a note on duplicates."""
    found = client.search_runs([experiment_id], f"tags.`{IDENTITY}` = '{run.identity}'", max_results=10)
    if not found:
        return None, []
    first = min(found, key=lambda one: str(one.info.run_id))
    if len(found) == 1:
        return first, []
    return first, [f"MLflow has this run {len(found)} times; {first.info.run_id} was updated"]


def _made(client: Any, experiment_id: str, run: Tracking, name: str | None) -> tuple[Any, list[str]]:
    """Create a run; if another process created one meanwhile, keep only one of them."""
    begun = int(run.begun.timestamp() * 1000) if run.begun is not None else None
    new = client.create_run(experiment_id, start_time=begun, tags={IDENTITY: run.identity}, run_name=name or run.name)
    first, _ = _found(client, experiment_id, run)
    if first is None or first.info.run_id == new.info.run_id:
        return new, []
    client.delete_run(new.info.run_id)
    return first, []


def _log(
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
        marked["mlflow.loggedArtifacts"] = f'[{{"path": "{_FOLDER}/{TABLE}", "type": "table"}}]'
    client.log_batch(
        there.info.run_id,
        metrics,
        [Param(key, value) for key, value in params.items()],
        [RunTag(key, value) for key, value in marked.items()],
    )
