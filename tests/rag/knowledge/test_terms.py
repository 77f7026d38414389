"""Terms and their weights: what must be findable is one term, in any spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.rag.knowledge.base import fuse
from saiten.rag.knowledge.engine import Hit
from saiten.rag.knowledge.terms import document_terms, query_terms, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("RX-7800B", ["rx", "7800b", "rx7800b"]),
        ("ＲＸ－７８００Ｂ", ["rx", "7800b", "rx7800b"]),
        ("RX7800B", ["rx7800b"]),
        ("設定はRX-7800Bの", ["設", "定", "は", "設定", "定は", "rx", "7800b", "rx7800b", "の"]),
        ("ver.1.2.3", ["ver", "1", "2", "3", "ver123"]),
        ("東京", ["東", "京", "東京"]),
        ("ﾌﾟﾘﾝﾀ", ["プ", "リ", "ン", "タ", "プリ", "リン", "ンタ"]),
        ("The printers' batteries", ["the", "printer", "battery"]),
        ("class bus gas his ties", ["class", "bus", "gas", "his", "tie"]),
        ("", []),
        ("…！？ — ☆", []),
        ("\ud800", []),
    ],
)
def test_terms(text, terms):
    """Codes whole and in parts, Japanese as characters and bigrams, English without plurals."""
    assert list(terms_of(text)) == terms


@given(st.text(max_size=200))
def test_weights_are_such_as_a_store_takes(text):
    """Ascending 32-bit indices, one positive weight each; a query has every term of its text."""
    terms, query = document_terms(text, 512), query_terms(text)
    assert list(terms.indices) == sorted(set(terms.indices))
    assert all(0 <= index < 2**32 for index in terms.indices)
    assert all(0 < weight < 2.2 for weight in terms.weights)
    assert query.indices == terms.indices
    assert set(query.weights) <= {1.0}


def test_weights_are_those_of_bm25():
    """tf·(k1 + 1) / (tf + k1·(1 − b + b·length)): worked out for a term that occurs twice in half a chunk."""
    (weight,) = document_terms("ab ab ", 12).weights
    assert weight == pytest.approx(2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 0.5)))


def test_fusion_is_that_of_the_paper():
    """The sum of 1 / (60 + rank), ranks from 1; ties go to the first ranking."""
    one, two = ([Hit(name, 0.0, {}) for name in names] for names in ("abc", "dca"))
    fused = fuse([one, two])
    assert [(hit.id, pytest.approx(hit.score)) for hit in fused] == [
        ("a", 1 / 61 + 1 / 63),
        ("c", 1 / 63 + 1 / 62),
        ("d", 1 / 61),
        ("b", 1 / 62),
    ]
    assert [hit.id for hit in fuse([one[:1], two[:1]])] == ["a", "d"]
