"""The site of the documentation: `make docs`. The pages are Markdown; those of the metrics are made of docstrings."""

import inspect
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from saiten.cli.metric_list import range_text
from saiten.metrics.catalog import ENTRIES, Entry
from saiten.version import __version__

project = "saiten 採点"
author = "The saiten authors"
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"saiten 採点 {version}"
html_permalinks_icon = "#"
exclude_patterns = ["_build"]
html_search_language = "en+ja"
suppress_warnings = ["myst.header"]  # the README's style: a page may begin below the first level
pygments_style = "friendly"
pygments_dark_style = "monokai"

_BETTER = {True: "higher is better", False: "lower is better", None: "no direction is better"}


class SearchBoth(SearchEnglish):
    """English by words, Japanese by pairs of characters, since it has no spaces: 評価軸 is 評価 and 価軸.

    Sphinx's own Japanese search splits the pages, but not what is typed; a page is found by each pair that is typed.
    """

    lang = "en+ja"
    js_splitter_code = r"""
var splitQuery = (query) => query
  .split(/([぀-ヿ㐀-鿿豈-﫿々]+)|[^\p{Letter}\p{Number}_]+/u)
  .flatMap((run) => !run ? [] : /^[぀-ヿ㐀-鿿豈-﫿々]{3}/.test(run)
    ? Array.from(run).slice(1).map((end, at) => Array.from(run)[at] + end) : [run]);
"""

    def split(self, text: str) -> list[str]:
        """The words of a text."""
        runs = re.findall("([぀-ヿ㐀-鿿豈-﫿々]+)|([^\\W぀-ヿ㐀-鿿豈-﫿々]+)", text)
        pairs = [[run[at : at + 2] for at in range(max(len(run) - 1, 1))] if run else [word] for run, word in runs]
        return [each for several in pairs for each in several]


def setup(app: Sphinx) -> None:
    """Make the pages of the metrics before the pages are looked for; say which pages are Japanese."""
    app.add_search_language(SearchBoth)
    app.connect("html-page-context", _say_the_language)
    folder = Path(app.srcdir) / "metric"
    folder.mkdir(exist_ok=True)
    for name, content in {"index": _index(), **{entry.title: _page(entry) for entry in ENTRIES}}.items():
        file = folder / f"{name}.md"
        if not file.is_file() or file.read_text("utf-8") != content:  # else everything would be built again
            file.write_text(content, "utf-8")


def _say_the_language(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """So that browsers choose Japanese glyphs, and screen readers a Japanese voice."""
    if page.startswith("ja/"):
        context["language"] = "ja"


def _index() -> str:
    """The list of all metrics."""
    rows = [f"| [`{entry.title}`]({entry.title}.md) | {entry.en} | {entry.ja} |" for entry in ENTRIES]
    names = "\n".join(entry.title for entry in ENTRIES)
    table = "\n".join(["| metric | measures | 測るもの |", "|---|---|---|", *rows])
    return f"# Metrics, one by one\n\n{table}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def _page(entry: Entry) -> str:
    """What it measures, its docstrings as they are, and its settings."""
    metric: Any = entry.load()
    docstrings = (inspect.getdoc(sys.modules[metric.__module__]), inspect.getdoc(metric))
    needs = ", ".join(f"`{need}`" for need in metric.needs)
    typed = shlex.quote(entry.example)
    judge = "asks a judge" if metric.tasks else "needs no judge"
    settings = [
        f"| `{each.name}` | {_cell(each.values)} | {'required' if each.required else _cell(str(each.default))} |"
        for each in entry.settings
    ]
    table = ["## Settings", "", "| setting | takes | default |", "|---|---|---|", *settings, ""] if settings else []
    return "\n".join(
        [
            f"# {entry.title}",
            "",
            f"{entry.en[:1].upper()}{entry.en[1:]}. {entry.ja}。",
            "",
            f"Needs {needs}; {judge}; range {range_text(metric.bounds)}; {_BETTER[metric.higher_is_better]}.",
            "",
            *(f"```text\n{text}\n```\n" for text in docstrings if text),
            *table,
            f"Typed as `saiten score answers.jsonl -m {typed}`; in Python `metrics=[{entry.example!r}]`.",
            "",
        ]
    )


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else "–"
