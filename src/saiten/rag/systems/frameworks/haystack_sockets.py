"""The sockets of a Haystack pipeline: where the question goes in, and where answers and documents come out.

They are found in `pipeline.inputs()` and `pipeline.outputs()`; one is named as `component.socket`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.frameworks.object_options import HISTORIES, QUESTIONS

_ALWAYS = ("query", "question")
"""Filled even if they are optional, such as the variables of a prompt."""
_REPLIES = ("answers", "replies", "last_message")


@dataclass(frozen=True, slots=True)
class Socket:
    """An input or output of a component."""

    component: str
    name: str
    kind: Any = None
    """Its type."""
    is_mandatory: bool = False

    def __str__(self) -> str:
        return f"{self.component}.{self.name}"

    @property
    def takes_messages(self) -> bool:
        """Whether it takes a list of chat messages."""
        return "list" in str(self.kind).lower() and "ChatMessage" in str(self.kind)

    @property
    def holds_documents(self) -> bool:
        """Whether it holds a list of documents."""
        return "list" in str(self.kind).lower() and ".Document]" in str(self.kind)


def question_sockets(pipeline: Any, named: str | None, name: str) -> tuple[Socket, ...]:
    """Return the inputs that get the question: those that are named, separated by commas, or those of usual names.

    Raises:
        ConfigurationError: there is none, or other inputs must be filled; the text shows the inputs.
    """
    there = list(_sockets(pipeline.inputs()))
    wanted = [each.strip() for each in (named or "").split(",") if each.strip()]
    if unknown := [each for each in wanted if each not in map(str, there)]:
        raise ConfigurationError(f"{name} has no input {unknown[0]}; there are {_listed(there)}")
    found = tuple(each for each in there if (str(each) in wanted if wanted else _is_question(each)))
    missing = [each for each in there if each.is_mandatory and each not in found and each.name not in HISTORIES]
    if missing or not found:
        needed = f"{', '.join(map(str, missing))} must be filled" if missing else "no input is known as the question"
        raise ConfigurationError(
            f"{name}: {needed}; name all inputs that get the question, --system-option "
            f"question=COMPONENT.INPUT,COMPONENT.INPUT, or put a function around the pipeline "
            f"(python:FILE.py:FUNCTION). Inputs: {_listed(there)}"
        )
    return found


def history_sockets(pipeline: Any, named: str | None, name: str) -> tuple[Socket, ...]:
    """Return the inputs that get the earlier messages; raises ConfigurationError if the one named is not there."""
    there = list(_sockets(pipeline.inputs()))
    if named is not None and named not in map(str, there):
        raise ConfigurationError(f"{name} has no input {named}; there are {_listed(there)}")
    return tuple(each for each in there if (str(each) == named if named else each.name in HISTORIES))


def answer_socket(pipeline: Any, named: str | None, name: str) -> Socket:
    """Return the output that is the answer: the one named, or the unconnected one of a usual name.

    Raises:
        ConfigurationError: there is none, or several are alike; the text shows the outputs.
    """
    there = list(_sockets(pipeline.outputs()))
    if named is not None:
        every = list(_sockets(pipeline.outputs(include_components_with_connected_outputs=True)))
        return _named_output(every, named, name)
    for socket_name in _REPLIES:
        if found := [each for each in there if each.name == socket_name]:
            break
    else:
        found = [each for each in there if each.kind is str]
    if len(found) == 1:
        return found[0]
    what = "several outputs could be the answer" if found else "no output is known as the answer"
    raise ConfigurationError(
        f"{name}: {what}; name it: --system-option answer=COMPONENT.OUTPUT. Outputs: {_listed(there)}"
    )


def document_sockets(pipeline: Any, named: str | None, name: str) -> tuple[Socket, ...]:
    """Return the outputs with the passages: the one named, or those of documents that no later one replaces.

    Raises:
        ConfigurationError: the one named is not there.
    """
    there = list(_sockets(pipeline.outputs(include_components_with_connected_outputs=True)))
    if named is not None:
        return (_named_output(there, named, name),)
    holding = [each for each in there if each.holds_documents]
    after = {each.component: _after(pipeline.graph, each.component) for each in holding}
    last = [each for each in holding if not any(other.component in after[each.component] for other in holding)]
    return tuple(last or holding)


def reply_components(pipeline: Any) -> frozenset[str]:
    """Return the components with replies of models, whose metadata tell the usage."""
    there = _sockets(pipeline.outputs(include_components_with_connected_outputs=True))
    return frozenset(each.component for each in there if each.name == "replies")


def _named_output(there: list[Socket], named: str, name: str) -> Socket:
    found = next((each for each in there if str(each) == named), None)
    if found is None:
        raise ConfigurationError(f"{name} has no output {named}; there are {_listed(there)}")
    return found


def _sockets(described: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[Socket]:
    for component, sockets in described.items():
        for name, about in sockets.items():
            yield Socket(component, name, about.get("type"), bool(about.get("is_mandatory")))


def _is_question(socket: Socket) -> bool:
    if socket.name in _ALWAYS or (socket.is_mandatory and socket.name in QUESTIONS):
        return "list" not in str(socket.kind)
    return socket.is_mandatory and socket.takes_messages and socket.name not in HISTORIES


def _after(graph: Any, component: str) -> set[str]:
    """Return the components that come later, but for the component itself, which may be in a loop."""
    seen: set[str] = set()
    waiting = [component]
    while waiting:
        for following in graph.successors(waiting.pop()):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen - {component}


def _listed(sockets: list[Socket]) -> str:
    return ", ".join(f"{each}{' (required)' if each.is_mandatory else ''}" for each in sockets) or "none"
