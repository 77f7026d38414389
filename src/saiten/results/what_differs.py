"""How runs differ in more than the system."""

from collections.abc import Sequence
from typing import get_args

from saiten.choices import Questioning
from saiten.dialogue.reading import has_dialogues
from saiten.results.pair_keys import pair_keys
from saiten.results.place import place_of
from saiten.runs import RunReader
from saiten.words import Message, joined

_NAMED = 3
"""Maximum number of metrics named per difference."""

CONDUCTED = ("max_turns", "judge", "votes", "evidence_from")
"""Settings of dialogues whose figures depend on them."""

_UNRECORDED = "–"
"""The value of a setting in runs of versions that did not have it."""

_DEFAULTS = {"last_grade": "replaces"}
"""Settings of dialogues that are recorded only if they differ from these."""


def what_differs(readers: Sequence[RunReader]) -> list[Message]:
    """Return how figures differ in more than the system: how they were made, how dialogues were conducted."""
    if not all(map(has_dialogues, readers)):
        return made_differently(readers)
    found = []
    for name in (*CONDUCTED, *_DEFAULTS):
        values = [reader.manifest.settings.get(name, _DEFAULTS.get(name, _UNRECORDED)) for reader in readers]
        if any(value != values[0] for value in values):
            found.append(Message("difference", "setting", setting=name, values=", ".join(map(str, values))))
    found += _asked_differently(readers)
    pairs = [{pair.id: pair for pair in reader.samples()} for reader in readers]
    keys = pair_keys([{identity: place_of(pair) for identity, pair in of.items()} for of in pairs]).of
    first = {keys[0][identity]: pair for identity, pair in pairs[0].items()}
    shared = [
        (first[by[identity]], pair)
        for of, by in zip(pairs[1:], keys[1:], strict=True)
        for identity, pair in of.items()
        if by[identity] in first
    ]
    if changed := len({one.id for one, other in shared if one.references != other.references}):
        found.append(Message("difference", "references", n=changed))
    if changed := len({one.id for one, other in shared if one.group != other.group}):
        found.append(Message("difference", "groups", n=changed))
    return found


def _asked_differently(readers: Sequence[RunReader]) -> list[Message]:
    """Return how questions came about differently, among the runs that ask more than the first one."""
    settings = [reader.manifest.settings for reader in readers]
    ways = [each.get("questioning", _UNRECORDED) for each in settings if each.get("max_turns") != 1]
    if len(set(ways)) < 2:
        return []
    words = [Message("questioning", way) if way in get_args(Questioning) else way for way in ways]
    return [Message("difference", "questioning", values=joined(words, by="listed"))]


def made_differently(readers: Sequence[RunReader]) -> list[Message]:
    """Return how the runs' figures were made differently: by another judge, prompt, tokenizer or version."""
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
