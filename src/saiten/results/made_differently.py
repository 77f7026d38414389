"""Figures of several runs that were made in different ways: by another judge, prompt, tokenizer or version."""

from collections.abc import Sequence

from saiten.runs import RunReader
from saiten.words import Message

_NAMED = 3
"""Maximum number of metrics named per difference."""


def made_differently(readers: Sequence[RunReader]) -> list[Message]:
    """Return one remark per way in which a metric's signatures differ between the runs that have it."""
    made = [reader.manifest for reader in readers]
    found: dict[str, list[str]] = {}
    for metric in dict.fromkeys(metric for each in made for metric in each.signatures):
        how = _differing([each.made_by(metric) for each in made if metric in each.signatures])
        if how:
            found.setdefault(how, []).append(metric)
    return [Message("difference", "made", metrics=_named(metrics), how=how) for how, metrics in found.items()]


def _differing(runs: Sequence[dict[str, str]]) -> str:
    """Return `judge a → b, saiten 0.1 → 0.2`, in the order of the signature."""
    keys = dict.fromkeys(key for parts in runs for key in parts)
    ways = {key: [parts.get(key, "none") for parts in runs] for key in keys}
    return ", ".join(f"{key} {' → '.join(values)}" for key, values in ways.items() if len(set(values)) > 1)


def _named(metrics: Sequence[str]) -> str | Message:
    named, more = ", ".join(metrics[:_NAMED]), len(metrics) - _NAMED
    return Message("difference", "metrics", named=named, n=more) if more > 0 else named
