"""The page on other tools: its table names the installed releases, and its examples run."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("ragas", reason="`make interop` installs the tools")

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [DOCS / "other-tools.md", DOCS / "ja" / "other-tools.md"]


def rows(page):
    """Package → release, of the table."""
    return dict(re.findall(r"^\| `([\w-]+)` \| (\d+\.\d+) \|", page.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_table_names_the_releases_that_are_tested_here(page):
    """Adapt it when the tests pass with newer ones."""
    named = rows(page)
    assert {"ragas", "deepeval", "langchain-core", "llama-index-core", "haystack-ai", "datasets"} <= set(named)
    assert named == {package: ".".join(version(package).split(".")[:2]) for package in named}


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_examples_of_the_page_run(page):
    """One after another, as in a notebook; each has a score."""
    names = {}
    blocks = re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)  # noqa: S102 - our own pages
        assert all(one.score.status == "ok" for one in names["result"].scores)
        assert "1998" in names["result"].samples[0].contexts[0]
