"""The metrics, the judge and the settings that a call of the Python API chooses; the rest comes from `saiten.toml`."""

import inspect
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from saiten.api.keywords import Keywords
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import distinct, make_metrics
from saiten.metrics.own import code_named
from saiten.options import Config, options_of
from saiten.protocols import Judge, Metric
from saiten.settings import JudgeSettings, MetricSettings
from saiten.wiring import Models, assemble_judge
from saiten.wiring.named_servers import servers_named

_LOG = logging.getLogger(__name__)


def check_keywords(settings: Mapping[str, Any], function: Callable[..., Any], name: str) -> None:
    """Raise TypeError, as Python does, for a keyword that neither the function nor `Keywords` has."""
    known = [*Keywords.__annotations__, *inspect.signature(function).parameters]
    for given in settings:
        if given not in known:
            near = get_close_matches(given, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{name}() got an unexpected keyword argument {given!r}{hint}")


def chosen_judge(judge: str | Judge | None, settings: Mapping[str, Any], file: Config) -> JudgeSettings | Judge:
    """Return the settings of a judge chosen by name, or the caller's own judge.

    Raises:
        ConfigurationError: settings are given for the caller's own judge, or as the judge.
    """
    if judge is not None and not isinstance(judge, str):
        if isinstance(judge, JudgeSettings):
            raise ConfigurationError(
                "judge is a name or a judge of your own; its settings are keywords, as in "
                'judge="openai:gpt-4o-mini", votes=3'
            )
        if needless := [name for name in options_of(JudgeSettings) if name in settings]:
            raise ConfigurationError(f"{needless[0]} is for a judge chosen by its name, not for one of your own")
        return judge
    for sentence in servers_named(file, {"judge": judge, "embedder": settings.get("embedder")}, os.environ):
        _LOG.warning(sentence)
    return file.settings(JudgeSettings, {**settings, "judge": judge})


def assembled_judge(judge: JudgeSettings | Judge, models: Models) -> Judge:
    """Return the judge with these settings, or the caller's own judge as it is."""
    return assemble_judge(judge, models=models) if isinstance(judge, JudgeSettings) else judge


def chosen_metrics(
    metrics: str | Sequence[str | Metric] | None, file: Config, compat: str | None
) -> tuple[Metric, ...]:
    """Return the metrics, each once; those of the file if None are named.

    Raises:
        ConfigurationError: none is named, or a name is unknown.
    """
    if metrics is None:
        metrics = file.settings(MetricSettings).metrics
        for sentence in code_named(file, None):
            _LOG.warning(sentence)
    if not metrics:
        raise ConfigurationError(
            'name a metric, for example metrics=["faithfulness"], or metrics=["overlap"] for all that need no judge'
        )
    if isinstance(metrics, str):
        metrics = [metrics]
    made: list[Metric] = []
    for metric in metrics:
        made += make_metrics([metric], compat=compat) if isinstance(metric, str) else [metric]
    return distinct(made)
