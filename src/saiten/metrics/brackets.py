"""Settings in brackets: from the items of a typed name to the fields of a metric's class."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from saiten.errors import ConfigurationError
from saiten.metrics.naming import BracketItem
from saiten.options import without_none


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a metric, as typed in brackets."""

    name: str
    values: str
    """Accepted values, for people: `ours | ragas`, `int`, …"""
    default: Any
    required: bool = False
    """Whether it has no default."""


def settings_allowed(metric: type[Any]) -> tuple[Setting, ...]:
    """Return the settings of a metric's class."""
    hints = get_type_hints(metric)
    return tuple(
        Setting(f.name, takes(hints[f.name]), None if f.default is MISSING else f.default, _is_required(f))
        for f in fields(metric)
        if f.init
    )


def takes(hint: Any) -> str:
    """Describe the accepted values of a setting."""
    hint = without_none(hint)
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return "yes | no" if hint is bool else getattr(hint, "__name__", str(hint))


def read_settings(metric: type[Any], items: Sequence[BracketItem], title: str) -> dict[str, str]:
    """Return the settings in the brackets, as texts by name; `title` is the metric's name in errors.

    A bare word is a flag, or the value of the class's `main` setting, and a second one that of its `second`.

    Raises:
        ConfigurationError: an unknown setting, or one that is set twice; the text lists the settings.
    """
    allowed = _allowed(metric)
    bare = [name for name in (getattr(metric, "main", None), getattr(metric, "second", None)) if name is not None]
    given: dict[str, str] = {}
    for item in items:
        key, value = item.key, item.value
        if key is None and allowed.get(value) is bool:
            key, value = value, "true"
        elif key is None and bare:
            key = next((name for name in bare if name not in given), bare[0])
        if key is None or key not in allowed:
            known = "; ".join(f"{setting.name} ({setting.values})" for setting in settings_allowed(metric)) or "none"
            raise ConfigurationError(f"{title} has no setting {item.key or item.value!r}; its settings are: {known}")
        if key in given:
            raise ConfigurationError(
                f'{title}: {key} is set twice; put a value that contains a comma in quotation marks: {title}["…"]'
            )
        given[key] = value
    return given


def made_with(metric: type[Any], settings: Mapping[str, str], title: str) -> Any:
    """Return an instance with these settings, converted to their types; those that the class lacks are ignored.

    Raises:
        ConfigurationError: a value is not of its setting's type, or a setting without a default is missing.
    """
    allowed = _allowed(metric)
    if missing := [f.name for f in fields(metric) if f.init and _is_required(f) and f.name not in settings]:
        typed = ",".join("…" if name == getattr(metric, "main", None) else f"{name}=…" for name in missing)
        raise ConfigurationError(
            f"{title} needs the setting {' and '.join(missing)}: {title}[{typed}]; `saiten metrics {title}` explains it"
        )
    return metric(**{key: _typed(title, key, value, allowed[key]) for key, value in settings.items() if key in allowed})


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _allowed(metric: type[Any]) -> Mapping[str, Any]:
    """Return the type of each setting."""
    hints = get_type_hints(metric)
    return {f.name: hints[f.name] for f in fields(metric) if f.init}


def _typed(title: str, key: str, value: str, hint: Any) -> Any:
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        raise ConfigurationError(f"{title}: {key} takes {takes(hint)}, not {value!r}") from error
