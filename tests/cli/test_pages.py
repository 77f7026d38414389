"""`--format html` of every command that prints tables: one page on standard output, with the figures of the others."""

import json
import re
from html.parser import HTMLParser

import pytest
from lxml import html

ROWS = [
    {
        "id": f"q{q}/{system}",
        "question": f"Question {q}?",
        "answer": " ".join(["right"] * (good * (3 + q) % 5) + ["wrong"] * 3) + " <script>alert(1)</script>",
        "reference": "right right right",
        "contexts": ["right"],
        "system": system,
    }
    for q in range(12)
    for good, system in enumerate(("<b>hasty", "fair", "careful"), 1)
]


@pytest.fixture
def scored(saiten, data, once):
    """A run over answers of three systems, and labels by two people."""
    metrics = [word for name in ("token_f1", "context_overlap", "length") for word in ("-m", name)]

    def make():
        assert saiten("score", data(ROWS), *metrics, "-o", "run").status == 0

    once(make)
    labels = [
        {"item": row["id"], "annotator": who, "aspect": "correct", "value": int(place % 3 + (who == "b") > 1)}
        for place, row in enumerate(ROWS)
        for who in ("a", "b")
    ]
    data(labels, "labels.jsonl")


COMMANDS = [
    ("show", "run"),
    ("show", "run", "--worst", "token_f1"),
    ("compare", "run", "run"),
    ("compare", "run", "run", "--systems", "fair,careful"),
    ("metrics",),
    ("metrics", "--ja"),
    ("describe", "data.jsonl", "--labels", "labels.jsonl"),
    ("agreement", "labels.jsonl"),
    ("meta-evaluate", "run", "labels.jsonl"),
    ("estimate", "run", "labels.jsonl"),
    ("drift", "run", "run", "labels.jsonl"),
    ("score", "data.jsonl", "-m", "length", "-o", "other", "--quiet"),
    ("score", "data.jsonl", "-m", "faithfulness", "--dry-run"),
    ("probe", "data.jsonl", "-m", "accuracy", "--probes", "empty", "--limit", "3", "-o", "probed", "--quiet"),
]


class Tags(HTMLParser):
    """Counts start tags."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_that_prints_tables_makes_a_page(saiten, scored, command):
    """A whole page and nothing else on standard output; one script, the page's own; everything that the JSON holds."""
    written = saiten(*command, "--format", "html")
    assert written.status == 0, written
    assert written.out.startswith("<!DOCTYPE html>")
    assert written.out.endswith("</html>\n")
    tags = Tags()
    tags.feed(written.out)
    assert (tags.seen.count("html"), tags.seen.count("script"), tags.seen.count("b")) == (1, 1, 0)
    page = html.document_fromstring(written.out.encode())
    assert page.xpath("//main//table/tbody/tr")
    if command[0] not in {"score", "probe", "agreement"}:  # those resume a run, or show people less
        tables = json.loads(saiten(*command, "--format", "json").out)
        shown = {h.text for h in page.xpath("//h2")}
        assert set(tables) <= shown
        rows = [row for title, rows in tables.items() if title != "How the figures were made" for row in rows]
        assert len(page.xpath("//main//table/tbody/tr[not(@class)]")) == len(rows)


@pytest.mark.parametrize(
    ("command", "figure"),
    [
        (("show", "run"), "mean"),
        (("compare", "run", "run", "--systems", "fair,careful"), "difference"),
        (("agreement", "labels.jsonl"), "value"),
        (("meta-evaluate", "run", "labels.jsonl"), "AUROC"),
        (("estimate", "run", "labels.jsonl"), "with the judge"),
        (("probe", "data.jsonl", "-m", "accuracy", "--probes", "empty", "--limit", "3", "-o", "probed", "-q"), "share"),
    ],
)
def test_an_interval_is_one_cell_after_its_figure(saiten, scored, command, figure):
    """`[low, high]` in the order of the numbers, with the digits of the figure before it."""
    page = html.document_fromstring(saiten(*command, "--format", "html").out.encode())
    table = page.xpath(f"//table[.//th/span='{figure}']")[0]
    heads = ["".join(th.find("span").itertext()) for th in table.xpath("thead/tr/th")]
    after = heads.index(figure) + 1
    assert heads[after] == "95 % interval"
    cells = ["".join(row[after].itertext()).strip() for row in table.xpath("tbody/tr[not(@class)]")]
    ends = [re.fullmatch(r"\[(\S+), (\S+)\]", cell) for cell in cells if cell not in {"", "–"}]
    assert ends
    assert all(float(low) <= float(high) for low, high in (found.groups() for found in ends))


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (("agreement", "labels.jsonl"), "Agreement of people: labels.jsonl"),
        (("meta-evaluate", "run", "labels.jsonl"), "Metrics against people: run"),
        (("disagreements", "run", "labels.jsonl"), "Disagreements with people: run"),
        (("estimate", "run", "labels.jsonl"), "What people would say: run"),
        (("drift", "run", "run", "labels.jsonl"), "Drift: run → run"),
        (("probe", "data.jsonl", "-m", "accuracy", "--probes", "empty", "-o", "probed", "-q"), "a judge: data.jsonl"),
    ],
)
def test_a_page_says_what_it_is_about(saiten, scored, command, title):
    """Its heading says so: a reader who has only the file knows what was read."""
    page = html.document_fromstring(saiten(*command, "--format", "html").out.encode())
    assert title in page.findtext(".//h1")


def test_a_page_about_a_judge_says_which(saiten, scored):
    """The page's footer says how the figures of a probe were made: the judge, its settings and its prompts."""
    said = saiten("probe", "data.jsonl", "-m", "accuracy", "--probes", "empty", "-o", "probed", "--format", "html")
    foot = "".join(html.document_fromstring(said.out.encode()).xpath("//footer")[0].itertext())
    assert "offline-overlap" in foot


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("show", "run", "--sample", "q1/fair"), "a sample cannot be shown"),
        (("metrics", "faithfulness"), "explained in the terminal"),
    ],
)
def test_what_has_no_tables_has_no_page(saiten, scored, command, said):
    """A sentence is printed instead, and nothing on standard output."""
    refused = saiten(*command, "--format", "html")
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_differences_are_numbers_for_programs(saiten, scored):
    """The interval ends of a comparison are numbers in every form but the terminal's."""
    (rows,) = json.loads(saiten("compare", "run", "run", "--systems", "fair,careful", "--format", "json").out).values()
    row = next(row for row in rows if row["metric"] == "token_f1")
    assert row["95 % from"] <= row["difference"] <= row["to"]
    assert "95 % interval" in saiten("compare", "run", "run").out
