"""A page in a real browser: Chromium and Playwright, if installed; otherwise the tests that need them are skipped.

playwright = browsing.playwright()      # skips the module where it is missing
pytestmark = browsing.MARKS
browser = browsing.browser              # a fixture: Chromium, started once a module
with browsing.watched(browser, folder) as open_page: ...
"""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
MARKS = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium fonts-noto-cjk"),
    pytest.mark.xdist_group("browser"),
    pytest.mark.slow,  # one test of reports and one of annotation are witnesses and run in `make test`
    pytest.mark.flaky(reruns=1),  # a browser that shares two cores may be late; a second try is counted and shown
]


def playwright():
    """Return Playwright's module, or skip the calling module if it is not installed."""
    return pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without logging."""

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture(scope="module")
def browser():
    """Chromium, started once."""
    with playwright().sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@contextmanager
def watched(chromium, folder, *, from_file: bool = False) -> Iterator:
    """`open_page(scheme, size, javascript)` opens `folder/page.html`, served from loopback or, `from_file`, as a file.

    Afterwards there was no error and no other request.
    """
    asked, errors, contexts = [], [], []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/page.html"
    if from_file:
        address = (folder / "page.html").as_uri()

    def open_page(scheme, size, *, javascript):
        context = chromium.new_context(
            color_scheme=scheme, viewport={"width": size[0], "height": size[1]}, java_script_enabled=javascript
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    server.shutdown()
    server.server_close()
    assert errors == []
    assert set(asked) == {address}
