"""`saiten show RUN --gist`: what answers lack and add, next to their references, on the screen and as a page."""

import pytest
from lxml import html

from saiten.demo.gist import load_gist


@pytest.fixture
def run(saiten, data, once):
    """A run over the built-in Japanese samples."""
    rows = [
        {"id": one.sample.id, "question": one.sample.question, "answer": one.sample.answer, "reference": one.sample.reference}
        for one in load_gist("ja")
    ]  # fmt: skip

    def make():
        assert saiten("score", data(rows), "-m", "gist", "-m", "length", "-o", "run", "-q").status == 0

    once(make)
    return "run"


def test_all_answers_are_shown_on_the_screen(saiten, run):
    """The profiles, the legend once, then each answer next to its reference."""
    shown = saiten("show", run, "--gist")
    assert shown.status == 0
    assert (
        shown.out.index("What answers lack and add") < shown.out.index("⟦-G missing gist⟧") < shown.out.index("ja-g01")
    )
    assert (shown.out.count("⟦-G missing gist⟧"), shown.out.count("─ reference ─")) == (1, 24)


def test_one_answer_is_shown_with_its_units(saiten, run):
    """With --sample it is shown with its other scores; with --gist, alone."""
    whole = saiten("show", run, "--sample", "ja-g03")
    assert (whole.status, "length" in whole.out, "⟦-G " in whole.out) == (0, True, True)
    alone = saiten("show", run, "--gist", "--sample", "ja-g03")
    assert (alone.status, "length" in alone.out, "⟦-G " in alone.out) == (0, False, True)


@pytest.mark.parametrize(("more", "blocks"), [((), 24), (("--sample", "ja-g03"), 1)])
def test_the_page_goes_to_standard_output(saiten, run, more, blocks):
    """The page is in the samples' language, and nothing else is printed."""
    written = saiten("show", run, "--gist", "--format", "html", *more)
    assert (written.status, written.err) == (0, "")
    assert written.out.startswith("<!DOCTYPE html>")
    assert written.out.endswith("</html>\n")
    page = html.document_fromstring(written.out.encode())
    assert (page.get("lang"), len(page.xpath("//article"))) == ("ja", blocks)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--format", "csv"), "supports table and html"),
        (("--worst", "length"), "cannot be combined"),
        (("--sample", "nobody"), "no sample 'nobody'"),
    ],
)
def test_what_cannot_be_shown_is_said(saiten, run, more, said):
    """The message says what to do instead, and nothing is on standard output."""
    refused = saiten("show", run, "--gist", *more)
    assert (refused.status, refused.out) == (2, "")
    assert said in " ".join(refused.err.split())


def test_a_run_without_gist_says_what_it_has(saiten, data):
    """Users see what was scored."""
    path = data([{"id": "q", "question": "q", "answer": "a"}])
    assert saiten("score", path, "-m", "length", "-o", "plain", "-q").status == 0
    refused = saiten("show", "plain", "--gist")
    assert (refused.status, refused.out) == (2, "")
    assert "no scores of gist; it has length" in " ".join(refused.err.split())
