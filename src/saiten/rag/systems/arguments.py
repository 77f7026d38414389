"""The arguments with which a function under test is called."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.contract import question_object
from saiten.rag.systems.loading import Loaded
from saiten.records import Inquiry

_OPTIONAL = ("history", "session", "id", "language")


def arguments_for(loaded: Loaded) -> Callable[[Inquiry], tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return how to call the function: the question by position or name, and optional arguments by name."""
    try:
        parameters = dict(signature(loaded.value).parameters)
    except (TypeError, ValueError):  # a builtin without a signature
        return lambda inquiry: ((inquiry.question,), {})
    by_name = {
        name
        for name, each in parameters.items()
        if each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    optional = [name for name in _OPTIONAL if name in by_name or takes_all]
    first = next((name for name, each in parameters.items() if _is_place(each) and name not in _OPTIONAL), None)
    named = "question" in by_name or (takes_all and first is None)
    if not named and first is None:
        raise ConfigurationError(f"{loaded.name} takes no question; it is called with the question, a text")
    given = {*optional, "question" if named else first}
    lacking = [name for name, each in parameters.items() if name not in given and _is_required(each)]
    if lacking:
        raise ConfigurationError(
            f"{loaded.name} requires {', '.join(lacking)}, which saiten does not have; it is called with the question "
            f"and, by name, {', '.join(_OPTIONAL)}: give the others a default"
        )

    def arguments(inquiry: Inquiry) -> tuple[tuple[Any, ...], dict[str, Any]]:
        whole = question_object(inquiry)
        more = {name: whole[name] for name in optional}
        return ((), {"question": inquiry.question} | more) if named else ((inquiry.question,), more)

    return arguments


def _is_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)


def _is_required(parameter: Parameter) -> bool:
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and parameter.kind not in variable
