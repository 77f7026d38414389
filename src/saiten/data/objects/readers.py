"""The tables of all tools as one."""

from saiten.data.objects import deepeval, haystack, langchain, llama_index, ragas
from saiten.data.objects.types import Kind, Readers

VALUES: Readers = {
    **deepeval.VALUES,
    **haystack.VALUES,
    **langchain.VALUES,
    **llama_index.VALUES,
    ("pandas", "NAType"): lambda _: None,
}
"""What may be a value in a row: an answer, a message, a document."""
ROWS: Readers = {**deepeval.ROWS, **haystack.ROWS, **ragas.ROWS}
"""What is a row; models and dataclasses that are not here are read by their declared fields."""
COLLECTIONS: Readers = {**deepeval.COLLECTIONS, **ragas.COLLECTIONS}
"""What has rows."""
UNREAD: dict[Kind, dict[str, str]] = {**deepeval.UNREAD, **ragas.UNREAD}
"""Field → a sentence for the user if it is filled."""
