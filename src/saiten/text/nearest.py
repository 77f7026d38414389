"""The nearest passage of a long text to a short one that occurs there in slightly different words.

Shared runs of three characters locate candidates, so that time is not length times length; there rapidfuzz aligns, and
the ends are chosen for the highest agreement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

THRESHOLD = 75.0
"""Minimum agreement for a match: rapidfuzz's `ratio`, twice the characters in common (in order) / all characters of
both, times 100. Copies with a changed word or ending are above, other statements about the same thing mostly below; set
by hand."""

_GRAM = 3
_SHORTEST = 4  # minimum characters; almost anything is near a shorter text
_POSTINGS = 200  # maximum places kept per run; frequent runs say little about location
_GRAMS_USED = 32  # maximum runs of a unit looked up, the rarest first
_REGIONS = 5  # maximum regions of the text in which an alignment is tried
_LONG = 400  # characters from which a unit is found by its two ends, since alignment takes length times length
_END = 150  # characters per end
_ENDS = 6  # common stretches on either side of an alignment considered as its ends


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A passage of the text and its agreement, 0 to 100."""

    start: int
    end: int
    agreement: float


def index_grams(text: str) -> Mapping[str, Sequence[int]]:
    """Return the first places of each run of three characters."""
    postings: dict[str, list[int]] = {}
    for at in range(len(text) - _GRAM + 1):
        places = postings.setdefault(text[at : at + _GRAM], [])
        if len(places) < _POSTINGS:
            places.append(at)
    return postings


def nearest(short: str, text: str, postings: Mapping[str, Sequence[int]]) -> list[NearPassage]:
    """Return a few passages with sufficient agreement, best first."""
    if len(short) < _SHORTEST:
        return []
    if len(short) > _LONG:
        near = _between_ends(short, text, postings)
    else:
        found = {_aligned(short, text, low, high) for low, high in _regions(short, len(text), postings)}
        near = [passage for passage in found if passage is not None and passage.agreement >= THRESHOLD]
    return sorted(near, key=lambda passage: (-passage.agreement, passage.start))


def _between_ends(long: str, text: str, postings: Mapping[str, Sequence[int]]) -> list[NearPassage]:
    """Return the passages between matches of the unit's beginning and end."""
    beginnings, ends = (nearest(piece, text, postings) for piece in (long[:_END], long[-_END:]))
    spans = {(first.start, last.end) for first in beginnings for last in ends}
    likely = [(start, end) for start, end in spans if len(long) / 2 < end - start < len(long) * 2]
    tried = [NearPassage(start, end, fuzz.ratio(long, text[start:end])) for start, end in likely]
    return [passage for passage in tried if passage.agreement >= THRESHOLD]


def _regions(short: str, length: int, postings: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield likely ranges for the short text, by the runs shared with the long one; rare runs weigh more."""
    grams = [(short[at : at + _GRAM], at) for at in range(len(short) - _GRAM + 1)]
    known = sorted((len(postings[gram]), at, gram) for gram, at in grams if gram in postings)
    wide = max(8, len(short) // 4)
    votes: dict[int, float] = {}
    for often, at, gram in known[:_GRAMS_USED]:
        for place in postings[gram]:
            bucket = (place - at) // wide
            votes[bucket] = votes.get(bucket, 0.0) + 1 / often
    together = {bucket: vote + votes.get(bucket + 1, 0.0) for bucket, vote in votes.items()}
    for bucket in sorted(together, key=lambda bucket: (-together[bucket], bucket))[:_REGIONS]:
        yield max(0, (bucket - 1) * wide), min(length, (bucket + 3) * wide + len(short))


def _aligned(short: str, text: str, low: int, high: int) -> NearPassage | None:
    """Return the passage of `text[low:high]` with the highest agreement."""
    rough = fuzz.partial_ratio_alignment(short, text[low:high])
    if rough is None:
        return None
    slack = max(4, len(short) // 4)
    first, last = max(low, low + rough.dest_start - slack), min(high, low + rough.dest_end + slack)
    equal = [op for op in Indel.opcodes(short, text[first:last]) if op.tag == "equal"]
    starts = {first + op.dest_start for op in equal[:_ENDS]}
    ends = {first + op.dest_end for op in equal[-_ENDS:]}
    tried = [
        NearPassage(start, end, fuzz.ratio(short, text[start:end])) for start in starts for end in ends if start < end
    ]
    return max(tried, key=lambda one: (one.agreement, -one.start, -one.end), default=None)
