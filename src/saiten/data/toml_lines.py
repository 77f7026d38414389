"""The lines of a TOML file's values, for errors: `tomllib` does not keep them."""

import re
from collections.abc import Iterator, Sequence

Place = Sequence[str | int]
"""The keys and positions that lead to a value: `("aspects", 0, "best")`."""


def line_of(text: str, place: Place) -> int | None:
    """Return the line of a value, or of the nearest enclosing one that is found; None if none is.

    The text is searched for keys from the outside to the inside, so a key inside a text may mislead it.
    """
    start, end, found = 0, len(text), False
    name = ""
    for part in place:
        if isinstance(part, int):
            items = list(_items(text, start, end, name))[part : part + 2]
            if not items:
                break
            start, end = items[0], min([end, *items[1:]])
            continue
        key = _key(text, start, end, part)
        if key is None:
            break
        start, found, name = key, True, part
    return text.count("\n", 0, start) + 1 if found else None


def _key(text: str, start: int, end: int, name: str) -> int | None:
    """Return where a key is set, or the header of its table begins."""
    word = re.escape(name)
    pattern = re.compile(
        rf"(?:(?:^[ \t]*\[\[?[^\]\n]*?|[{{,.][ \t]*|^[ \t]*)\b){word}\b(?=[\w.\" ]*\]|[ \t]*[.=])", re.MULTILINE
    )
    found = pattern.search(text, start, end)
    return None if found is None else found.end() - len(name)


def _items(text: str, start: int, end: int, name: str) -> Iterator[int]:
    """Yield where the items of a list begin: its tables `[[name]]`, or the inline tables that follow its key."""
    headers = [
        found.end() for found in re.finditer(rf"^[ \t]*\[\[[\w.]*?\b{re.escape(name)}\]\]", text[:end], re.MULTILINE)
    ]
    if headers:
        yield from (header for header in headers if header >= start)
        return
    yield from (found.start() for found in re.compile(r"\{").finditer(text, start, end))
