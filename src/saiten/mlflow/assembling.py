"""The scorers of one call: metrics, a judge and settings, chosen as by `saiten.evaluate`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saiten.api.choosing import check_keywords, chosen_judge, chosen_metrics
from saiten.config_file import read_config
from saiten.errors import ConfigurationError
from saiten.mlflow import scorers
from saiten.mlflow.row_reader import RowReader
from saiten.mlflow.saiten_scorer import SaitenScorer
from saiten.mlflow.shared_scoring import SharedScoring
from saiten.protocols import Judge, Metric
from saiten.records import Language
from saiten.settings import CallSettings, DataSettings

KEPT_IN = Path(".saiten")
"""The folder of the cache, in the current one, unless a cache is named."""


def assembled_scorers(
    metrics: str | Sequence[str | Metric] | None,
    judge: str | Judge | None,
    *,
    columns: Mapping[str, str],
    language: Language | None,
    config: Path | str | None,
    compat: str | None,
    settings: Mapping[str, Any],
) -> list[SaitenScorer]:
    """Return one scorer per metric; see `saiten.mlflow.scorers`."""
    check_keywords(settings, scorers, "scorers")
    file = read_config(None if config is None else Path(config))
    chosen = chosen_metrics(metrics, file, compat)
    calls = file.settings(CallSettings, settings)
    if calls.batched:
        raise ConfigurationError(
            "MLflow waits for each score, and replies to a batch come hours later; leave out batch, or use "
            "saiten.evaluate(…, batch=True) and track its result"
        )
    rows = RowReader(columns, file.settings(DataSettings, {"language": language}).language)
    scoring = SharedScoring(chosen, chosen_judge(judge, settings, file), calls.kept_in(KEPT_IN))
    return [SaitenScorer(metric, scoring, rows) for metric in chosen]
