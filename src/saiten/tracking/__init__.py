"""Exporting runs to MLflow: figures, how they were made, and scores, in the user's own store."""

from saiten.tracking.export import log_to_mlflow
from saiten.tracking.run import Tracking, run_on_disk
from saiten.tracking.tracked import Tracked

__all__ = ["Tracked", "Tracking", "log_to_mlflow", "run_on_disk"]
