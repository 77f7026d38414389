"""Names with settings, as typed and as they stand in results: `title[main,setting=value,flag]`.

A value that holds one of `, [ ] = "` or begins or ends with a space stands in quotation marks, as a JSON string:
`aspect_critique["Is it polite, and short?"]`. What `write_name` writes, `read_name` reads.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from saiten.errors import ConfigurationError

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(rf'(?:[^,\["]|{_QUOTED}|\[(?:[^\]"]|{_QUOTED})*\])+', re.DOTALL)
_NAME = re.compile(r"\s*([^\[\]\",=]+?)\s*(?:\[(.*)\])?\s*", re.DOTALL)
_ITEM = re.compile(rf'\s*(?:([A-Za-z_]\w*)\s*=\s*)?(?:({_QUOTED})|([^,\[\]"]*?))\s*(?:,|$)', re.DOTALL)
_PLAIN = re.compile(r'[^\s,\[\]="\\](?:[^,\[\]="\\\n]*[^\s,\[\]="\\])?')


class Item(NamedTuple):
    """One thing in the brackets; `key` is None where it stands without a name."""

    key: str | None
    value: str


def split_names(text: str) -> list[str]:
    """The names in a list separated by commas; commas in brackets and quotation marks separate nothing."""
    return [piece.strip() for piece in _PIECE.findall(text) if piece.strip()]


def read_name(text: str) -> tuple[str, Sequence[Item]]:
    """Title and settings.

    Raises:
        ConfigurationError: the name is not of the form `title[setting=value,…]`.
    """
    whole = _NAME.fullmatch(text)
    if whole is None:
        raise ConfigurationError(f"a metric is written title[setting=value,…], but {text!r} came")
    title, inside = whole.groups()
    items: list[Item] = []
    position = 0
    while inside and position < len(inside):
        found = _ITEM.match(inside, position)
        if found is None:
            raise ConfigurationError(
                f"cannot read {inside[position:]!r} in {text!r}; put a value with , [ ] or = in quotation marks: "
                f'{title}["…"]'
            )
        key, quoted, plain = found.groups()
        items.append(Item(key, _unquoted(quoted, text) if quoted is not None else plain))
        position = found.end()
    return title, items


def write_name(title: str, settings: Mapping[str, Any], *, main: str | None = None) -> str:
    """The name with these settings in brackets; `main` stands first and without its key, True as a bare flag."""
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
