"""Names and texts within MLflow's bounds.

MLflow allows letters, digits, `_ - . / :` and spaces (no colon on Windows), up to 250 of them, and reads a slash as a
section. Names are changed as little as possible, and independently of each other, so that the same metric of two runs
stays the same; different names stay different.
"""

import re
from hashlib import blake2b, sha256

from saiten.redaction import redact
from saiten.views.strip_controls import strip_controls

_LONGEST = 500
"""Maximum characters of a value on older servers; `saiten/run.json` contains the whole value."""
_WORD = r"[-.]*\w[-.\w]*"
_PLAIN = re.compile(rf"({_WORD})(?:\[({_WORD}(?:[=,]{_WORD})*)\])?")
"""Names that can be written readably and reversibly: a name, and settings in brackets, without quotation marks."""
_DIGEST = "sha"
"""The prefix of the digest in other names; a plain name has no setting with this name."""
_LONGEST_NAME = 100
"""Maximum characters of a name, since a key contains a system's and a metric's name, and that of the figure."""


def safe_name(name: str) -> str:
    """Convert a name for MLflow: `correctness[evidence=reference,k=5]` → `correctness - evidence reference - k 5`.

    Any other name (with slashes, quotation marks, spaces, or too long) keeps the allowed characters and gets a digest:
    `a/b` → `a_b - sha 5c9a3f0b21de`.
    """
    found = _PLAIN.fullmatch(name)
    if found is not None and not (found[2] or "").startswith(f"{_DIGEST}="):
        title, inside = found.groups()
        readable = title if inside is None else f"{title} - {inside.replace('=', ' ').replace(',', ' - ')}"
        if len(readable) <= _LONGEST_NAME:
            return str(readable)
    kept = re.sub(r"[^\w.-]", "_", name)[:60].strip(".") or "_"
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{kept} - {_DIGEST} {digest}"


def bounded(text: str) -> str:
    """Return the redacted text, or its beginning and a digest of the whole, so that different texts stay different."""
    text = redact(strip_controls(text).encode("utf-8", "backslashreplace").decode())
    if len(text) <= _LONGEST:
        return text
    mark = f" … ({sha256(text.encode()).hexdigest()[:16]})"
    return text[: _LONGEST - len(mark)] + mark
