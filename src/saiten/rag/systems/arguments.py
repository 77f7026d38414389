"""The arguments with which a user's function is called."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.loading import Loaded

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def arguments_for(loaded: Loaded, main: str, optional: Sequence[str]) -> Callable[[Mapping[str, Any]], Arguments]:
    """Return how to call the function with an object: its main value by position or name, and others by name.

    Args:
        loaded: The function.
        main: The key of the value that it must take, as its first parameter or by this name.
        optional: The keys of the values that it gets if it has parameters of these names.

    Raises:
        ConfigurationError: it does not take the main value, or requires something else.
    """
    try:
        parameters = dict(signature(loaded.value).parameters)
    except (TypeError, ValueError):  # a builtin without a signature
        return lambda given: ((given[main],), {})
    by_name = {
        name
        for name, each in parameters.items()
        if each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    also = [name for name in optional if name in by_name or takes_all]
    first = next((name for name, each in parameters.items() if _is_place(each) and name not in optional), None)
    named = main in by_name or (takes_all and first is None)
    if not named and first is None:
        raise ConfigurationError(f"{loaded.name} takes no {main}; it is called with the {main}, a text")
    filled = {*also, main if named else first}
    lacking = [name for name, each in parameters.items() if name not in filled and _is_required(each)]
    if lacking:
        raise ConfigurationError(
            f"{loaded.name} requires {', '.join(lacking)}, which saiten does not have; it is called with the {main} "
            f"and, by name, {', '.join(optional)}: give the others a default"
        )

    def arguments(given: Mapping[str, Any]) -> Arguments:
        more = {name: given[name] for name in also}
        return ((), {main: given[main]} | more) if named else ((given[main],), more)

    return arguments


def _is_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


def _is_required(parameter: Parameter) -> bool:
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and parameter.kind not in variable
