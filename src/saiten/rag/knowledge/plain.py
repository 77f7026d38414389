"""Plain text and Markdown, unchanged except for Markdown's front matter, of which only the title is kept."""

import re

from saiten.rag.knowledge.decoding import decoded
from saiten.rag.knowledge.documents import Pieces, tidied

_LONGEST_FRONT_MATTER = 1 << 16
_FRONT_MATTER = re.compile(r"\s*(---|\+\+\+)[ \t]*\n(.*?\n)?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"[\w-]+[ \t]*[:=]", re.ASCII)
_TITLE = re.compile(r"""^title[ \t]*[:=][ \t]*(["']?)(\S.*?)\1[ \t]*$""", re.MULTILINE)


def text_pieces(data: bytes) -> Pieces:
    """Yield the text unchanged. Raises NoText."""
    text, note = decoded(data)
    yield tidied(text)
    return note


def markdown_pieces(data: bytes) -> Pieces:
    """Yield the text with its markup; YAML or TOML front matter is replaced by its title. Raises NoText."""
    text, note = decoded(data)
    text = tidied(text)
    found = _FRONT_MATTER.match(text, 0, _LONGEST_FRONT_MATTER)
    fields = found and found[2]
    if found and (fields is None or _FIELD.match(fields.lstrip())):
        title = _TITLE.search(fields or "")
        body = text[found.end() :]
        text = f"{title[2]}\n\n{body}" if title and title[2] not in body[:200] else body
    yield text
    return note
