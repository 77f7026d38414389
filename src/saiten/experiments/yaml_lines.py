"""A YAML file as plain data, with the line number of each value."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from saiten.errors import BadInput, ConfigurationError

Place = tuple[str | int, ...]
"""The keys and positions that lead to a value: `("data", 0, "kb")`."""

_LARGEST = 2**20
"""Maximum bytes of an experiment file."""
_DEEPEST = 20


class Lines(NamedTuple):
    """The line of each value."""

    file: str
    lines: Mapping[Place, int]

    def where(self, place: Place) -> str:
        """Return `FILE:LINE` of the value, or of the nearest enclosing value that exists."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.file}:{self.lines.get(place, 1)}"


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """Return the contents of the file, and the line of each value.

    Raises:
        ConfigurationError: the file cannot be read.
        BadInput: it is not YAML, repeats a key or uses an alias; the text names file and line.
    """
    import yaml  # noqa: PLC0415 - only experiments need it

    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} has more than {_LARGEST} bytes, too many for an experiment file")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not in UTF-8: {error.reason} at byte {error.start}") from error
    try:
        _refuse_traps(path, yaml.parse(text, yaml.SafeLoader))
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise BadInput(f"{path} is empty; it should describe an experiment")
        lines: dict[Place, int] = {}
        _walk(node, (), lines, path)
        return loader.construct_document(node), Lines(str(path), lines)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise BadInput(f"{path}:{line}: {error.problem or error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not YAML: {error}") from error


def _refuse_traps(path: Path, events: Any) -> None:
    """Refuse aliases, which can expand beyond memory, and deep nesting, which takes forever to read."""
    import yaml  # noqa: PLC0415 - only experiments need it

    depth = 0
    for event in events:
        mark: Any = event.start_mark
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise BadInput(f"{path}:{mark.line + 1}: nested too deeply for an experiment file")
        if isinstance(event, yaml.AliasEvent):
            raise BadInput(f"{path}:{mark.line + 1}: aliases (*{event.anchor}) are not understood here")


def _walk(node: Any, place: Place, lines: dict[Place, int], path: Path) -> None:
    lines[place] = node.start_mark.line + 1
    if isinstance(node.value, str):
        return
    for number, child in enumerate(node.value):
        if isinstance(child, tuple):
            key, value = child
            inner: Place = (*place, str(key.value))
            if inner in lines:
                raise BadInput(f"{path}:{key.start_mark.line + 1}: duplicate key {key.value!r}")
            _walk(value, inner, lines, path)
            lines[inner] = key.start_mark.line + 1
        else:
            _walk(child, (*place, number), lines, path)
