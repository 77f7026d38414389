"""The report on paper: Chromium's PDF is read back and inspected as a picture."""

import pytest
from report_runs import samples, scores

import browsing
from saiten.records import Sample, Score, Scored
from saiten.runs import read_run

browsing.playwright()
pdfium = pytest.importorskip("pypdfium2", reason='pypdfium2 is not installed: pip install "saiten[documents]"')
pytestmark = [*browsing.MARKS, pytest.mark.parametrize("opened", ["file"], indirect=True)]
browser = browsing.browser

LONG = "a_metric_of_our_own_with_a_very_long_name[and=settings,that=go,on=and,on=for,longer=than,a=line]"


@pytest.fixture
def printed(opened, tmp_path):
    """`printed(readers, scheme, …)`: the pages of the PDF, each as text and picture; A4 portrait."""
    documents = []

    def made(readers, scheme="light", **settings):
        page = opened(readers, scheme, **settings)
        page.pdf(path=str(tmp_path / "report.pdf"), format="A4", print_background=True)
        documents.append(pdfium.PdfDocument(str(tmp_path / "report.pdf")))
        return page, documents[-1]

    yield made
    for document in documents:
        document.close()


def text_of(document):
    """All of the page's text, with whitespace collapsed."""
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


@pytest.fixture
def compared(run):
    """Two runs with two systems each and a metric with a long name: wide tables."""

    def of(sample, number):
        yield from scores(sample, number)
        yield Scored(sample.id, LONG, Score(0.5))

    return [read_run(run(name, [*samples(20, system="careful"), *samples(20, system="hasty", start=20)], of)) for name in ("before", "after")]  # fmt: skip


def test_tables_are_printed_in_full(printed, compared):
    """Every cell of every table is printed, up to the last column; the list is not, and a sentence says where it is."""
    page, document = printed(compared, language="en")
    page.emulate_media(media="screen")
    text = text_of(document)
    for heading in ("All runs", "Is the difference real?", "before → after", "Run: after", "Cost and time"):
        assert heading in text
    for table in page.locator("main section table").all()[:6]:
        for row in table.locator("tbody tr").all():
            for word in " ".join(row.locator("th, td").all_inner_texts()).split():
                assert word.strip("[],") in text.replace(" ", "") or word in text, word
    assert "all questions have the same mean" in text, "what is remarked on a row"
    assert "Individual answers are not printed" in text
    assert "Clear filters" not in text
    assert "How old is bridge" not in text


def test_nothing_is_cut_at_the_edge(printed, compared):
    """Every letter lies within the margins; otherwise the page would have been cut there."""
    _, document = printed(compared, language="en")
    for page in document:
        width, height = page.get_size()
        texts = page.get_textpage()
        for at in range(texts.count_rects()):
            left, bottom, right, top = texts.get_rect(at)
            assert 20 < left <= right < width - 20, texts.get_text_bounded(left, bottom, right, top)
            assert 0 < bottom <= top < height


def test_it_is_light_whatever_the_screen_is(printed, compared):
    """Dark ink on white, including charts: a dark page would waste ink."""
    _, document = printed(compared, "dark", language="ja")
    assert len(document) > 3
    for page in document:
        picture = page.render(scale=0.5, grayscale=True).to_numpy()
        assert (picture > 200).mean() > 0.75
        assert (picture[:10] > 250).all()


def test_the_head_of_a_long_table_is_on_each_of_its_pages(printed, run):
    """Each figure has its column head."""
    rows = [Sample(f"q{n}", f"Q{n}?", "A", group=f"group {n:03}") for n in range(90)]
    _, document = printed([read_run(run("first", rows))], language="en")
    of_groups = [text for page in document if (text := page.get_textpage().get_text_bounded()).count("group 0") > 8]
    assert len(of_groups) > 1
    assert all("95 % interval" in text and "questions" in text for text in of_groups)


def test_an_open_answer_is_not_printed_over_the_page(opened, compared, tmp_path):
    """The drawer covers the screen, not the paper."""
    page = opened(compared, language="en")
    page.locator(".matrix .row .cell").first.click()
    page.get_by_role("dialog").wait_for()
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    document = pdfium.PdfDocument(str(tmp_path / "report.pdf"))
    text = text_of(document)
    document.close()
    assert "before → after" in text
    assert "How old is bridge" not in text
