"""Short stand-ins for what a run has to remember: 8 bytes a sample and a score, whatever their texts are."""

from hashlib import blake2b


def content_key(content: bytes) -> int:
    """A digest of 8 bytes: among 10 million, two are the same by chance once in 400,000 runs."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")


def id_key(identity: str) -> int:
    """Of a sample's id."""
    return content_key(identity.encode("utf-8", "surrogatepass"))


def score_key(sample: str, metric: str) -> int:
    """Of a sample and a metric; the length keeps ("a", "bc") and ("ab", "c") apart."""
    return id_key(f"{len(sample)}:{sample}{metric}")
