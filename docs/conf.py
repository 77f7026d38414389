"""The site of the documentation: `make docs` builds it in English, and with the tag `ja` from docs/ja in Japanese.

The pages are Markdown; those of the metrics are made of docstrings. Both sites are of one piece: the Japanese one is in
the folder ja/ of the English one, and each page leads to its counterpart.
"""

import inspect
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.logging import getLogger
from sphinx.util.tags import Tags

from saiten.cli.metric_list import range_text
from saiten.metrics.catalog import ENTRIES, Entry
from saiten.version import __version__

DOCS = Path(__file__).parent
JAPANESE = (globals().get("tags") or Tags()).has("ja")  # of sphinx-build -t

project = "saiten 採点"
author = project_copyright = "The saiten authors"
release = version = __version__
language = "ja" if JAPANESE else "en"
locale_dirs = [str(DOCS / "locale")]  # the words of the theme that Sphinx has no Japanese for
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"saiten 採点 {version}"
html_permalinks_icon = "#"
exclude_patterns = ["_build", *([] if JAPANESE else ["ja"])]
html_search_language = "en+ja"  # each language has words of the other: names of commands, examples
html_static_path = [str(DOCS / "static")]
html_favicon = str(DOCS / "static" / "favicon.svg")
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
templates_path = [str(DOCS / "templates")]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "counterpart.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
suppress_warnings = ["myst.header"]  # the README's style: a page may begin below the first level
pygments_style = "friendly"
pygments_dark_style = "monokai"


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
    """Make the pages of the metrics before the pages are looked for; join the sites of the two languages."""
    app.add_search_language(SearchBoth)
    app.connect("doctree-read", _link_to_the_other_site, priority=100)
    app.connect("html-page-context", _add_counterpart)
    for words in WORDS.values():
        folder = DOCS / words["folder"] / "metric"
        folder.mkdir(exist_ok=True)
        for name, content in {"index": _index(words), **{e.title: _page(e, words) for e in ENTRIES}}.items():
            file = folder / f"{name}.md"
            if not file.is_file() or file.read_text("utf-8") != content:  # else everything would be built again
                file.write_text(content, "utf-8")


def _link_to_the_other_site(app: Sphinx, doctree: nodes.document) -> None:
    """A link to a page in the other language leaves the site: Sphinx would not find the page."""
    here = _in_docs(app, app.env.docname)
    for link in list(doctree.findall(pending_xref)):
        target = _in_docs(app, link["reftarget"] or "") if link.get("refdomain") == "doc" else ""
        if not target or target.startswith("ja/") == JAPANESE:
            continue
        if not (DOCS / f"{target}.md").is_file():
            getLogger(__name__).warning("the other language has no page %s", target, location=link)
        address = _address(here, target) + (f"#{link['reftargetid']}" if link.get("reftargetid") else "")
        link.replace_self(nodes.reference("", "", *link.children, refuri=address, internal=False))


def _in_docs(app: Sphinx, page: str) -> str:
    """The page's path below docs/, without the suffix: `ja/tutorial`; "" if it is elsewhere."""
    path = Path(os.path.normpath(Path(app.srcdir) / page))
    return path.relative_to(DOCS).as_posix() if path.is_relative_to(DOCS) else ""


def _address(here: str, there: str) -> str:
    """The relative address from one page to another."""
    return os.path.relpath(f"{there}.html", Path(here).parent).replace(os.sep, "/")


def _add_counterpart(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """The link to the page in the other language, or to its front page: for the sidebar."""
    here = _in_docs(app, page)
    other = counterpart(here)
    words = WORDS[language]
    context["counterpart"] = {
        "language": "en" if JAPANESE else "ja",
        "address": _address(here, other or ("index" if JAPANESE else "ja/index")),
        "text": words["other"] if other else words["no other"],
    }


def counterpart(page: str) -> str:
    """The page in the other language, below docs/ and without the suffix; "" if there is none.

    A page names it at its top; those of the metrics and those without a source (search) have the same name in both.
    """
    file = DOCS / f"{page}.md"
    if "metric/" in page or not file.is_file():
        return page.removeprefix("ja/") if JAPANESE else f"ja/{page}"
    opening = "\n".join(file.read_text("utf-8").splitlines()[:6])
    links = (os.path.normpath(file.parent / link) for link in re.findall(r"\]\(([\w./-]+)\.md\)", opening))
    found = (Path(link).relative_to(DOCS).as_posix() for link in links if Path(link).is_relative_to(DOCS))
    return next((name for name in found if name.startswith("ja/") != JAPANESE), "")


WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "language": "en",
        "folder": "",
        "other": "日本語",
        "no other": "日本語の目次(このページは英語のみ)",
        "twin": "日本語: [{title}](../ja/metric/{name}.md)",
        "metrics": "Metrics, one by one",
        "columns": "| metric | measures |",
        "measures": "{text}.",
        "fields": {},
        "use": "Take it {use}. Not {avoid}.",
        "facts": "Needs {needs}; {judge}; range {range}; {better}.",
        "and": ", ",
        "better": {True: "higher is better", False: "lower is better", None: "no direction is better"},
        "judge": {True: "asks a judge", False: "needs no judge"},
        "settings": "## Settings",
        "setting": "| setting | takes | default |",
        "required": "required",
        "docstrings": "",
        "typed": "Typed as `saiten score answers.jsonl -m {typed}`; in Python `metrics=[{name!r}]`.",
    },
    "ja": {
        "language": "ja",
        "folder": "ja",
        "other": "English",
        "no other": "English index (this page is in Japanese only)",
        "twin": "English: [{title}](../../metric/{name}.md)",
        "metrics": "評価指標(1つずつ)",
        "columns": "| 評価指標 | 測るもの |",
        "measures": "{text}。",
        "fields": {
            "question": "(質問)",
            "answer": "(回答)",
            "contexts": "(コンテキスト)",
            "reference": "(参照回答)",
        },
        "use": "- 向いている場合:{use}\n- 向いていない場合:{avoid}",
        "facts": "必要な項目は{needs}。{judge}。範囲は{range}で、{better}。",
        "and": "、",
        "better": {True: "高いほど良い値です", False: "低いほど良い値です", None: "高低に良し悪しはありません"},
        "judge": {True: "評価器に尋ねます", False: "評価器は要りません"},
        "settings": "## 設定",
        "setting": "| 設定 | 値 | 既定値 |",
        "required": "必須",
        "docstrings": "## 式と出典\n\nソースコードにある説明を、英語のまま載せます。\n",
        "typed": "コマンドでは `saiten score answers.jsonl -m {typed}`、Pythonでは `metrics=[{name!r}]` と指定します。",
    },
}
"""The words of the pages that are made here, by language."""


def _index(words: dict[str, Any]) -> str:
    """The list of all metrics."""
    rows = [f"| [`{e.title}`]({e.title}.md){_gloss(e, words)} | {_text(e, words)} |" for e in ENTRIES]
    names = "\n".join(entry.title for entry in ENTRIES)
    table = "\n".join([words["columns"], "|---|---|", *rows])
    twin = words["twin"].format(title=WORDS["en" if words["folder"] else "ja"]["metrics"], name="index")
    return f"# {words['metrics']}\n\n{twin}\n\n{table}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def _text(entry: Entry, words: dict[str, Any]) -> str:
    """What the metric measures."""
    return entry.ja if words["folder"] else entry.en


def _gloss(entry: Entry, words: dict[str, Any]) -> str:
    """The short Japanese name, in brackets, on Japanese pages."""
    return f"({entry.gloss})" if words["folder"] else ""


def _page(entry: Entry, words: dict[str, Any]) -> str:
    """What it measures, its docstrings as they are, and its settings."""
    metric: Any = entry.load()
    docstrings = (inspect.getdoc(sys.modules[metric.__module__]), inspect.getdoc(metric))
    text = _text(entry, words)
    facts = {
        "needs": words["and"].join(f"`{need}`{words['fields'].get(need, '')}" for need in metric.needs),
        "judge": words["judge"][bool(metric.tasks)],
        "range": range_text(metric.bounds),
        "better": words["better"][metric.higher_is_better],
    }
    settings = [
        f"| `{each.name}` | {_cell(each.values)} | {words['required'] if each.required else _cell(str(each.default))} |"
        for each in entry.settings
    ]
    table = [words["settings"], "", words["setting"], "|---|---|---|", *settings, ""] if settings else []
    return "\n".join(
        [
            f"# {entry.title}{_gloss(entry, words)}",
            "",
            words["twin"].format(title=entry.title, name=entry.title),
            "",
            words["measures"].format(text=text[:1].upper() + text[1:]),
            "",
            words["use"].format(use=entry.use[words["language"]], avoid=entry.avoid[words["language"]]),
            "",
            words["facts"].format(**facts),
            "",
            words["typed"].format(typed=shlex.quote(entry.example), name=entry.example),
            "",
            *table,
            words["docstrings"],
            *(f"```text\n{text}\n```\n" for text in docstrings if text),
        ]
    )


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else "–"
