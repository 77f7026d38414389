"""Digests that a run keeps in memory: 8 bytes per sample and per score, whatever the length of their texts."""

from hashlib import blake2b


def content_key(content: bytes) -> int:
    """Return a digest of 8 bytes: with 10 million items, two collide by chance in one of 400,000 runs."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")


def id_key(identity: str) -> int:
    """Return the digest of a sample's id."""
    return content_key(identity.encode("utf-8", "surrogatepass"))


def score_key(sample: str, metric: str) -> int:
    """Return the digest of a pair of sample and metric; the length separates ("a", "bc") from ("ab", "c")."""
    return id_key(f"{len(sample)}:{sample}{metric}")
