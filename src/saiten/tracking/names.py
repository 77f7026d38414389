"""Names that MLflow takes, for metrics, systems and groups that are called as anybody likes.

MLflow allows letters, digits, `_ - . / :` and spaces (no colon on Windows), up to 250 of them, and reads a slash as a
section. A name is changed as little as can be, and always in the same way, whatever other names there are, so that the
same metric of two runs is the same metric; two names are never the same one afterwards.
"""

import re
from hashlib import blake2b

_WORD = r"[-.]*\w[-.\w]*"
_PLAIN = re.compile(rf"({_WORD})(?:\[({_WORD}(?:[=,]{_WORD})*)\])?")
"""What can be written readably and read back: a name, and settings in brackets, without quotation marks."""
_DIGEST = "sha"
"""Before the digest of a name that cannot; a setting of that name does not stand in a plain one."""
_LONGEST = 100
"""Characters of a name: a system's and a metric's stand in one key, with the name of the figure."""
_KEPT = 60


def safe_name(name: str) -> str:
    """The name as MLflow takes it: `correctness[evidence=reference,k=5]` → `correctness - evidence reference - k 5`.

    Any other (with slashes, quotation marks, spaces, or too long) keeps what can be kept and gets a digest:
    `a/b` → `a_b - sha 5c9a3f0b21de`.
    """
    found = _PLAIN.fullmatch(name)
    if found is not None and not (found[2] or "").startswith(f"{_DIGEST}="):
        title, inside = found.groups()
        readable = title if inside is None else f"{title} - {inside.replace('=', ' ').replace(',', ' - ')}"
        if len(readable) <= _LONGEST:
            return str(readable)
    kept = re.sub(r"[^\w.-]", "_", name)[:_KEPT].strip(".") or "_"
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{kept} - {_DIGEST} {digest}"
