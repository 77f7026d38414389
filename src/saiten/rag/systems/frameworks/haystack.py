"""Haystack pipelines as systems under test.

They are run with `run_async` where they have it, or in threads with `run`. The question goes into every input that is
known to take one, and the documents come from the last component that finds, joins or ranks any.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from saiten.models.http_client import CHARGED
from saiten.rag.systems.frameworks.haystack_sockets import (
    Socket,
    answer_socket,
    document_sockets,
    history_sockets,
    question_sockets,
    reply_components,
)
from saiten.rag.systems.frameworks.object_options import ObjectOptions, package
from saiten.rag.systems.loading import load_object
from saiten.rag.systems.passages import read_passages
from saiten.rag.systems.plain_values import answer_text, count_of, kind_of
from saiten.records import Answer, Inquiry, Passage, Turn, Usage

PREFIX = "haystack"
INSTALL = "haystack-ai"
_EXPECTED = "a Pipeline (an agent or another component goes into one: pipeline.add_component)"


class HaystackPipeline:
    """A pipeline; an `EntryPoint`."""

    one_at_a_time = False
    doubt = ""

    def __init__(self, spec: str, options: Mapping[str, Any]) -> None:
        """Load the pipeline.

        Raises:
            ConfigurationError: Haystack or the object is missing, it is no pipeline, or it is not known which inputs
                take the question or which output is the answer.
        """
        package("haystack", INSTALL)
        loaded = load_object(spec, PREFIX, _EXPECTED, is_pipeline)
        self._options = ObjectOptions.read(options, loaded.name)
        self._pipeline = loaded.value
        self.name = loaded.name
        self.file = loaded.file
        self._questions = question_sockets(loaded.value, self._options.question, self.name)
        self._histories = history_sockets(loaded.value, self._options.history, self.name)
        self._answer = answer_socket(loaded.value, self._options.answer, self.name)
        self._documents = document_sockets(loaded.value, self._options.contexts, self.name)
        self._repliers = reply_components(loaded.value)
        self.is_async = self._options.is_async and hasattr(loaded.value, "run_async")

    def describe(self) -> Mapping[str, str]:
        return self._options.described()

    def call(self, inquiry: Inquiry) -> Callable[[], Any]:
        data = data_for(self._questions, inquiry.question, inquiry.history, self._histories)
        wanted = {each.component for each in (*self._documents, self._answer)} | self._repliers
        run = self._pipeline.run_async if self.is_async else self._pipeline.run
        return lambda: run(data=data, include_outputs_from=wanted)

    def read(self, value: Any) -> Answer:
        answer = _output(value, self._answer)
        if isinstance(answer, list) and not answer:
            raise ValueError(f"`{self._answer}` is an empty list")
        one = answer[0] if isinstance(answer, list) else answer
        documents = documents_in(value, self._documents)
        if documents is None:
            documents = read_passages(getattr(one, "documents", None), f"{self._answer}.documents")
        return Answer(answer_text(one, str(self._answer)), documents, usage=self._usage(value) or CHARGED)

    def _usage(self, value: Mapping[str, Any]) -> Usage | None:
        """Add up what the replies report; None if there is none."""
        found = Usage()
        for component in self._repliers:
            for meta in _metas(value.get(component)):
                reported = meta.get("usage")
                counts = reported if isinstance(reported, Mapping) else {}
                prompt, completion = count_of(counts.get("prompt_tokens")), count_of(counts.get("completion_tokens"))
                found += Usage(1, prompt or 0, completion or 0, unpriced=1)
        return found if found.calls else None


def is_pipeline(value: Any) -> bool:
    """Return whether it is a pipeline, of whichever of Haystack's classes."""
    described = all(callable(getattr(value, name, None)) for name in ("inputs", "outputs"))
    return described and hasattr(value, "graph") and (hasattr(value, "run") or hasattr(value, "run_async"))


def data_for(
    questions: Sequence[Socket], question: str, history: tuple[Turn, ...] = (), histories: Sequence[Socket] = ()
) -> dict[str, dict[str, Any]]:
    """Return the pipeline's input: component → input → value."""
    data: dict[str, dict[str, Any]] = {}
    for each in questions:
        # a list of messages has no other place for the history
        earlier = _messages(history) if each.takes_messages and not histories else []
        value = [*earlier, _message("from_user", question)] if each.takes_messages else question
        data.setdefault(each.component, {})[each.name] = value
    for each in histories:
        data.setdefault(each.component, {})[each.name] = _messages(history)
    return data


def documents_in(value: Any, sockets: Sequence[Socket]) -> tuple[Passage, ...] | None:
    """Return the passages of these outputs, one after the other; None if no component of them ran."""
    ran = [each for each in sockets if isinstance(value, Mapping) and each.component in value]
    found = [read_passages(_output(value, each), str(each)) for each in ran]
    known = [each for each in found if each is not None]
    return tuple(passage for each in known for passage in each) if known else None


def _output(value: Any, socket: Socket) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an object with the outputs of components, got {kind_of(value)}")  # noqa: TRY004
    component = value.get(socket.component)
    if not isinstance(component, Mapping) or socket.name not in component:
        ran = ", ".join(f"`{name}`" for name in value) or "nothing"
        raise ValueError(f"the pipeline gave no `{socket}`, only outputs of {ran}")
    return component[socket.name]


def _metas(outputs: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the metadata of each reply: in its message, or beside the texts."""
    if not isinstance(outputs, Mapping):
        return
    replies, beside = outputs.get("replies"), outputs.get("meta")
    for reply, meta in zip_longest(replies or (), beside or ()):
        found = getattr(reply, "meta", meta)
        yield found if isinstance(found, Mapping) else {}


def _messages(history: tuple[Turn, ...]) -> list[Any]:
    pairs = ((_message("from_user", turn.question), _message("from_assistant", turn.answer)) for turn in history)
    return [message for pair in pairs for message in pair]


def _message(kind: str, text: str) -> Any:
    return getattr(package("haystack.dataclasses", INSTALL).ChatMessage, kind)(text)
