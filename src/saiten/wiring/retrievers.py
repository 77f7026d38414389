"""Retrievers of evidence by name: those of the system under test, instead of saiten's own knowledge base.

python:module:function      a Python function; also path/to/file.py:function
http:URL                    an HTTP service that implements the contract in docs/experiments.md; also http://…, https://…
langchain:FILE.py:NAME      a LangChain retriever
llamaindex:FILE.py:NAME     a LlamaIndex retriever
haystack:FILE.py:NAME       a Haystack pipeline that retrieves; all three also as KIND:module:name
"""

from collections.abc import Callable, Mapping

from saiten.errors import ConfigurationError
from saiten.models.budget import Budget
from saiten.models.layers import Layer
from saiten.models.limits import Limits, Retries
from saiten.models.stack import layers
from saiten.protocols import Retriever
from saiten.rag.systems.frameworks import haystack, langchain, llamaindex, retrievers
from saiten.rag.systems.http_address import HttpAddress
from saiten.rag.systems.http_retriever import HttpRetriever
from saiten.rag.systems.in_process_retriever import InProcessRetriever, PassageSource
from saiten.rag.systems.loading import is_in_file, load_function
from saiten.rag.systems.python_function import PythonRetriever
from saiten.redaction import redact_name
from saiten.wiring.models import Models

AT_ONCE = 8
"""Queries in flight at most: like a system under test, a retriever is often one small server."""

_FORMS = (
    "FILE.py:FUNCTION, python:MODULE:FUNCTION, http://HOST/PATH, or langchain:, llamaindex: or haystack:FILE.py:NAME"
)


def assemble_retriever(spec: str, models: Models, *, k: int = 5, headers: Mapping[str, str] | None = None) -> Retriever:
    """Return the retriever with this name, which the caller closes; it finds k passages unless asked for others.

    `headers` are sent to an HTTP service, and stored nowhere; a value `env:NAME` is that of an environment variable.

    Raises:
        ConfigurationError: the name, the function, the address or a key is missing or wrong; the text says what to do.
    """
    spec, headers = spec.strip(), headers or {}
    prefix = spec.partition(":")[0]
    if prefix in {"http", "https"}:
        return _http(spec, models, k, headers)
    if headers:
        raise ConfigurationError(f"--retriever-header is for a retriever at an address, not for {redact_name(spec)}")
    source = _source(spec, prefix)
    how = models.calls
    return InProcessRetriever(
        source, k=k, timeout=how.timeout, concurrency=min(AT_ONCE, how.concurrency), around=_around(models, retries=0)
    )


def _source(spec: str, prefix: str) -> PassageSource:
    if prefix in _FRAMEWORKS:
        return _FRAMEWORKS[prefix](spec)
    if prefix == "python" or is_in_file(spec):
        return PythonRetriever(load_function(spec, takes="query"))
    hint = f"; which function in it? {spec}:FUNCTION" if spec.endswith(".py") else ""
    base = "; a knowledge base is for --kb" if not hint and ":" not in spec else ""
    raise ConfigurationError(f"unknown retriever {redact_name(spec)!r}; expected {_FORMS}{hint}{base}")


def _http(spec: str, models: Models, k: int, headers: Mapping[str, str]) -> Retriever:
    address = models.with_key(HttpAddress.parse(spec, models.resolved(headers)))
    around = _around(models, retries=models.calls.retries)
    return HttpRetriever(address, k=k, timeout=models.calls.timeout, around=around)


_FRAMEWORKS: Mapping[str, Callable[[str], PassageSource]] = {
    langchain.PREFIX: retrievers.langchain_retriever,
    llamaindex.PREFIX: retrievers.llamaindex_retriever,
    haystack.PREFIX: retrievers.haystack_retriever,
}
"""Prefix of an object's name → loader."""


def _around(models: Models, *, retries: int) -> tuple[Layer, ...]:
    """Return the layers around each query, which counts as no call of a model unless the retriever reports any."""
    return layers(
        retries=Retries(attempts=retries + 1),
        limits=Limits(min(AT_ONCE, models.calls.concurrency)),
        budget=Budget(account=models.account),
    )
