"""The README and the pages in docs/ are followed literally: their Python runs, their commands succeed."""

import ast
import asyncio
import inspect
import re
import shlex
import shutil
from pathlib import Path

import openpyxl
import orjson
import pytest

import saiten
from saiten.cli import main
from saiten.data.columns import LABEL_COLUMNS, SAMPLE_COLUMNS
from saiten.demo.samples import corpus

ROOT = Path(__file__).parent.parent
PAGES = [
    *sorted(ROOT.glob("README*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("papers/*.md")),
    *sorted((ROOT / "docs" / "ja").glob("*.md")),
    *sorted((ROOT / "docs" / "ja").glob("papers/*.md")),
]
ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n} years old.",
        "contexts": [f"Bridge {n} is {n + n % 2} years old.", "It is made of steel."],
        "reference": f"It is {n + n % 2} years old.",
    }
    for n in range(8, 34)
] + [
    {
        "id": "q34",
        "question": "橋はいつ開通しましたか。",
        "answer": "1998年に開通しました[1]。",
        "contexts": ["この橋は1998年に開通した。"],
        "reference": "1998年に開通した。",
    }
]


def blocks(page, language):
    """The blocks of a page in one language, verbatim."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def with_blocks(language):
    """The pages that have such blocks: README.md as the witness; those that run the demo in the process that ran it.

    MLflow warns when its evaluation is imported.
    """
    return [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=[
                *([pytest.mark.xdist_group("demo")] if any("saiten demo" in block for block in found) else []),
                *([pytest.mark.filterwarnings("ignore")] if any("mlflow.genai" in block for block in found) else []),
                *([] if page.name == "README.md" else [pytest.mark.slow]),
            ],
        )
        for page in PAGES
        if (found := blocks(page, language))
    ]


def workbook(folder, name, sheet):
    """Write a workbook with a sheet of answers and a second one with this name."""
    book = openpyxl.Workbook()
    for each in (book.active, book.create_sheet(sheet)):
        each.append(["質問", "回答", "正解"])
        each.append(["橋はいつ開通しましたか。", "1998年です。", "1998年に開通した。"])
    book.save(folder / name)


@pytest.fixture(autouse=True)
def folder(request, tmp_path, monkeypatch):
    """A folder with the files that the pages mention, and no key; a Japanese page has examples of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    labels = [
        {"item": row["id"], "annotator": person, "aspect": "support", "value": int(number % (4 + person) > 0)}
        for number, row in enumerate(ROWS)
        for person in (1, 2)
    ]
    for name, rows in {"answers.jsonl": ROWS, "better.jsonl": ROWS, "labels.jsonl": labels}.items():
        (tmp_path / name).write_bytes(b"\n".join(map(orjson.dumps, rows)) + b"\n")
    (tmp_path / "handbook").mkdir()
    for row in ROWS:
        (tmp_path / "handbook" / f"{row['id']}.md").write_text(
            f"# {row['id']}\n\n{row['contexts'][0]}", encoding="utf-8"
        )
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    workbook(tmp_path, "faq.xlsx", "April")
    workbook(tmp_path, "社内FAQ.xlsx", "4月")
    callspec = getattr(request.node, "callspec", None)
    page = callspec.params.get("page") if callspec else None
    if page is not None and page.parent.name == "ja":
        shutil.copytree(ROOT / "docs" / "ja" / "examples", tmp_path, dirs_exist_ok=True)
    elif page is not None and page.name == "test-sets.md":
        shutil.copytree(corpus("en"), tmp_path / "manuals")
    return tmp_path


@pytest.mark.parametrize("page", with_blocks("python"))
def test_the_python_of_every_page_runs(page):
    """One block after another, as in a notebook, where a cell may await."""
    names = {"__name__": "page"}
    with asyncio.Runner() as runner:
        for number, block in enumerate(blocks(page, "python"), 1):
            code = compile(block, f"{page.name}, block {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            outcome = eval(code, names)  # noqa: S307 - our own pages
            if inspect.iscoroutine(outcome):
                runner.run(outcome)


def status_of(words):
    """Return the exit status of `saiten WORDS`, with the offline judge instead of a model."""
    try:
        main([re.sub("^openai:.*", "offline", word) for word in words])
    except SystemExit as end:
        return end.code or 0
    return 0


@pytest.mark.timeout(600)  # including the demo, on a busy machine
@pytest.mark.parametrize("page", with_blocks("console"))
def test_the_commands_of_every_page_end_well(page, capsys, request):
    """`saiten …` is run line by line; anything else is `make …`. The demo has already run, and its folder is copied.

    Where a page uses a model as the judge, the offline judge may be able to measure nothing (status 6).
    """
    for line in "".join(blocks(page, "console")).splitlines():
        program, *words = shlex.split(line.removeprefix("$ "), comments=True)
        assert program in {"saiten", "make"}, line
        if (program, words[0]) == ("saiten", "demo"):
            shutil.copytree(request.getfixturevalue("toured")[0] / "runs", "runs", dirs_exist_ok=True)
            continue
        fine = {0, 6} if any(word.startswith("openai:") for word in words) else {0}
        assert program == "make" or status_of(words) in fine, f"{line}\n{capsys.readouterr().err}"


@pytest.mark.parametrize(
    ("folder_of_page", "name", "language", "file"),
    [
        ("docs", "python-api.md", "python", "my_metrics.py"),
        ("docs", "from-app.md", "py", "my_bot.py"),
        ("docs", "from-documents.md", "text", "questions.csv"),
        ("docs/ja", "from-app.md", "py", "my_bot.py"),
        ("docs/ja", "from-documents.md", "text", "questions.csv"),
    ],
)
def test_a_file_on_a_page_is_that_of_the_examples(folder_of_page, name, language, file):
    """The page shows the whole file that its commands read."""
    folder = ROOT / folder_of_page
    assert (folder / "examples" / file).read_text("utf-8") in blocks(folder / name, language)


@pytest.mark.timeout(600)  # the demo, on a busy machine
@pytest.mark.xdist_group("demo")
def test_what_the_tutorial_shows_of_the_demo_is_what_the_demo_prints(toured):
    """Each line is the beginning of a line of the demo; a lone … marks an omission."""
    printed = toured[1].splitlines()
    (shown,) = (block for block in blocks(ROOT / "docs" / "tutorial.md", "text") if "AUROC" in block)
    lines = [line for line in shown.splitlines() if line != "…"]
    assert [line for line in lines if not any(other.startswith(line) for other in printed)] == []


@pytest.mark.parametrize("names", [SAMPLE_COLUMNS, LABEL_COLUMNS], ids=["samples", "labels"])
def test_every_recognized_column_is_in_the_page_on_data(names):
    """The page names no fewer columns than the code reads."""
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert [name for columns in names.values() for name in columns if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", saiten.__all__)
def test_every_name_of_the_package_is_in_the_page_on_the_python_api(name):
    """The page explains what a user can type after `import saiten`."""
    page = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{name}\b", page)


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in [*PAGES, ROOT / "CONTRIBUTING.md"]]
)
def test_links_between_pages_lead_somewhere(page):
    """Each leads to an existing file, and to an existing heading if it names one."""
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        if target.removeprefix("../").startswith("metric/"):
            continue  # made when the site is built, which checks them
        file = page.parent / target if target else page
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("folder_of_page", ["docs", "docs/ja"])
def test_the_prompt_on_the_page_is_that_of_the_file(folder_of_page):
    """The page on prompts shows the whole file that its commands read."""
    folder = ROOT / folder_of_page
    file = folder / "examples" / "our_prompts" / "list_entities.toml"
    assert file.read_text("utf-8") in blocks(folder / "prompts.md", "toml")
