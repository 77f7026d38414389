"""Exporting one run to MLflow: a repeated export updates the same run.

A saiten run is one MLflow run, found again by its identity, which is stored as a tag. MLflow's global state (its
address, active run, autologging) is neither used nor changed.
"""

import os
import tempfile
from pathlib import Path

from saiten.errors import BadInput
from saiten.tracking.facts import params_of, tags_of, write_meanings
from saiten.tracking.figures import Logged, logged_figures
from saiten.tracking.files import write_files
from saiten.tracking.mlflow_runs import FOLDER, experiment_of, found_run, log_figures, made_run
from saiten.tracking.run import Tracking
from saiten.tracking.stores import opened_store, quietly
from saiten.tracking.tracked import Tracked


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
    wanted = experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME") or "saiten"
    with quietly(), opened_store(to) as (client, store), tempfile.TemporaryDirectory("-saiten") as temporary:
        experiment_id = experiment_of(client, wanted)
        folder = Path(temporary) / FOLDER
        folder.mkdir()
        written = write_files(run, folder, texts=texts)
        figures, left_out = logged_figures(written.summary)
        write_meanings(folder, run, figures)
        missing = written.missing(run)
        incomplete = f"{missing} of {missing + written.scores} scores are missing" if missing else None
        unfinished = "; ".join(filter(None, (run.stopped, incomplete))) or None
        counts = {"samples": written.samples, "scores": written.scores, "missing": missing, "bad_rows": run.bad_rows}
        figures |= {f"run/{key}": Logged(float(number), key) for key, number in counts.items()}

        there, notes = found_run(client, experiment_id, run)
        made = there is None
        if there is None:
            there = made_run(client, experiment_id, run, name)
        elif name and there.info.run_name != name:
            client.update_run(there.info.run_id, name=name)
        run_id = there.info.run_id
        log_figures(client, there, figures, params_of(run), tags_of(run, written.data_digest, unfinished))
        client.log_artifacts(run_id, str(folder), FOLDER)
        if report is not None:
            client.log_artifact(run_id, str(report), f"{FOLDER}/report")
        client.set_terminated(run_id, "KILLED" if unfinished else "FINISHED")
        if left_out:
            notes.append(f"{left_out} figures of systems and groups were left out; they are in saiten/summary.md")
        return Tracked(run_id, wanted, experiment_id, store, made, len(figures), unfinished, tuple(notes))
