"""Options of objects as systems: what their inputs and outputs are called where that cannot be seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.parameters import shown

QUESTIONS = ("question", "query", "input", "user_input", "user_query", "user_msg", "prompt", "text")
"""Usual names of the question, the most specific first."""
HISTORIES = ("chat_history", "history")
ANSWERS = ("answer", "result", "output", "response", "reply", "output_text", "text")
CONTEXTS = ("context", "contexts", "source_documents", "documents", "retrieved_documents", "retrieved_contexts", "docs")

_NAMES = ("question", "history", "answer", "contexts")


@dataclass(frozen=True, slots=True)
class ObjectOptions:
    """The object's own names, each None if it is to be found."""

    question: str | None = None
    """The input that gets the question; "" for the question as the whole input."""
    history: str | None = None
    answer: str | None = None
    contexts: str | None = None
    is_async: bool = True
    """Whether to call the asynchronous method; the synchronous one is called in threads."""

    @classmethod
    def read(cls, options: Mapping[str, Any], name: str) -> "ObjectOptions":
        """Read `question=NAME`, `history=`, `answer=`, `contexts=` and `async=false` of the system `name`.

        Raises:
            ConfigurationError: there is another one, or a value is of another kind.
        """
        for each in options:
            if each not in {*_NAMES, "async"}:
                near = get_close_matches(each, [*_NAMES, "async"], n=1)
                hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(_NAMES)} or async"
                raise ConfigurationError(f"--system-option {each} means nothing to {name}; {hint}")
        is_async = options.get("async", True)
        if not isinstance(is_async, bool):
            raise ConfigurationError(f"--system-option async is true or false, not {is_async!r}")
        for each in _NAMES:
            if not isinstance(options.get(each), str | None):
                raise ConfigurationError(f"--system-option {each} is a name in {name}, not {options[each]!r}")
        return cls(**{each: options.get(each) for each in _NAMES}, is_async=is_async)

    def described(self) -> Mapping[str, str]:
        """Return those that were given, for the record of how answers were made."""
        given = {name: value for name in _NAMES if (value := getattr(self, name)) is not None}
        given |= {} if self.is_async else {"async": "false"}
        return {"options": shown(given)} if given else {}


def package(module: str, install: str) -> Any:
    """Import a module of a framework.

    Raises:
        ConfigurationError: the framework is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{module} cannot be imported ({error}); install the framework that your object is made with: "
            f"pip install {install}"
        ) from error
