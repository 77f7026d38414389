"""The site's search finds Japanese: index and query are tokenized alike."""

import importlib.util
from pathlib import Path

import pytest

import browsing

CASES = [
    ("評価軸", ["評価", "価軸"]),
    ("値", ["値"]),
    ("95 %区間のデータ、token_f1とRX-7800B", ["95", "区間", "間の", "のデ", "デー", "ータ", "token_f1", "と", "RX", "7800B"]),
    ("人々の声", ["人々", "々の", "の声"]),
    ("Choosing a judge", ["Choosing", "a", "judge"]),
    ("", []),
]  # fmt: skip
browser = browsing.browser


@pytest.fixture(scope="module")
def search():
    """The site's search settings."""
    spec = importlib.util.spec_from_file_location("conf", Path(__file__).parent.parent / "docs" / "conf.py")
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    return conf.SearchBoth({})


@pytest.mark.parametrize(("text", "words"), CASES)
def test_japanese_is_indexed_by_pairs_of_characters(search, text, words):
    """Japanese has no spaces: otherwise a word inside a sentence would not be found."""
    assert search.split(text) == words


def in_a_browser(test):
    """The marks of a test that needs Chromium."""
    for mark in browsing.MARKS:
        test = mark(test)
    return test


@in_a_browser
def test_what_is_typed_is_cut_as_what_was_indexed(browser, search):
    """Otherwise index and query would not match."""
    page = browser.new_page()
    cut = [page.evaluate(f"text => {{ {search.js_splitter_code} return splitQuery(text) }}", text) for text, _ in CASES]
    page.close()
    assert cut == [words for _, words in CASES]
