"""A metric as a scorer of MLflow. Only imported once MLflow is known to be there."""

from typing import Any

from mlflow.entities import Feedback
from mlflow.exceptions import MlflowException
from mlflow.genai.scorers import Scorer
from pydantic import PrivateAttr

from saiten.data import BadRow
from saiten.errors import SaitenError
from saiten.mlflow.feedback import cost_facts, error_of, feedback_of, source_of, unscored
from saiten.mlflow.row_reader import RowReader
from saiten.mlflow.shared_scoring import SharedScoring
from saiten.protocols import Metric
from saiten.tracking.names import safe_name


class SaitenScorer(Scorer):  # type: ignore[misc]  # MLflow has no types
    """A metric of saiten; make it with `saiten.mlflow.scorer` or `scorers`.

    Its name is the metric's, as far as MLflow allows; its description is the signature.
    """

    _metric: Metric = PrivateAttr()
    _scoring: SharedScoring = PrivateAttr()
    _rows: RowReader = PrivateAttr()

    def __init__(self, metric: Metric, scoring: SharedScoring, rows: RowReader) -> None:
        # The judge's requests have time limits of their own; MLflow's would throw away replies that are paid for.
        unlimited = {"timeout": 0} if "timeout" in type(self).model_fields else {}  # not in MLflow 3.10
        super().__init__(name=safe_name(metric.name), description=scoring.signature(metric), **unlimited)
        self._metric, self._scoring, self._rows = metric, scoring, rows

    def __call__(
        self,
        *,
        inputs: Any = None,
        outputs: Any = None,
        expectations: dict[str, Any] | None = None,
        trace: Any = None,
    ) -> Feedback:
        """Return the feedback for one row: a value, or an error with the status as its code; nothing is raised."""
        metric, source = self._metric, source_of(self._metric, self._scoring.judge)
        row = self._rows.read(inputs, outputs, expectations, trace)
        if isinstance(row, BadRow):
            return unscored("bad_row", row.reason, metric, source)
        try:
            score, signature = self._scoring.score(row, metric)
        except SaitenError as error:
            return error_of(error, metric, source)
        facts = {"saiten.signature": signature, **cost_facts(score.usage, self._scoring.currency)}
        return feedback_of(score, metric, source, facts)

    def register(self, **_: Any) -> Any:
        """Raise MlflowException: MLflow loads registered scorers only from its own modules."""
        raise self._unsupported("registered")

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Raise MlflowException: a judge with its connections cannot be stored."""
        raise self._unsupported("serialized")

    def _unsupported(self, what: str) -> MlflowException:
        return MlflowException.invalid_parameter_value(
            f"{self.name!r} is a scorer of saiten, which cannot be {what}: MLflow loads stored scorers only from its "
            "own modules. Pass it to mlflow.genai.evaluate, or score stored traces with it there."
        )
