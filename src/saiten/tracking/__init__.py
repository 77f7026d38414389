"""Runs into MLflow: the figures, how they were made, and the scores, in a store of the user's own."""

from saiten.tracking.export import Tracked, log_to_mlflow
from saiten.tracking.run import Tracking, run_on_disk

__all__ = ["Tracked", "Tracking", "log_to_mlflow", "run_on_disk"]
