"""Scores as MLflow's feedback: a value, or an error that names the status."""

import json
from collections.abc import Mapping
from typing import Any

from mlflow.entities import AssessmentError, AssessmentSource, Feedback

from saiten.errors import BudgetSpent, SaitenError
from saiten.protocols import Metric
from saiten.records import FREE, Score, Usage
from saiten.redaction import redact
from saiten.tracking.names import safe_name
from saiten.version import __version__

_LONGEST = 4000
"""Maximum characters of the details in a feedback."""
_LONGEST_NAME = 250
"""Maximum characters of a judge's name in MLflow's databases."""
_MODEL_COST = "mlflow.assessment.judgeCost"
_MODEL_TOKENS = ("mlflow.assessment.judgeInputTokens", "mlflow.assessment.judgeOutputTokens")
"""MLflow's own keys, which older versions do not know; its cost is in US dollars."""
_FRAMEWORK = "mlflow.scorer.framework"


def source_of(metric: Metric, judge: str) -> AssessmentSource:
    """Return who judged: a model, or code."""
    if metric.tasks and judge != "offline":
        return AssessmentSource("LLM_JUDGE", redact(judge)[:_LONGEST_NAME])
    return AssessmentSource("CODE", "saiten offline judge" if metric.tasks else "saiten")


def feedback_of(score: Score, metric: Metric, source: AssessmentSource, facts: Mapping[str, str]) -> Feedback:
    """Return the feedback: the value with its reason, or an error whose code is the status."""
    error = None
    if score.value is None:
        error = AssessmentError(score.status, score.reason or "there is no value", score.details.get("traceback"))
    return Feedback(
        name=safe_name(metric.name),
        value=score.value,
        error=error,
        rationale=score.reason,
        source=source,
        metadata={**_metadata(metric, score.status), **facts, **_details(score)},
    )


def error_of(error: SaitenError, metric: Metric, source: AssessmentSource) -> Feedback:
    """Return the feedback for an error that concerns all rows, or all that are still to be paid for."""
    status = "budget_spent" if isinstance(error, BudgetSpent) else "configuration"
    return unscored(status, str(error), metric, source)


def unscored(status: str, reason: str, metric: Metric, source: AssessmentSource) -> Feedback:
    """Return the feedback for a row without a score."""
    return Feedback(
        name=safe_name(metric.name),
        error=AssessmentError(status, reason),
        rationale=reason,
        source=source,
        metadata=_metadata(metric, status),
    )


def cost_facts(usage: Usage, currency: str) -> dict[str, str]:
    """Return what the score cost; empty for a score without calls."""
    if usage == FREE:
        return {}
    facts = {"saiten.calls": str(usage.calls), "saiten.reused": str(usage.reused)}
    facts |= dict(zip(_MODEL_TOKENS, map(str, (usage.prompt_tokens, usage.completion_tokens)), strict=True))
    if usage.known_cost is not None:
        facts["saiten.cost"] = f"{usage.known_cost:.6g} {currency}"
        if currency == "USD":
            facts[_MODEL_COST] = f"{usage.known_cost:.6g}"
    if usage.unpriced:
        facts["saiten.unpriced"] = str(usage.unpriced)
    return facts


def _metadata(metric: Metric, status: str) -> dict[str, str]:
    return {
        _FRAMEWORK: "saiten",
        "saiten.metric": metric.name,
        "saiten.status": status,
        "saiten.version": __version__,
    }


def _details(score: Score) -> dict[str, str]:
    """Return what a reviewer needs besides the value, as far as it is short."""
    found: dict[str, Any] = {"expected": score.expected, "votes": score.votes or None, "details": score.details or None}
    texts = {
        f"saiten.{name}": json.dumps(value, ensure_ascii=False, default=str)
        for name, value in found.items()
        if value is not None
    }
    return {name: text for name, text in texts.items() if len(text) <= _LONGEST}
