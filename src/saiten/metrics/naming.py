"""Names with settings, as typed and as used in results: `title[main,setting=value,flag]`.

A value that contains one of `, [ ] = "` or begins or ends with a space is quoted as a JSON string:
`aspect_critique["Is it polite, and short?"]`. `read_name` reads what `write_name` writes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from saiten.errors import ConfigurationError

HUMAN = "human"
"""Name of the scores of labels without an aspect; `human:ASPECT` of those with one."""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(rf'(?:[^,\["]|{_QUOTED}|\[(?:[^\]"]|{_QUOTED})*\])+', re.DOTALL)
_NAME = re.compile(r"\s*([^\[\]\",=]+?)\s*(?:\[(.*)\])?\s*", re.DOTALL)
_ITEM = re.compile(rf'\s*(?:([A-Za-z_]\w*)\s*=\s*)?(?:({_QUOTED})|([^,\[\]"]*?))\s*(?:,|$)', re.DOTALL)
_PLAIN = re.compile(r'[^\s,\[\]="\\](?:[^,\[\]="\\\n]*[^\s,\[\]="\\])?')


class BracketItem(NamedTuple):
    """An item in the brackets; `key` is None for a bare value."""

    key: str | None
    value: str


def is_human(metric: str) -> bool:
    """Return whether a name stands for people's labels rather than for a metric."""
    return metric == HUMAN or metric.startswith(f"{HUMAN}:")


def is_python(title: str) -> bool:
    """Return whether a name without its brackets refers to Python: `FILE.py:NAME`, `module:NAME`, or just `FILE.py`."""
    return title.endswith(".py") or (":" in title and not is_human(title))


def split_names(text: str) -> list[str]:
    """Split a comma-separated list; commas in brackets and quotation marks do not separate."""
    return [piece.strip() for piece in _PIECE.findall(text) if piece.strip()]


def read_name(text: str) -> tuple[str, Sequence[BracketItem]]:
    """Return title and settings; raises ConfigurationError unless the name is of the form `title[setting=value,…]`."""
    whole = _NAME.fullmatch(text)
    if whole is None:
        raise ConfigurationError(f"a metric is written title[setting=value,…], got {text!r}")
    title, inside = whole.groups()
    items: list[BracketItem] = []
    position = 0
    while inside and position < len(inside):
        found = _ITEM.match(inside, position)
        if found is None:
            raise ConfigurationError(
                f"cannot read {inside[position:]!r} in {text!r}; put a value with , [ ] or = in quotation marks: "
                f'{title}["…"]'
            )
        key, quoted, plain = found.groups()
        items.append(BracketItem(key, _unquoted(quoted, text) if quoted is not None else plain))
        position = found.end()
    return title, items


def settings_of(name: str, title: str) -> Sequence[BracketItem] | None:
    """Return the settings in the name of the metric with this title; None for any other name."""
    try:
        found, items = read_name(name)
    except ConfigurationError:
        return None
    return items if found == title else None


def write_name(title: str, settings: Mapping[str, Any], *, main: str | None = None) -> str:
    """Return the name with settings in brackets: `main` first, without its key, and True as a bare flag."""
    inside = [] if main is None else [_written(main)]
    inside += [key if value is True else f"{key}={_written(str(value))}" for key, value in settings.items()]
    return f"{title}[{','.join(inside)}]" if inside else title


def _written(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str, whole: str) -> str:
    try:
        return str(json.loads(value, strict=False))
    except ValueError as error:
        raise ConfigurationError(f"{value} in {whole!r} is not a JSON string: {error}") from error
