"""A text is tokenized once per run, in bounded memory."""

from collections import Counter
from functools import partial

import pytest

from saiten.metrics.catalog import make_metrics
from saiten.metrics.overlap import squad
from saiten.records import Sample
from saiten.text import tokenizers
from saiten.text.remembered import Remembered


def test_a_text_is_computed_once_while_it_is_in_use():
    """A result that is used again and again stays, however many other texts come between."""
    computed = Counter()

    def length(text):
        computed[text] += 1
        return len(text)

    remembered = Remembered(length, characters=10_000)
    for number in range(1_000):
        assert remembered("the reference") == 13
        remembered(f"answer {number}")
    assert set(computed.values()) == {1}


def test_memory_is_bounded_by_characters():
    """Old results are dropped; many short texts count, too, and a text longer than everything is not kept."""
    remembered = Remembered(len, characters=10_000)
    for number in range(5_000):
        remembered(str(number))
        assert len(remembered) < 2 * 10_000 / 64 + 2
    kept = len(remembered)
    assert remembered("x" * 10_001) == 10_001
    assert len(remembered) == kept


@pytest.mark.parametrize(("language", "texts"), [("en", ("The cat sat.", "A cat.")), ("ja", ("猫が座った。", "猫。"))])
async def test_all_overlap_metrics_tokenize_a_text_once(monkeypatch, language, texts):
    """Ten metrics and two answers with one reference: each tokenizer sees each text once."""
    seen = Counter()

    def counting(function, name, text):
        seen[name, text] += 1
        return function(text)

    for module, name in ((tokenizers, "_words"), (squad, "_words_of")):
        function = getattr(module, name)._function
        monkeypatch.setattr(module, name, Remembered(partial(counting, function, name)))
    morphemes = {"C": Remembered(partial(counting, partial(tokenizers._split_morphemes, "C"), "_morphemes"))}
    monkeypatch.setattr(tokenizers, "_morphemes", morphemes)
    for answer in (*texts, "x"):
        sample = Sample("s", answer=answer, reference=texts[1], contexts=texts, language=language)
        for metric in make_metrics(["overlap"]):
            assert (await metric.score(sample, None)).status == "ok"
    assert set(seen.values()) == {1}
    used = {"en": {"_words", "_words_of"}, "ja": {"_morphemes"}}[language]
    assert set(seen) == {(name, text) for name in used for text in (*texts, "x")}
