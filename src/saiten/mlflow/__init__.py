"""saiten's metrics as scorers of `mlflow.genai.evaluate`.

    from saiten.mlflow import scorers

    mlflow.genai.evaluate(data=rows, scorers=scorers(["faithfulness", "token_f1"], judge="openai:gpt-4o-mini"))

Nothing of MLflow is loaded before one of the two functions is called.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from saiten.api.keywords import Keywords, with_keywords
from saiten.errors import ConfigurationError
from saiten.records import Language

if TYPE_CHECKING:
    from saiten.mlflow.saiten_scorer import SaitenScorer
    from saiten.protocols import Judge, Metric

__all__ = ["scorer", "scorers"]

_NEEDED = {
    "mlflow.genai.scorers": ("Scorer",),
    "mlflow.entities": ("AssessmentError", "AssessmentSource", "Feedback"),
}
"""What a scorer is made of."""


@with_keywords
def scorer(
    metric: "str | Metric",
    judge: "str | Judge | None" = None,
    *,
    columns: Mapping[str, str] | None = None,
    language: Language | None = None,
    config: Path | str | None = None,
    compat: str | None = None,
    **settings: Unpack[Keywords],
) -> "SaitenScorer":
    """Return one metric as a scorer; the arguments are those of `scorers`.

    Raises:
        ConfigurationError: as `scorers`; or the name means several figures.
    """
    made = scorers([metric], judge, columns=columns, language=language, config=config, compat=compat, **settings)
    if len(made) != 1:
        names = ", ".join(each.name for each in made)
        raise ConfigurationError(f"{metric!r} is several figures: {names}; pass it to scorers, which returns a list")
    return made[0]


@with_keywords
def scorers(
    metrics: "str | Sequence[str | Metric] | None" = None,
    judge: "str | Judge | None" = None,
    *,
    columns: Mapping[str, str] | None = None,
    language: Language | None = None,
    config: Path | str | None = None,
    compat: str | None = None,
    **settings: Unpack[Keywords],
) -> "list[SaitenScorer]":
    """Return one scorer per metric; they share a judge, a cache, a budget and the steps of each row.

    The first scorer that gets a row starts all metrics of the list, which are asked for as `saiten.evaluate` does.

    Args:
        metrics: Names with settings in brackets, presets, or your own metrics; by default those of `saiten.toml`.
        judge: As for `saiten.evaluate`: `offline`, `PROVIDER:MODEL`, `PROVIDER:MODEL@URL`, …, or your own judge (which
            is called in another thread, and not closed).
        columns: Field → place in the row, for names that are not recognized: `{"question": "inputs.prompt"}`.
        language: The language of all rows; detected by default.
        config: A file to read instead of `saiten.toml`.
        compat: `ragas`: the edge cases of RAGAS 0.4.3.
        settings: The keywords of `saiten.evaluate`: `embedder`, `votes`, `max_cost`, `concurrency`, `cache` and so on.
            Replies are kept in `.saiten/answers.sqlite` unless `cache` names another place or `no_cache=True`.

    Raises:
        ConfigurationError: The extra `mlflow` is not installed, MLflow is too old, or a metric, a setting, a key or a
            price is missing or wrong.
    """
    _check_mlflow()
    assemble = import_module("saiten.mlflow.assembling").assembled_scorers
    named = {"columns": columns or {}, "language": language, "config": config, "compat": compat}
    made: list[SaitenScorer] = assemble(metrics, judge, settings=settings, **named)
    return made


def _check_mlflow() -> None:
    """Raise ConfigurationError unless MLflow has what a scorer is made of."""
    from saiten.models.networks import require  # noqa: PLC0415 - loaded with the first scorer

    require("a scorer for MLflow", "mlflow", "mlflow", "pandas")
    try:
        lacking = [
            f"there is no {place}.{name}"
            for place, names in _NEEDED.items()
            for name in names
            if not hasattr(import_module(place), name)
        ]
    except Exception as error:  # noqa: BLE001 - an incompatible package
        lacking = [str(error)]
    if lacking:
        version = getattr(import_module("mlflow"), "__version__", "of unknown version")
        raise ConfigurationError(
            f"a scorer for MLflow needs mlflow.genai of MLflow 3.10 or newer; MLflow {version} is installed, and "
            f'{lacking[0]}; install with: pip install --upgrade "saiten[mlflow]"'
        )
