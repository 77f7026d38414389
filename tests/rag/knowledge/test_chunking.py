"""Chunking: chunks end with sentences, lose nothing, and record their position."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import ConfigurationError
from saiten.rag.knowledge.chunking import Chunk, cut, inside_grapheme

"""The same examples on every run, and no clock."""

JAPANESE = "電池は三年ごとに交換します。型番はABC-1です。\n「本当ですか？」と聞かれた。価格は税込で百円、送料は別です！"
ENGLISH = "The battery lasts 3.5 years, says Dr. Smith. Change it then! Is it dear? No.\n\nSee the manual for more.\n"
MESSY = st.lists(
    st.sampled_from(
        [
            *"あ漢ア。！？、」「a.b ,\n\r\t\u3000\u200d\u0301\u3099\uff9e\ufe0f",
            "\r\n",
            "\n\n",
            "e\u0301",
            "か\u3099",
            "🇯🇵",
            "👩\u200d🔬",
            "👍\U0001f3fd",
            "\u1112\u1161\u11ab",
            " " * 40,
            "x" * 30,
            "文が続く",
            "Dr. No",
            "これで終わり。",
            "The end. ",
        ]
    ),
    max_size=60,
).map("".join)


def texts(text, size, overlap=0):
    """The texts of the chunks."""
    return [chunk.text for chunk in cut(text, size, overlap)]


@pytest.mark.parametrize(
    ("text", "size", "chunks"),
    [
        ("", 10, []),
        (" \n\u3000\t", 10, []),
        ("短い。", 10, ["短い。"]),
        ("  短い。\n\n", 10, ["短い。"]),
        ("一つ目の文です。二つ目の文です。三つ目です。", 12, ["一つ目の文です。", "二つ目の文です。", "三つ目です。"]),
        ("彼は「行くよ。」と言った。それから出た。", 15, ["彼は「行くよ。」と言った。", "それから出た。"]),
        ("It costs 3.5 euros. Not more.", 21, ["It costs 3.5 euros.", "Not more."]),
        ("He saw Dr. Smith there. Then he left.", 25, ["He saw Dr. Smith there.", "Then he left."]),
        ("最初の行\n次の行は長い長い長い", 6, ["最初の行", "次の行は長い", "長い長い"]),
        ("one two three four five", 10, ["one two", "three four", "five"]),
        ("非常に長い文で、終わりが見えないまま続いて", 10, ["非常に長い文で、", "終わりが見えないまま", "続いて"]),
        ("あいうえおかきくけこさしすせそ", 6, ["あいうえおか", "きくけこさし", "すせそ"]),
        (
            "短。これはとても長くて切れ目がない文なので途中で切る",
            12,
            ["短。これはとても長くて切", "れ目がない文なので途中で", "切る"],
        ),
        ("aaaa bbbb\r\ncccc", 10, ["aaaa bbbb", "cccc"]),
    ],
)
def test_a_chunk_ends_with_a_sentence_else_a_line_else_a_word_if_one_ends_in_its_last_third(text, size, chunks):
    """Sentence ends come first, then ends of lines, words and clauses; if none is near, the size decides."""
    assert texts(text, size) == chunks


@pytest.mark.parametrize(
    ("text", "size", "overlap", "chunks"),
    [
        (
            "一つ目の文です。二つ目の文です。三つ目です。",
            17,
            9,
            ["一つ目の文です。二つ目の文です。", "二つ目の文です。三つ目です。"],
        ),
        ("one two three four five", 10, 4, ["one two", "two three", "four five"]),
        ("あいうえおかきくけこさ", 6, 2, ["あいうえおか", "おかきくけこ", "けこさ"]),
        ("a" + " " * 100 + "b", 10, 5, ["a", "b"]),
        ("あいう", 2, 1, ["あい", "いう"]),
        ("abcdef", 4, 2, ["abcd", "ef"]),
    ],
)
def test_the_overlap_begins_with_a_sentence_or_a_word_where_one_begins(text, size, overlap, chunks):
    """The next chunk repeats at most `overlap` characters, whole sentences or words."""
    assert texts(text, size, overlap) == chunks


@given(MESSY, st.integers(1, 60))
def test_chunks_cover_everything_once_and_in_order(text, size):
    """Without overlap only white space lies between the chunks, offsets are exact, and none is too long."""
    place = 0
    for chunk in cut(text, size):
        assert chunk == Chunk(text[chunk.start : chunk.end], chunk.start, chunk.end)
        assert chunk.text.strip()
        assert len(chunk.text) <= size
        assert not text[place : chunk.start].strip()
        place = chunk.end
    assert not text[place:].strip()


@given(MESSY, st.integers(2, 60), st.data())
def test_overlapping_chunks_go_on_and_leave_nothing_out(text, size, data):
    """With overlap each chunk ends after the previous one, begins at most `overlap` before its end; nothing is lost."""
    overlap = data.draw(st.integers(0, size - 1))
    start, end = -1, 0
    for chunk in cut(text, size, overlap):
        assert chunk.text == text[chunk.start : chunk.end]
        assert len(chunk.text) <= size
        assert chunk.start > start
        assert chunk.end > end
        assert chunk.start >= end - overlap
        assert not text[end : max(chunk.start, end)].strip()
        start, end = chunk.start, chunk.end
    assert not text[end:].strip()


@given(MESSY, st.integers(12, 60), st.integers(0, 11))
def test_no_cut_parts_a_character(text, size, overlap):
    """What a reader sees as one character stays whole if it fits into a chunk."""
    longest = run = 0
    for at in range(len(text)):
        run = run + 1 if inside_grapheme(text, at) else 1
        longest = max(longest, run)
    if longest > size - overlap:
        return
    for chunk in cut(text, size, overlap):
        assert not inside_grapheme(text, chunk.start)
        assert not inside_grapheme(text, chunk.end)


@pytest.mark.parametrize(
    "whole",
    [
        "\r\n",
        "か\u3099",
        "ｶ\uff9e",
        "e\u0301\u0323",
        "👩\u200d🔬",
        "👍\U0001f3fd",
        "🇯🇵",
        "\u1112\u1161\u11ab",
        "☺\ufe0f",
        "葛\U000e0100",
    ],
)
def test_one_character_of_several_code_points_is_known(whole):
    """Marks, joiners, selectors, skin tones, flags and Korean syllables belong to what they follow."""
    text = f"あ{whole}い"
    assert [at for at in range(len(text) + 1) if inside_grapheme(text, at)] == list(range(2, 1 + len(whole)))


def test_flags_go_in_pairs():
    """Of four regional indicators in a row, the second and third are halves of two flags."""
    assert [inside_grapheme("🇯🇵🇺🇸", at) for at in range(5)] == [False, True, False, True, False]


@pytest.mark.parametrize("text", [JAPANESE * 20, ENGLISH * 20])
def test_prose_is_cut_at_sentence_ends_only(text):
    """In ordinary Japanese and English, every chunk of 200 characters ends with a sentence and is nearly full."""
    chunks = list(cut(text, 200))
    assert all(chunk.text[-1] in "。！？.!?" for chunk in chunks)
    assert all(len(chunk.text) > 133 for chunk in chunks[:-1])
    assert list(cut(text, 200)) == chunks


def test_a_composed_letter_is_no_reason_to_cut_elsewhere():
    """Japanese in decomposed form, which macOS sometimes writes, is cut like any other."""
    text = unicodedata.normalize("NFD", "ガギグゲゴ。" * 30)
    assert all(chunk.text.endswith("。") for chunk in cut(text, 50))


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, -1)])
def test_impossible_sizes_are_refused_immediately(size, overlap):
    """A size below 1 or an overlap as large as the size is refused before anything is cut."""
    with pytest.raises(ConfigurationError, match="chunk"):
        cut("text", size, overlap)


@pytest.mark.parametrize("piece", [" ", "\n", "a", "\u0301", "「", "。", ".", "🇯", "\u200d", "あ"])
@pytest.mark.parametrize("overlap", [0, 200])
def test_a_million_of_one_sign_is_cut_all_the_same(piece, overlap):
    """No text slows down the cutting: each position is examined a bounded number of times."""
    chunks = list(cut(piece * 300_000, 512, overlap))
    assert sum(len(chunk.text) for chunk in chunks) >= (0 if piece.isspace() else 300_000)


def test_chunks_come_as_they_are_asked_for():
    """The first chunk comes before the whole of a long text is cut."""
    chunks = cut(ENGLISH * 100_000)
    assert next(chunks).start == 0
    assert next(chunks).start > 0


@given(MESSY, st.integers(1, 40), st.integers(0, 39))
def test_exact_chunks_are_windows_of_the_text(text, size, overlap):
    """On request, as in the paper: exactly `size` characters, sharing exactly `overlap`, regardless of boundaries."""
    overlap = min(overlap, size - 1)
    chunks = list(cut(text, size, overlap, exact=True))
    assert all(chunk.text == text[chunk.start : chunk.end] and not chunk.text.isspace() for chunk in chunks)
    assert all(chunk.start % (size - overlap) == 0 for chunk in chunks)
    assert all(len(chunk.text) == size for chunk in chunks if chunk.end < len(text))
    held = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    assert all(text[at].isspace() for at in range(len(text)) if at not in held)


def test_exact_chunks_of_512_characters():
    """1,200 characters make 512, 512 and 176, even though a sentence ends shortly before."""
    text = ("x" * 499 + ". ") * 3
    assert [len(chunk.text) for chunk in cut(text[:1200], exact=True)] == [512, 512, 176]
    assert next(len(chunk.text) for chunk in cut(text[:1200])) == 500
