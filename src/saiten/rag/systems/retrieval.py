"""The contract with your retriever: the object in which queries are sent, and the accepted passages.

A query is `{"query", "k", "language"}`. The reply is a list of passages, best first, or an object with one (`passages`,
also `contexts`, `documents` or `retrieved_contexts`) and optionally `usage`. Passages have the forms of the contexts of
an answer (`contract.py`). More than k are cut off; an empty list means that nothing was found.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from saiten.errors import CallFailed
from saiten.models.layers import Layer
from saiten.rag.systems.contract import CONTEXTS, last_of, read_usage
from saiten.rag.systems.passages import read_passages
from saiten.rag.systems.plain_values import names_in
from saiten.records import FREE, Retrieved
from saiten.text.language import detect_language

_PASSAGES = ("passages", *CONTEXTS)


def query_object(query: str, k: int) -> dict[str, Any]:
    """Return the query as sent."""
    return {"query": query, "k": k, "language": detect_language(query)}


def read_retrieved(value: Any, k: int) -> Retrieved:
    """Read the k best passages from a retriever's reply; a retriever that reports no usage costs nothing.

    Raises:
        ValueError: it is no list of passages, nor an object with one; the message says what was expected.
    """
    if isinstance(value, Retrieved):
        return replace(value, passages=(read_passages(value.passages, "passages") or ())[:k])
    name, found, usage = "passages", value, FREE
    if isinstance(value, Mapping):
        known = next((each for each in _PASSAGES if each in value), None)
        if known is None:
            raise ValueError(f"expected an object with `passages`, got one with {names_in(value)}")
        name, found = known, value[known]
        usage = FREE if value.get("usage") is None else read_usage(value["usage"])
    passages = read_passages(found, name)
    if passages is None:
        raise ValueError(f"`{name}` must be a list, got nothing (null, None); for no passages, return an empty list")
    return Retrieved(passages[:k], usage)


async def find(
    around: Sequence[Layer], attempt: Callable[[], Awaitable[Retrieved]], query: str, name: str
) -> Retrieved:
    """Return what the successful attempt found, with the usage of all.

    Raises:
        CallFailed: no attempt succeeded; the text names the retriever.
        ConfigurationError: passed on.
    """

    async def one() -> Retrieved:
        try:
            return await attempt()
        except CallFailed as error:  # an attempt without a reply costs what is known of it: nothing
            raise error.with_usage(FREE) from error

    try:
        return await last_of(around, one, query)
    except CallFailed as error:
        raise CallFailed(
            f"the evidence could not be retrieved from {name}: {error}", error.usage, kind=error.kind
        ) from error
