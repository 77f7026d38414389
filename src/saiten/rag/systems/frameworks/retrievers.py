"""Retrievers of other frameworks as the source of evidence.

LangChain's are asked with `ainvoke`, LlamaIndex's with `aretrieve`, and Haystack's pipelines with `run_async` where
they have it, otherwise in threads with `run`. How many passages they find is a setting of theirs.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.frameworks import haystack, langchain, llamaindex
from saiten.rag.systems.frameworks.haystack_sockets import document_sockets, question_sockets
from saiten.rag.systems.frameworks.object_options import package
from saiten.rag.systems.loading import Loaded, load_object


class FrameworkRetriever:
    """A retriever that is called with the query alone; a `PassageSource`."""

    is_async = True

    def __init__(self, loaded: Loaded, method: str) -> None:
        """`method`: the name of the asynchronous method."""
        self._ask: Callable[[str], Any] = getattr(loaded.value, method)
        self.name = loaded.name
        self.file = loaded.file

    def call(self, query: str, k: int) -> Callable[[], Any]:
        return partial(self._ask, query)

    def passages(self, value: Any) -> Any:
        return value


class HaystackRetriever:
    """A pipeline whose last documents are the passages; a `PassageSource`."""

    def __init__(self, loaded: Loaded) -> None:
        """Raises ConfigurationError if it has no input for the query or no output of documents."""
        self._pipeline = loaded.value
        self.name = loaded.name
        self.file = loaded.file
        self._questions = question_sockets(loaded.value, None, loaded.name)
        self._documents = document_sockets(loaded.value, None, loaded.name)
        if not self._documents:
            raise ConfigurationError(f"{loaded.name} has no output of documents; expected a pipeline that retrieves")
        self.is_async = hasattr(loaded.value, "run_async")

    def call(self, query: str, k: int) -> Callable[[], Any]:
        run = self._pipeline.run_async if self.is_async else self._pipeline.run
        wanted = {each.component for each in self._documents}
        return lambda: run(data=haystack.data_for(self._questions, query), include_outputs_from=wanted)

    def passages(self, value: Any) -> Any:
        return haystack.documents_in(value, self._documents)


def langchain_retriever(spec: str) -> FrameworkRetriever:
    """Load a LangChain retriever, or another Runnable that returns documents; raises ConfigurationError."""
    runnable = package("langchain_core.runnables", langchain.INSTALL).Runnable
    loaded = load_object(spec, langchain.PREFIX, "a retriever", lambda each: isinstance(each, runnable))
    return FrameworkRetriever(loaded, "ainvoke")


def llamaindex_retriever(spec: str) -> FrameworkRetriever:
    """Load a LlamaIndex retriever; raises ConfigurationError."""
    retriever = package("llama_index.core.base.base_retriever", llamaindex.INSTALL).BaseRetriever
    expected = "a retriever (index.as_retriever())"
    return FrameworkRetriever(
        load_object(spec, llamaindex.PREFIX, expected, lambda each: isinstance(each, retriever)), "aretrieve"
    )


def haystack_retriever(spec: str) -> HaystackRetriever:
    """Load a Haystack pipeline that retrieves; raises ConfigurationError."""
    package("haystack", haystack.INSTALL)
    expected = "a Pipeline with a retriever in it"
    return HaystackRetriever(load_object(spec, haystack.PREFIX, expected, haystack.is_pipeline))
