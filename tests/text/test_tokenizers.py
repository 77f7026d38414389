from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.normalization import normalize
from saiten.text.tokenizers import PIECE, SudachiTokenizer, WordTokenizer, morphemes, tokenizer_for

BOTH = [pytest.param(SudachiTokenizer(), id="ja"), pytest.param(WordTokenizer(), id="en")]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("今日は、東京都に行きました。", "今日 は 東京都 に 行き まし た"),
        ("売上は1,200円（3.5％増）です！", "売上 は 1,200 円 3.5 % 増 です"),
        ("ＤＢ２のＳＳＬ設定", "db 2 の ssl 設定"),
        ("The server is down, サーバーが停止", "the server is down サーバー が 停止"),
        ("　\n\t", ""),
        ("★※😀", ""),
        ("", ""),
    ],
)
def test_japanese_words(text, tokens):
    """Sudachi's long units, normalized, without punctuation, symbols and white space."""
    assert SudachiTokenizer().tokens(text) == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Cat sat, didn't it?", "the cat sat didn't it"),
        ("It costs $1,200.50 (3.14%) at 10:30.", "it costs 1,200.50 3.14 at 10:30"),
        ("Einstein’s v11.5 state-of-the-art snake_case", "einstein 's v11.5 state of the art snake case"),
        ("1.Introduction 2, 3", "1 introduction 2 3"),
        ("Ｆｕｌｌ width café", "full width café"),
        ("Restart サーバー2", "restart サ ー バ ー 2"),
        ("'quoted' ...", "quoted"),
        ("", ""),
    ],
)
def test_english_words(text, tokens):
    """Words with their apostrophes, numbers with their separators, Japanese characters one by one."""
    assert WordTokenizer().tokens(text) == tokens.split()


def test_split_modes_give_shorter_units():
    """Mode C keeps a name in one piece, mode A cuts it into its shortest words."""
    assert SudachiTokenizer("C").tokens("選挙管理委員会") == ["選挙管理委員会"]
    assert SudachiTokenizer("A").tokens("選挙管理委員会") == ["選挙", "管理", "委員", "会"]


def test_the_name_says_versions_and_mode():
    """A figure means nothing without its tokenizer, so the name has everything the tokens depend on."""
    expected = f"sudachi-{version('sudachipy')}-core-{version('sudachidict-core')}-C"
    assert (tokenizer_for("ja").name, tokenizer_for("en").name) == (expected, "words-1")
    assert SudachiTokenizer("A").name.endswith("-A")


@pytest.mark.parametrize("tokenizer", BOTH)
@given(text=st.text(alphabet=st.characters(codec=None), max_size=60))
def test_tokens_are_never_empty_and_no_letter_is_lost_altogether(tokenizer, text):
    """For any input, tokens contain no white space, and a text with a letter or digit has a token."""
    tokens = tokenizer.tokens(text)
    assert all(token.split() == [token] for token in tokens)
    assert bool(tokens) or not any(map(str.isalnum, normalize(text)))


@pytest.mark.parametrize("tokenizer", BOTH)
def test_width_and_case_do_not_change_tokens(tokenizer):
    """The same text in full width and capitals has the same tokens."""
    assert tokenizer.tokens("ＤＢ２ サーバー ２０２６年") == tokenizer.tokens("db2 ｻｰﾊﾞｰ 2026年")


@pytest.mark.parametrize("tokenizer", BOTH)
@pytest.mark.parametrize("unit", ["漢字", "かな", "abc ", "𠮷", "1"])
def test_a_text_beyond_sudachis_limit_is_cut_and_not_lost(tokenizer, unit):
    """100,000 characters without a single sentence end come out completely, in order."""
    text = unit * (100_000 // len(unit))
    assert "".join(tokenizer.tokens(text)) == text.replace(" ", "")


def test_a_long_text_has_the_tokens_of_its_sentences():
    """Cuts fall between sentences, so they change no token."""
    sentences = [f"第{n}章では東京都の選挙管理委員会について述べます。" for n in range(2_000)]
    long = "".join(sentences)
    assert len(long) > 10 * PIECE
    tokens = SudachiTokenizer().tokens
    assert tokens(long) == [token for sentence in sentences for token in tokens(sentence)]


def test_threads_do_not_get_in_each_others_way():
    """Sudachi refuses a tokenizer that another thread is using; each thread has its own."""
    texts = [f"{n}番目の文です。今日は東京都に行きました。" * 20 for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(SudachiTokenizer().tokens, texts))
    assert together == [SudachiTokenizer().tokens(text) for text in texts]
    assert [tokens[0] for tokens in together] == [str(n) for n in range(200)]


def test_a_caller_that_changes_its_tokens_affects_nobody_else():
    """Tokens are kept for the next metric, which gets a list of its own."""
    WordTokenizer().tokens("one two").append("three")
    assert WordTokenizer().tokens("one two") == ["one", "two"]


def test_a_lone_surrogate_does_not_stop_sudachi():
    """Sudachi cannot encode one, so it is replaced first."""
    assert SudachiTokenizer().tokens("\ud800東京\udfff") == ["東京"]


def test_morphemes_have_their_grammar_and_place():
    """Punctuation and white space are among them, so that they join to the text."""
    text = "会議室は30日前から\n予約でき、２時間まで。"
    found = morphemes(text)
    assert "".join(each.surface for each in found) == text
    assert all(text[each.start : each.end] == each.surface for each in found)
    able = next(each for each in found if each.surface == "でき")
    assert (able.base, able.form.partition("-")[0]) == ("できる", "連用形")
    assert found[0].part.startswith("名詞-普通名詞")
