"""The docs are there in two languages: each English page has a Japanese twin, or a reason why not, and both name what exists."""

import os
import re
import shlex
from pathlib import Path

import pytest
import typer

from saiten.cli import COMMANDS, app
from saiten.metrics.catalog import ENTRIES, metric_gloss
from saiten.metrics.first_choices import first_choices

DOCS = Path(__file__).parent.parent / "docs"
FOLDERS = ("", "papers/")
JAPANESE = [page for folder in FOLDERS for page in sorted(DOCS.glob(f"ja/{folder}*.md"))]
COMBINED = {  # several English pages whose essence is on one Japanese page
    "output-formats": "reports",
    "tracking": "reports",
    "local-models": "own-judge",
    "chains": "experiments",
    "agreement": "meta-evaluation",
    "prediction-powered": "meta-evaluation",
}
ENGLISH_ONLY = {
    "published-tables": "a table of figures with names",
    "architecture": "for those who read the code, which is in English",
    "testing": "for those who change the code",
}
ENGLISH = [page for folder in FOLDERS for page in sorted(DOCS.glob(f"{folder}*.md")) if page.stem not in ENGLISH_ONLY]


def twin(page):
    """The Japanese page that has what this English one has."""
    there = page.relative_to(DOCS)
    return DOCS / "ja" / (f"{COMBINED.get(page.stem, page.stem)}.md" if there.parent == Path() else there)


def name(page):
    """The page's path below docs/, without the suffix."""
    return page.relative_to(DOCS).with_suffix("").as_posix()


TWINS = [pytest.param(page, twin(page), id=name(page)) for page in ENGLISH]
OPENING = 6  # lines from the top, which must have the link to the other language


def opening(page):
    """What a reader sees first."""
    return "\n".join(page.read_text(encoding="utf-8").splitlines()[:OPENING])


@pytest.mark.parametrize(("english", "japanese"), TWINS)
def test_an_english_page_and_its_japanese_twin_lead_to_each_other(english, japanese):
    """The links are at the top, in both directions; a page without a twin must be in ENGLISH_ONLY with a reason."""
    assert japanese.is_file(), f"write {japanese.name} in docs/ja, or say why not in {Path(__file__).name}"
    assert f"]({os.path.relpath(japanese, english.parent)})" in opening(english)
    assert f"]({os.path.relpath(english, japanese.parent)})" in opening(japanese)


def test_the_lists_name_pages_that_are_there():
    """No list keeps a page that is gone, and every Japanese page has an English one."""
    assert {*COMBINED, *ENGLISH_ONLY} <= {page.stem for page in DOCS.glob("*.md")}
    assert set(JAPANESE) == {twin(page) for page in ENGLISH}


@pytest.mark.parametrize("folder", [DOCS / each for each in (".", "ja", "papers", "ja/papers")])
def test_the_front_leads_to_every_page(folder):
    """In its lists, and in the site's navigation."""
    front = (folder / "index.md").read_text(encoding="utf-8")
    pages = {page.stem for page in folder.glob("*.md")} - {"index"}
    assert pages <= set(re.findall(r"\]\(([\w-]+)\.md[#)]", front))
    assert pages <= {
        line for block in re.findall(r"```\{toctree\}\n(.*?)```", front, re.DOTALL) for line in block.split()
    }


def commands(page):
    """Every line that begins with `saiten `, in any kind of block or in backticks."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?:\$ |    )?(saiten [a-z].*)$", text, re.MULTILINE) + re.findall(
        r"`(saiten [a-z][^`]*)`", text
    )
    return [line.partition(" > ")[0] for line in lines if "…" not in line]


def options_of(words):
    """The options of the command that the words begin with, and how many words name it."""
    command = typer.main.get_command(app).get_command(None, words[0])
    depth = 1
    while hasattr(command, "commands"):
        command, depth = command.commands[words[depth]], depth + 1
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("page", [pytest.param(page, id=name(page)) for page in JAPANESE])
def test_the_commands_that_a_japanese_page_names_exist(page):
    """This includes commands not run here, which need a model, a server or people: command and options are known."""
    for line in commands(page):
        words = shlex.split(line, comments=True)[1:]
        assert words[0] in COMMANDS, line
        if len(words) > 1:
            named = {word for word in words if re.fullmatch("-[a-z]|--[a-z-]+", word)}
            assert named <= options_of(words) | {"--help", "--lang"}, line


@pytest.mark.parametrize("page", [pytest.param(page, id=name(page)) for page in JAPANESE])
def test_the_options_that_a_japanese_page_names_alone_exist(page):
    """`--votes 3` in prose is an option of some command, or of pytest."""
    known = {"--lang", "--saiten-judge", "--saiten-cache"}  # of every command; of the pytest plugin
    for name in COMMANDS:
        groups = [typer.main.get_command(app).get_command(None, name)]
        for command in groups:
            groups += getattr(command, "commands", {}).values()
            known |= {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    named = re.findall(r"`(--[a-z-]+)", page.read_text(encoding="utf-8"))
    assert set(named) <= known


@pytest.mark.parametrize(
    ("page", "language", "file"), [("experiments", "yaml", "chains.yaml"), ("aspects", "toml", "usefulness.toml")]
)
def test_what_a_page_shows_of_an_example_is_what_is_in_the_file(page, language, file):
    """The page's commands run with the file."""
    text = (DOCS / "ja" / f"{page}.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert shown in (DOCS / "ja" / "examples" / file).read_text(encoding="utf-8")


NEEDS = {"question": "質", "answer": "答", "contexts": "コ", "reference": "参"}


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry.title) for entry in ENTRIES])
def test_the_japanese_table_of_metrics_has_each_with_what_it_needs(entry):
    """One line per metric or family, with a link to its page; brackets show what only one of its forms needs."""
    page = (DOCS / "ja" / "metrics.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| .*\(metric/{entry.title}\.md\).*\| (.*) \|$", page, re.MULTILINE)
    assert set(row.partition("(")[0].split()) == {NEEDS[need] for need in entry.load().needs}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_table_of_first_metrics_is_that_of_the_command(language):
    """`saiten metrics` and the page give the same advice, with the Japanese names of the metrics on the Japanese page."""
    page, comma = (DOCS / "metrics.md", ", ") if language == "en" else (DOCS / "ja" / "metrics.md", "、")
    lines = page.read_text(encoding="utf-8").splitlines()
    for choice in first_choices():
        glosses = [metric_gloss(name) if language == "ja" else "" for name in choice.take]
        names = [
            f"`{name}`({gloss})" if gloss else f"`{name}`" for name, gloss in zip(choice.take, glosses, strict=True)
        ]
        space = " " if language == "en" else ""
        command = "" if choice.command == "score" else f"{space}(`{choice.command}`)"
        cells = (choice.have[language], choice.ask[language], comma.join(names) + command)
        assert f"| {' | '.join(cells)} | {comma.join(map(str, choice.calls))} |" in lines


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry.title) for entry in ENTRIES])
def test_the_japanese_table_of_metrics_has_their_japanese_names(entry):
    """The short name of the catalog, as in Japanese tables and charts."""
    page = (DOCS / "ja" / "metrics.md").read_text(encoding="utf-8")
    assert f"[`{entry.title}`](metric/{entry.title}.md)({entry.gloss})" in page
