"""The map that a run and its reader keep instead of a dict."""

from hypothesis import given
from hypothesis import strategies as st

from saiten.digests import Digests

PLACES = st.tuples(st.integers(0, 3) | st.integers(0, 2**64 - 1), st.integers(0, 200))


@given(st.lists(PLACES, max_size=300), st.sampled_from("BQ"))
def test_it_is_a_dict(pairs, numbers):
    """The same answers as a dict, for digests that collide, too; 0 and 1 count as the same digest."""
    found, known = Digests(numbers), {}
    for digest, number in ((digest or 1, number) for digest, number in pairs):
        assert found.get(digest) == known.get(digest)
        assert (digest in found) == (digest in known)
        assert found.put(digest, number) == known.get(digest)
        known[digest] = number
    assert len(found) == len(known)
    assert dict(found.items()) == known
    assert 0 in found if 1 in known else 0 not in found


def test_it_grows():
    """100,000 digests, many with the same last bits, all found."""
    digests = [n * 2**20 + n for n in range(1, 100_001)]
    found = Digests("Q")
    assert all(found.put(digest, 2**63 + digest) is None for digest in digests)
    assert all(found.get(digest) == 2**63 + digest for digest in digests)
    assert found.get(5) is None
    assert len(found) == 100_000
