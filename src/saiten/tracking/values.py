"""A run as MLflow's metrics, parameters and tags: numbers and short texts by name.

Metrics: `METRIC/mean`, `/low` and `/high` (the ends of the 95 % interval), `/n`, `/questions`, `/of`, and the number of
scores per status; the same with the prefixes `system/NAME/` and `group/NAME/`; `usage/…` is the run's cost. Missing
values have no key, rather than MLflow's NaN. Parameters distinguish runs (judge, embedder, votes, data, …); MLflow
does not allow changing them. Tags are the rest, with the prefix `saiten.`: signatures, versions, digests, what is
unfinished.

MLflow allows letters, digits, `_ - . / :` and spaces (no colon on Windows), up to 250 of them, and reads a slash as a
section. Names are changed as little as possible, and independently of each other, so that the same metric of two runs
stays the same; different names stay different.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from typing import Any

from saiten.records import STATUSES
from saiten.redaction import redact
from saiten.results.figure import Figure
from saiten.results.summary import Summary
from saiten.tracking.run import Tracking
from saiten.views.strip_controls import strip_controls

IDENTITY = "saiten.run"

_LONGEST = 500
"""Maximum characters of a value on older servers; `saiten/run.json` contains the whole value."""
_MOST = 100
"""Maximum number of parameters, and of signatures as tags; `saiten/run.json` contains all."""
MOST_BROKEN_DOWN = 2000
"""Maximum number of keys for systems and groups; the summary that is stored as well has the rest."""

_WORD = r"[-.]*\w[-.\w]*"
_PLAIN = re.compile(rf"({_WORD})(?:\[({_WORD}(?:[=,]{_WORD})*)\])?")
"""Names that can be written readably and reversibly: a name, and settings in brackets, without quotation marks."""
_DIGEST = "sha"
"""The prefix of the digest in other names; a plain name has no setting with this name."""
_LONGEST_NAME = 100
"""Maximum characters of a name, since a key contains a system's and a metric's name, and that of the figure."""
_KEPT = 60
"""Characters kept of other names."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A number with its meaning."""

    value: float
    figure: str
    """`mean`, `low`, `high`, `n`, `questions`, `of`, a status, or a part of the usage."""
    metric: str | None = None
    """The name in saiten; None if it belongs to no metric."""
    system: str | None = None
    group: str | None = None


def logged_figures(summary: Summary) -> tuple[dict[str, Logged], int]:
    """Return the figures by MLflow's key, and how many keys of systems and groups were left out."""
    found: dict[str, Logged] = {}
    apart: dict[str, Logged] = {}
    for figure in summary.figures:
        (found if figure.overall else apart).update(_of_figure(figure))
    found |= {f"usage/{name}": Logged(float(value), name) for name, value in asdict(summary.usage).items()}
    kept = dict(list(apart.items())[:MOST_BROKEN_DOWN])
    return found | kept, len(apart) - len(kept)


def _of_figure(figure: Figure) -> dict[str, Logged]:
    place = "".join(
        f"{kind}/{safe_name(name)}/"
        for kind, name in (("system", figure.system), ("group", figure.group))
        if name is not None
    )
    key = f"{place}{safe_name(figure.metric)}"
    return {
        f"{key}/{name}": Logged(float(value), name, figure.metric, figure.system, figure.group)
        for name, value in _numbers(figure)
        if value is not None
    }


def _numbers(figure: Figure) -> Iterator[tuple[str, float | None]]:
    yield from (("mean", figure.mean), ("low", figure.low), ("high", figure.high), ("n", figure.n))
    if figure.overall:
        yield from (("questions", figure.questions), ("of", figure.total))
        yield from ((status, figure.coverage.get(status, 0)) for status in STATUSES)


def params_of(run: Tracking) -> dict[str, str]:
    """Return the settings, with nested ones by path: `system.name`."""
    found = {_path(keys): bounded(_text(value)) for keys, value in _leaves(run.settings)}
    return dict(list(found.items())[:_MOST])


def tags_of(run: Tracking, data_digest: str, unfinished: str | None) -> dict[str, str]:
    """Return all other facts; `saiten.unfinished` is empty for a complete run."""
    signatures = list(run.signatures.items())[:_MOST]
    return {
        IDENTITY: run.identity,
        "saiten.data_digest": data_digest,
        "saiten.unfinished": bounded(unfinished or ""),
        **{f"saiten.signature.{safe_name(metric)}": bounded(str(made)) for metric, made in signatures},
        **{f"saiten.version.{safe_name(name)}": bounded(str(made)) for name, made in run.versions.items()},
    }


def bounded(text: str) -> str:
    """Return the redacted text, or its beginning and a digest of the whole, so that different texts stay different."""
    text = redact(strip_controls(text).encode("utf-8", "backslashreplace").decode())
    if len(text) <= _LONGEST:
        return text
    mark = f" … ({sha256(text.encode()).hexdigest()[:16]})"
    return text[: _LONGEST - len(mark)] + mark


def _leaves(value: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, (*above, str(key)))
        else:
            yield (*above, str(key)), item


def _path(keys: tuple[str, ...]) -> str:
    """Return distinct names for distinct paths: a key with a dot is not a path of two."""
    plain = all(key and "." not in key for key in keys)
    return safe_name(".".join(keys) if plain else json.dumps(keys))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def safe_name(name: str) -> str:
    """Convert a name for MLflow: `correctness[evidence=reference,k=5]` → `correctness - evidence reference - k 5`.

    Any other name (with slashes, quotation marks, spaces, or too long) keeps the allowed characters and gets a digest:
    `a/b` → `a_b - sha 5c9a3f0b21de`.
    """
    found = _PLAIN.fullmatch(name)
    if found is not None and not (found[2] or "").startswith(f"{_DIGEST}="):
        title, inside = found.groups()
        readable = title if inside is None else f"{title} - {inside.replace('=', ' ').replace(',', ' - ')}"
        if len(readable) <= _LONGEST_NAME:
            return str(readable)
    kept = re.sub(r"[^\w.-]", "_", name)[:_KEPT].strip(".") or "_"
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{kept} - {_DIGEST} {digest}"
