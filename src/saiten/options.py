"""Options declared once, as fields of frozen dataclasses.

    concurrency: int = option(64, "Maximum requests in flight.", min=1, toml=True)

The command line (`saiten.cli.unfold`), `saiten.toml` (`read_config`) and the keywords of the Python API are made from
these fields. An explicit value wins over the file, and the file over the default.
"""

import difflib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from saiten.errors import ConfigurationError
from saiten.strict_parsing import strict_json, strict_toml

FILE = "saiten.toml"
_HIGHEST = 2**63 - 1
"""The highest integer of most formats and programs."""
_LARGEST = 1 << 20
"""Maximum bytes of the file."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """The properties of an option beyond its field's name, type and default."""

    help: str
    flags: tuple[str, ...] = ()
    """Names on the command line, if they differ from the field's; see `typed`."""
    panel: str | None = None
    """Heading in the help."""
    min: float | None = None
    max: float | None = None
    toml: bool | str = False
    """Whether `saiten.toml` may set it, under the field's name, or where else, such as `judge.options`."""
    typed: bool = True
    """Whether the command line has it."""


def option(
    default: Any,
    help: str = "",  # noqa: A002 - as typer calls it
    *flags: str,
    panel: str | None = None,
    min: float | None = None,  # noqa: A002 - the same
    max: float | None = None,  # noqa: A002 - the same
    toml: bool | str = False,
    typed: bool = True,
) -> Any:
    """Return a dataclass field that carries an option; `...` for the default of one that must be given.

    One whose default is `{}` is typed as `NAME=VALUE`, any number of times. A representation leaves it out, since it
    may hold keys.
    """
    metadata = {"option": Option(help, flags, panel, min, max, toml, typed)}
    return (
        field(default_factory=dict, metadata=metadata, hash=False, repr=False)
        if default == {}
        else field(default=default, metadata=metadata)
    )


def options_of(kind: Any) -> dict[str, tuple[Option, Any, Any]]:
    """Return the options of a dataclass by field name: the option, its type and its default."""
    hints = get_type_hints(kind)
    return {
        each.name: (each.metadata["option"], hints[each.name], each.default)
        for each in fields(kind)
        if "option" in each.metadata
    }


def without_none(hint: Any) -> Any:
    """Return `T` for `T | None`."""
    if get_origin(hint) in {Union, UnionType}:
        return next(each for each in get_args(hint) if each is not NoneType)
    return hint


@dataclass(frozen=True, slots=True)
class Config:
    """The contents of a `saiten.toml`: checked values by option name, and the file they were read from."""

    values: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = field(default=None, compare=False)

    def settings(self, kind: type[T], given: Mapping[str, Any] = MappingProxyType({})) -> T:
        """Return settings of this kind: each option as given, else from the file, else its default.

        None and an empty string count as not given. What is in the table of a model, such as its headers, is for this
        model: if another one is given, it is left out.

        Raises:
            ConfigurationError: A number is too low or too high, or a pair has the wrong form.
        """
        chosen: dict[str, Any] = {}
        for name, (declared, hint, _) in options_of(kind).items():
            value = given.get(name)
            if value is None or value == "":
                if not declared.toml or name not in self.values or self._of_another(declared, given):
                    continue
                value = self.values[name]
            flag = declared.flags[0] if declared.flags else f"--{name.replace('_', '-')}"
            _check_range(name, declared, value)
            chosen[name] = _as_declared(value, without_none(hint), flag)
        return kind(**chosen)

    def _of_another(self, declared: Option, given: Mapping[str, Any]) -> bool:
        """Return whether the option is in the table of a model that another one replaces."""
        table, dot, _ = str(declared.toml).partition(".")
        return bool(dot and given.get(table) and given[table] != self.values.get(table))


def _check_range(what: str, declared: Option, value: Any) -> None:
    """Raise ConfigurationError for a number that is too low or too high, or that no server and no file can hold."""
    number: Any = value if isinstance(value, Real) else None
    if number is not None and declared.min is not None and not number >= declared.min:
        raise ConfigurationError(f"{what} must be at least {declared.min:,g}, not {number}")
    if number is not None and declared.max is not None and not number <= declared.max:
        raise ConfigurationError(f"{what} can be at most {declared.max:,g}, not {number}")
    if number is not None and not -_HIGHEST <= number <= _HIGHEST:  # not a number fails, too
        raise ConfigurationError(f"{what} must be a number of at most {_HIGHEST} (64 bits), not {str(number)[:40]}")


def _as_declared(value: Any, hint: Any, flag: str) -> Any:
    """Return lists as tuples, strings as paths or the reverse, and pairs as mappings, if the field has those types."""
    if get_origin(hint) in {tuple, Sequence}:
        kind = get_args(hint)[0]
        return tuple(_as_declared(each, kind, flag) for each in ([value] if isinstance(value, str | Path) else value))
    if get_origin(hint) is Mapping and isinstance(value, list | tuple):
        return read_pairs(value, flag, texts=get_args(hint)[1] is str)
    if hint is str and isinstance(value, Path):
        return str(value)
    return Path(value) if hint is Path else value


def read_pairs(pairs: Sequence[str], flag: str, *, texts: bool) -> dict[str, Any]:
    """Return name → value from `NAME=VALUE`.

    Unless all values are `texts`, those in JSON are read (`0.7`, `true`, `null`, `{…}`), and a name with dots is a path
    into an object: `thinking.type=disabled`.

    Raises:
        ConfigurationError: a pair has another form; its value, which may be secret, is not repeated.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not all(name.split(".")):
            example = "X-Team=search" if texts else "reasoning_effort=low"
            raise ConfigurationError(f"{flag} expects NAME=VALUE, for example {example}")
        *above, last = [name] if texts else name.split(".")
        place = found
        for part in above:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise ConfigurationError(f"{flag} {name}: {part} already has a value of its own")
        place[last] = value if texts else _json_or_text(value)
    return found


def read_columns(pairs: Sequence[str] | None, option: str = "--column") -> dict[str, str]:
    """Return field → column from `question=Q`, nothing from `""`; raises ConfigurationError for another form."""
    columns: dict[str, str] = {}
    for pair in filter(None, pairs or ()):
        name, equals, column = pair.partition("=")
        if not equals or not name or not column:
            raise ConfigurationError(f"{option} expects FIELD=COLUMN, for example question=Q, not {pair!r}")
        if name.strip() in columns:
            both = f"{columns[name.strip()]!r} and {column.strip()!r}"
            raise ConfigurationError(f"{option} maps {name.strip()} to two columns, {both}; name one of them")
        columns[name.strip()] = column.strip()
    return columns


def _integer(digits: str) -> int:
    if not -_HIGHEST <= int(digits) <= _HIGHEST:
        raise ValueError("an integer has more than 64 bits")
    return int(digits)


def check_sendable(name: str, options: Mapping[str, Any]) -> None:
    """Raise ConfigurationError if the options cannot be written as JSON, in which they are sent."""
    for option_name, value in options.items():
        try:
            json.loads(json.dumps(value, allow_nan=False), parse_int=_integer)
        except (TypeError, ValueError, RecursionError) as error:
            raise ConfigurationError(
                f"{name}: {option_name} cannot be sent ({error}); expected texts, numbers, true, false, null, lists "
                "and mappings of these"
            ) from None


_PAIRS = re.compile(r"^\s*(host|hostaddr|dbname|service|password)\s*=|\b(password|dbname)\s*=", re.IGNORECASE)


def check_place_of_database(name: str, place: str) -> None:
    """Raise ConfigurationError for libpq's `host=… password=…`, which would become the name of a file."""
    if "://" not in place and _PAIRS.search(place):
        raise ConfigurationError(
            f"{name} takes a file or an address such as postgresql://USER@HOST/DATABASE, not pairs such as host=… "
            "password=…; the password may be in PGPASSWORD or in ~/.pgpass"
        )


def _json_or_text(value: str) -> Any:
    try:
        return strict_json(value)
    except ValueError:
        return value


_ONLY_NAMED: ContextVar[bool] = ContextVar("only a file that is named is read", default=False)


@contextmanager
def without_default_file() -> Iterator[None]:
    """Let `read_config` read no `saiten.toml` that nobody named: the demo is the same in every folder."""
    before = _ONLY_NAMED.set(True)
    try:
        yield
    finally:
        _ONLY_NAMED.reset(before)


def _text_of(file: Path) -> str:
    if file.stat().st_size > _LARGEST:
        raise ConfigurationError(f"{file}: larger than {_LARGEST >> 20} MiB; expected the settings of saiten")
    return file.read_text(encoding="utf-8")


def read_config(path: Path | None, kinds: Sequence[type]) -> Config:
    """Read `path`, or `saiten.toml` in the current folder if there is one.

    Args:
        path: A file that must exist; None for the default.
        kinds: The dataclasses whose options the file may set.

    Raises:
        ConfigurationError: The file is missing, is not TOML, or has an unknown setting, or one of the wrong type or
            outside its range.
    """
    file = path or Path(FILE)
    if path is None and _ONLY_NAMED.get():
        return Config()
    if not file.is_file():
        if path is not None:
            raise ConfigurationError(f"{path}: no such configuration file")
        return Config()
    try:
        found = strict_toml(_text_of(file))
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        hint = "; a model with options is a table: [judge], below it name = … and options = …"
        twice = "Cannot" in str(error) and "overwrite" in str(error)
        raise ConfigurationError(f"{file}: not a TOML file: {error}{hint if twice else ''}") from error
    known = {
        name if each.toml is True else str(each.toml): (name, hint, each)
        for kind in kinds
        for name, (each, hint, _) in options_of(kind).items()
        if each.toml
    }
    values: dict[str, Any] = {}
    for key, value in found.items():
        if isinstance(value, dict) and f"{key}.options" in known and "name" not in value:
            raise ConfigurationError(f"{file}: [{key}] needs the name of its model: name = …")
    for key, value in _flat(found, known):
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
            raise ConfigurationError(f"{file}: unknown setting `{key}`; {hint}")
        name, declared_type, declared = known[key]
        _check(file, key, value, without_none(declared_type), declared)
        values[name] = value
    return Config(values, file.absolute())


def _flat(found: Mapping[str, Any], known: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the settings, those of a table such as `[judge]` one by one; its `name` is the setting `judge` itself."""
    for key, value in found.items():
        if isinstance(value, dict) and any(place.startswith(f"{key}.") for place in known):
            yield from ((key if each == "name" else f"{key}.{each}", item) for each, item in value.items())
        else:
            yield key, value


def _check(file: Path, key: str, value: Any, hint: Any, declared: Option) -> None:
    """Raise ConfigurationError unless the value has the field's type, and is in its range."""
    origin = get_origin(hint)
    if origin is tuple:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ConfigurationError(f"{file}: `{key}` must be a list of texts, not {value!r}")
    elif origin is Mapping:
        if not isinstance(value, dict):
            raise ConfigurationError(f"{file}: `{key}` must be a table, not {value!r}")
        # The value is not repeated: it may be a key.
        if get_args(hint)[1] is str and not all(isinstance(each, str) for each in value.values()):
            what = (
                "holds a server and the name of an environment variable on each line"
                if key == "key_env"
                else "must have a text in quotation marks for each name"
            )
            raise ConfigurationError(f"{file}: `{key}` {what}")
    elif origin is Literal:
        if value not in get_args(hint):
            raise ConfigurationError(f"{file}: {key} is one of {', '.join(get_args(hint))}, not {value!r}")
    else:
        expected = {float: (int, float), Path: (str,)}.get(hint, (hint,))
        if isinstance(value, bool) is not (hint is bool) or not isinstance(value, expected):
            names = "true or false" if hint is bool else " or ".join(kind.__name__ for kind in expected)
            raise ConfigurationError(f"{file}: `{key}` must be {names}, not {value!r}")
        _check_range(f"{file}: `{key}`", declared, value)
