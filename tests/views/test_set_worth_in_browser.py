"""The page of `saiten testset worth` in a real browser: pictures, both languages, both color schemes, a phone."""

from collections import Counter

import numpy as np
import pytest

import browsing
from saiten.results.set_difficulty import set_difficulty
from saiten.results.set_pairs import pair_worths
from saiten.results.set_scores import SetScores, SystemScores
from saiten.results.set_worth import MeasuredSet, SetWorth
from saiten.testsets.asked_about import StoredChunk, StoredDocument, asked_about
from saiten.views.page.page import as_html
from saiten.views.tables.set_worth import worth_tables
from scored_sets import items

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

HOSTILE = '"><img src=http://127.0.0.1:9/x onerror="document.title=1"><script>document.title=2</script>'


def worth(n, documents, systems):
    """A set of n items over documents of one to nine chunks, the first of which have a question."""
    of = items(n, kinds=("single", "across", "follow_up"))
    stored = [
        StoredDocument(
            f"{number}.md" if number else HOSTILE,
            "",
            tuple(StoredChunk(100 * at, 100 * at + 95, "") for at in range(1 + number % 9)),
        )
        for number in range(documents)
    ]
    random = np.random.default_rng(2)
    scored = tuple(
        SystemScores(name, {item.id: float(random.random()) for item in of}, Counter(), 0)
        for name in (HOSTILE, *(f"システム {number}" for number in range(1, systems)))
    )
    asked = {item.id: item.question for item in of}
    scores = SetScores("token_f1", {item.id: item for item in of}, asked, scored, higher=True)
    made = MeasuredSet(scores, set_difficulty(scores), tuple(pair_worths(scores)))
    return SetWorth(tuple(of), asked_about(of, stored), made)


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(worth, …)`: its page; at teardown there was no error and no other request."""
    with browsing.watched(browser, tmp_path) as open_page:

        def opened(of, scheme="light", size=(1280, 900), **settings):
            (tmp_path / "page.html").write_text(as_html(worth_tables(of), **settings), encoding="utf-8")
            return open_page(scheme, size, javascript=True)

        yield opened


@pytest.mark.parametrize("size", [(1280, 900), (390, 844)])
@pytest.mark.parametrize(("language", "said"), [("en", "no question"), ("ja", "質問なし")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_in_both_languages_and_schemes(opened, language, said, scheme, size):
    """It never scrolls sideways; texts from outside are texts; colors follow the scheme."""
    page = opened(worth(20, 12, 3), scheme, size, language=language)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert page.locator("svg.chart").count() == 4
    assert page.locator("svg.chart").first.get_by_text(said, exact=True).is_visible()
    assert page.locator("img").count() == 0
    assert page.title() not in {"1", "2"}
    fills = page.locator("svg.chart").first.locator("path[fill]").evaluate_all("paths => paths.map(p => getComputedStyle(p).fill)")  # fmt: skip
    assert ("rgb(20, 96, 159)" if scheme == "light" else "rgb(134, 189, 245)") in fills


def test_a_chunk_says_what_is_asked_about_it(opened):
    """The picture has one part per chunk, with its number and its questions, below each other by document."""
    page = opened(worth(20, 12, 2))
    parts = page.locator("svg.chart").first.locator("path > title").all_text_contents()
    assert len([part for part in parts if ": chunk" in part]) == sum(1 + number % 9 for number in range(12))
    assert "5.md: chunk 1 of 6: questions: 1" in parts
    assert "5.md: chunk 2 of 6: no question" in parts


def test_many_documents_are_a_field_of_squares_and_the_worst_in_rows(opened):
    """100 documents: a square each; rows for the 40 with the most chunks without a question."""
    page = opened(worth(30, 100, 8))
    field, rows = (page.locator("svg.chart").nth(number) for number in (0, 1))
    assert field.locator("path > title").count() == 100
    assert page.locator("figcaption").nth(1).inner_text() == "The 40 documents with the most chunks without a question"
    names = [text for text in rows.locator("text").all_text_contents() if text.endswith(".md")]
    assert len(names) == 40
    assert all((int(name.removesuffix(".md")) % 9) >= 4 for name in names)


def test_more_systems_than_marks_are_drawn_as_ranges_and_means(opened):
    """Eight systems: no legend, but the mean of each question."""
    page = opened(worth(30, 3, 8))
    chart = page.locator("svg.chart").nth(1)
    assert chart.locator("title").filter(has_text="mean").count() == 30
    assert "システム 3" not in chart.locator("text").all_text_contents()
