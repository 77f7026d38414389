"""The location of a run that was exported to MLflow."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tracked:
    """The location of an exported run."""

    run_id: str
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

    @property
    def address(self) -> str | None:
        """The run's page, if a server shows it."""
        if not self.store.startswith(("http://", "https://")):
            return None
        return f"{self.store.rstrip('/')}/#/experiments/{self.experiment_id}/runs/{self.run_id}"
