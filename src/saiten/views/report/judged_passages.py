"""The judge's decisions on passages of the contexts, as far as a metric's details name them."""

from collections.abc import Mapping, Sequence
from typing import Any

from saiten.metrics.naming import settings_of

_VERIFIED = ("faithfulness", "context_recall")
"""Metrics whose statements the judge compared with the contexts."""


def judged_passages(metric: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions that a score's details have; empty if there are none.

    `useful`: number of a context, from 1, and whether it was found useful · `needed`: number of a context and a
    sentence of it that was found necessary · `verified`: the statements were compared with the contexts, but the judge
    was not asked which of them supports a statement.
    """
    verdicts, sentences = (_mappings(details.get(name)) for name in ("verdicts", "sentences"))
    found = {
        "useful": [[each["context"], each["useful"]] for each in verdicts if {"context", "useful"} <= each.keys()],
        "needed": [[each["context"], str(each.get("text"))] for each in sentences if each.get("needed") is True],
        "verified": bool(verdicts) and any(settings_of(metric, title) is not None for title in _VERIFIED),
    }
    return {name: value for name, value in found.items() if value}


def _mappings(found: Any) -> Sequence[Mapping[str, Any]]:
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
