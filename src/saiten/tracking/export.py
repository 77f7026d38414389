"""One run into MLflow: once, however often it is asked for; what changed since is brought up to date.

A run of ours is one run of MLflow's: it is found again by its identity, which stands there as a tag. MLflow's global
state (its address, its active run, its autologging) is neither used nor changed.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.errors import BadInput, ConfigurationError
from saiten.tracking.facts import IDENTITY, params_of, tags_of
from saiten.tracking.figures import Logged, logged_figures
from saiten.tracking.files import TABLE, write_files, write_meanings
from saiten.tracking.quietly import quietly
from saiten.tracking.run import Tracking
from saiten.tracking.stores import opened_store

EXPERIMENT = "saiten"
"""Where nothing else is said."""
_FOLDER = "saiten"
"""Of our files among the artifacts."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """Where a run is now."""

    run_id: str
    """MLflow's."""
    experiment: str
    experiment_id: str
    store: str
    """The address, without a password."""
    made: bool
    """Whether it is new there; else it was brought up to date."""
    figures: int
    """How many metrics it has."""
    unfinished: str | None
    """Why the run is not whole; None if it is, as far as its files say."""
    notes: tuple[str, ...] = ()
    """What else must be said."""

    @property
    def address(self) -> str | None:
        """The run's page, where a server shows it."""
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
    """Where the run is in MLflow, made or brought up to date.

    Args:
        run: What is tracked.
        to: The store: `sqlite:///mlflow.db`, `http://HOST:5000`, …; see `stores.opened_store` for the default.
        experiment: Made if it is not there. By default that of MLFLOW_EXPERIMENT_NAME, else `saiten`.
        name: Of the run there; by default the name of its folder.
        texts: Keep the samples and the details of the scores there too; without them no question, answer or context
            goes there, but the reasons of the judge do.
        report: A file to keep beside them.

    Raises:
        ConfigurationError: the extra is not installed, there is no such store, or it refuses.
        BadInput: there is no such report.
    """
    if report is not None and not report.is_file():
        raise BadInput(f"{report} is no file; `saiten report` makes one")
    wanted = experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
    with quietly(), opened_store(to) as (client, store), tempfile.TemporaryDirectory("-saiten") as temporary:
        experiment_id = _experiment(client, wanted)
        folder = Path(temporary) / _FOLDER
        folder.mkdir()
        written = write_files(run, folder, texts=texts)
        figures, left_out = logged_figures(written.summary)
        write_meanings(folder, run, figures)
        missing = written.missing(run)
        told = f"{missing} of {missing + written.scores} scores are missing" if missing else None
        unfinished = "; ".join(filter(None, (run.stopped, told))) or None
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
            notes.append(f"{left_out} figures of systems and groups were left out; they stand in saiten/summary.md")
        return Tracked(run_id, wanted, experiment_id, store, made, len(figures), unfinished, tuple(notes))


def _experiment(client: Any, name: str) -> str:
    """Its id; made if it is not there."""
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
    """MLflow's run of this identity, if there is one, and what is odd about it."""
    found = client.search_runs([experiment_id], f"tags.`{IDENTITY}` = '{run.identity}'", max_results=10)
    if not found:
        return None, []
    first = min(found, key=lambda one: str(one.info.run_id))
    if len(found) == 1:
        return first, []
    return first, [f"MLflow has this run {len(found)} times; {first.info.run_id} was brought up to date"]


def _made(client: Any, experiment_id: str, run: Tracking, name: str | None) -> tuple[Any, list[str]]:
    """A new run; where another process made one meanwhile, one of the two is left."""
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
    """What is not there yet: the same figure again would be drawn as a curve, and a parameter is set once."""
    from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415 - optional package

    before = there.data.metrics
    names = {key.rpartition("/")[2] for key in figures}
    gone = [key for key in before if key not in figures and key.rpartition("/")[2] in names]
    if gone:
        raise ConfigurationError(
            f"MLflow's run {there.info.run_id} has {len(gone)} figures that the run no longer has ({gone[0]}, …), and "
            "MLflow cannot take a figure back; delete it there, and track the run again"
        )
    now = time.time_ns() // 1_000_000
    metrics = [Metric(key, one.value, now, 0) for key, one in figures.items() if before.get(key) != one.value]
    params = {key: value for key, value in params.items() if key not in there.data.params}
    marked = dict(tags)
    if "mlflow.loggedArtifacts" not in there.data.tags:  # by this MLflow's page finds the table
        marked["mlflow.loggedArtifacts"] = f'[{{"path": "{_FOLDER}/{TABLE}", "type": "table"}}]'
    client.log_batch(
        there.info.run_id,
        metrics,
        [Param(key, value) for key, value in params.items()],
        [RunTag(key, value) for key, value in marked.items()],
    )
