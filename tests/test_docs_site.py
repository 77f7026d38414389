"""The site that `make docs` builds: one language at a time, and every link leads somewhere, also between the languages."""

import functools
import http.server
import re
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

import browsing

pytestmark = pytest.mark.slow
pytest.importorskip("furo", reason="`make check` installs the documentation's tools")
ROOT = Path(__file__).parent.parent
JAPANESE = re.compile("[぀-ヿ㐀-鿿]")
browser = browsing.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Both sites, built by the commands of `make docs`."""
    folder = tmp_path_factory.mktemp("site")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in re.findall(r"\$\(BIN\)/sphinx-build (.*docs/_build.*)", makefile):
        words = line.replace("docs/_build", str(folder)).split()
        command = [sys.executable, "-m", "sphinx", *words]
        made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
    return folder


class Page(HTMLParser):
    """Where a page's links lead, its ids, its language, and the links and captions of its sidebar."""

    def __init__(self, file):
        super().__init__()
        self.links, self.ids, self.sidebar, self.captions = [], set(), [], []
        self.language = self.counterpart = None
        self.inside = self.caption = False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        """Collect what the tag has."""
        has = dict(attrs)
        classes = (has.get("class") or "").split()
        self.ids.add(has.get("id"))
        if tag == "html":
            self.language = has["lang"]
        if tag == "div" and "sidebar-tree" in classes:
            self.inside = True
        if tag == "article":
            self.inside = False
        self.caption = "caption-text" in classes or (self.caption and tag == "span")
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
            if self.inside:
                self.sidebar.append(has["href"])
            if "sidebar-counterpart" in classes:
                self.counterpart = has["href"]

    def handle_data(self, data):
        """Collect the captions."""
        if self.caption and data.strip():
            self.captions.append(data)
            self.caption = False


@pytest.fixture(scope="module")
def pages(site):
    """Each page by its file."""
    return {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}


def target(file, link):
    """The file that a link of a page leads to, and the place on it."""
    parts = urlsplit(link)
    return (file.parent / unquote(parts.path)).resolve() if parts.path else file, unquote(parts.fragment)


def test_every_link_of_the_site_leads_somewhere(pages):
    """To a file of the site and, with a fragment, to a place on its page; between the languages, too."""
    broken = []
    for file, page in pages.items():
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            to, place = target(file, link)
            if not to.is_file() or (place and to in pages and place not in pages[to].ids):
                broken.append(f"{file.name}: {link}")
    assert not broken


def test_a_page_has_the_sidebar_of_its_language_only(site, pages):
    """English pages list English pages, Japanese pages Japanese ones, below captions of the same language."""
    japanese = site / "ja"
    for file, page in pages.items():
        own = file.is_relative_to(japanese)
        assert page.language == ("ja" if own else "en"), file
        assert page.sidebar, file
        assert {target(file, link)[0].is_relative_to(japanese) for link in page.sidebar if link != "#"} <= {own}, file
        assert page.captions, file
        assert {bool(JAPANESE.search(caption)) for caption in page.captions} == {own}, file


def test_every_page_leads_to_its_counterpart(site, pages):
    """To the same page in the other language, to the one that covers it, or to the front page."""
    japanese = site / "ja"
    for file, page in pages.items():
        to, _ = target(file, page.counterpart)
        assert to.is_file(), file
        assert to.is_relative_to(japanese) != file.is_relative_to(japanese), file
    assert target(site / "tutorial.html", pages[site / "tutorial.html"].counterpart)[0] == japanese / "tutorial.html"
    assert target(site / "testing.html", pages[site / "testing.html"].counterpart)[0] == japanese / "index.html"


def in_a_browser(test):
    """The marks of a test that needs Chromium."""
    for mark in browsing.MARKS:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served."""
    handler = functools.partial(browsing.Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@in_a_browser
@pytest.mark.parametrize(
    ("folder", "typed", "heading"),
    [("", "faithfulness", "Search Results"), ("ja/", "評価軸", "検索結果"), ("ja/", "faithfulness", "検索結果")],
)
def test_the_search_finds_pages_of_its_own_language(browser, address, folder, typed, heading):
    """Each site has an index of its own, and says so in its language."""
    page = browser.new_page()
    page.goto(f"{address}/{folder}search.html?q={quote(typed)}")
    page.wait_for_selector(".search-summary:not(:empty)")
    page.wait_for_selector("ul.search li a")
    found = page.eval_on_selector_all("ul.search li a", "links => links.map(link => new URL(link.href).pathname)")
    assert page.inner_text("#search-results h2") == heading
    assert page.inner_text(".search-summary")
    assert {path.startswith("/ja/") for path in found} == {folder == "ja/"}
    page.close()


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "path", ["index.html", "metrics.html", "ja/index.html", "ja/from-app.html", "ja/metric/gist.html"]
)
def test_a_page_fits_its_screen_and_can_be_used_without_a_mouse(browser, address, path, width, scheme):
    """Nothing is wider than the screen, and axe finds nothing serious."""
    reason = "axe is not installed: pip install axe-playwright-python"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason)
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{address}/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
    context.close()
