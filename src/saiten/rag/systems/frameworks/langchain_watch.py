"""What LangChain's callbacks show of one invocation: the usage of its models, and what its retrievers found."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from saiten.rag.systems.frameworks.object_options import package
from saiten.rag.systems.plain_values import count_of
from saiten.records import Usage


def watching() -> Any:
    """Return a callback handler for one invocation."""
    return _handler_class()()


class InvocationWatch:
    """Adds up what models report, and keeps the documents of the outermost retrievers.

    LangChain's base of handlers is added when a handler is made, since LangChain is loaded only then.
    """

    run_inline = True  # in the order of the steps, not in threads

    def __init__(self) -> None:
        self.usage: Usage | None = None
        """None if no model was called."""
        self.documents: list[Any] | None = None
        """None if no retriever was called."""
        self._parents: dict[Any, Any] = {}
        self._retrievers: set[Any] = set()

    def on_chain_start(self, *_: Any, run_id: Any, parent_run_id: Any = None, **__: Any) -> None:
        """Note where the step belongs."""
        self._parents[run_id] = parent_run_id

    def on_tool_start(self, *_: Any, run_id: Any, parent_run_id: Any = None, **__: Any) -> None:
        """Note where the tool belongs."""
        self._parents[run_id] = parent_run_id

    def on_retriever_start(self, *_: Any, run_id: Any, parent_run_id: Any = None, **__: Any) -> None:
        """Note where the retriever belongs."""
        self._parents[run_id] = parent_run_id
        self._retrievers.add(run_id)

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: Any, **_: Any) -> None:
        """Keep the documents, unless another retriever combines them."""
        above = self._parents.get(run_id)
        while above is not None and above not in self._retrievers:
            above = self._parents.get(above)
        if above is None:
            self.documents = [*(self.documents or ()), *documents]

    def on_llm_end(self, response: Any, **_: Any) -> None:
        """Count a call of a model, of unknown cost."""
        self.usage = (self.usage or Usage()) + _usage_of(response)


@cache
def _handler_class() -> Any:
    base = package("langchain_core.callbacks", "langchain-core").BaseCallbackHandler
    return type("WatchingHandler", (InvocationWatch, base), {})


def _usage_of(response: Any) -> Usage:
    """Return the usage of one call, from the metadata of its message."""
    generations = getattr(response, "generations", None) or [[None]]
    message = getattr(generations[0][0] if generations[0] else None, "message", None)
    reported = getattr(message, "usage_metadata", None) or {}
    prompt, completion = count_of(reported.get("input_tokens")) or 0, count_of(reported.get("output_tokens")) or 0
    cached = count_of((reported.get("input_token_details") or {}).get("cache_read")) or 0
    return Usage(1, prompt, completion, unpriced=1, cached_tokens=min(cached, prompt))
