"""One healthy file of every kind that a command reads, and a command that reads it."""

import csv
import io
import json
import shutil
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import docx
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from reportlab.pdfgen.canvas import Canvas

from otlp_traces import lines, rag
from saiten.cli import main
from scored_sets import items, write_set

ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n} years old.",
        "contexts": [f"Bridge {n} is {n} years old.", "Another text."],
        "reference": f"It is {n} years old.",
    }
    for n in range(4)
]
LABELS = [
    {"item": f"q{n}", "value": n % 2, "annotator": who, "aspect": aspect}
    for n in range(4)
    for who in "ab"
    for aspect in ("correct", "fluent")
]
TALKS = [
    {
        "id": f"c{n}",
        "messages": [
            {"role": "user", "content": "When is the museum open?"},
            {"role": "assistant", "content": "From 9 to 17."},
        ],
    }
    for n in range(3)
]
METRIC = """
from dataclasses import dataclass
import saiten

@dataclass(frozen=True)
class Politeness(saiten.BaseMetric):
    title = "politeness"
    needs = ("answer",)

    async def score(self, sample, judge):
        return saiten.Score(1.0)
"""
GIST = """
[[examples]]
language = "en"
question = "By when do I have to hand in travel expenses?"
reference = "By the 10th of the following month. The form is new."
gist = ["By the 10th of the following month."]
supplement = ["The form is new."]
answer = "Before the month ends."
missing_gist = [1]
missing_supplement = [1]
extra_gist = ["Before the month ends."]
extra_supplement = []
"""
EXAMPLE = """
question = "Where may visitors park?"
documents = ["Visitors park on the north side, for up to two hours.", "The gate closes at 22:00."]
answer = "On the north side, for up to two hours."
"""
CONFIG = """
metrics = ["length"]
judge = "openai:m@http://127.0.0.1:1/v1"
concurrency = 4
currency = "EUR"

[prices]
"m" = { prompt = 1.0, completion = 2.0 }
"""
PLAN = """
title: Bridges
data:
  - questions: data.jsonl
    kb: kb
    limit: 2
models: [extractive]
chains: [stuff]
main: token_f1
metrics: [token_f1]
"""
PAGE = "<html><head><title>Bridges</title></head><body><h1>Bridge 1</h1><p>It was built in 1901.</p></body></html>"


@dataclass(frozen=True)
class Reading:
    """A command that reads a file; both are relative to the folder of all healthy files."""

    file: str
    command: tuple[str, ...]
    uses: tuple[str, ...]
    """What else the command reads or changes."""
    free: bool
    """Whether any other content is a valid file too (prose, code), so that other output without a word is right."""

    @property
    def name(self) -> str:
        """Its name among the tests."""
        return f"{self.command[0]}-{self.file}"

    @property
    def kind(self) -> str:
        """The suffix of the file."""
        return self.file.rpartition(".")[2]


def reading(file: str, command: str, *uses: str, free: bool = False) -> Reading:
    """Return the command that reads FILE."""
    return Reading(file, tuple(command.replace("FILE", file).split()), uses, free)


_RUN = ("manifest.json", "scores.jsonl", "samples.jsonl", "errors.jsonl")
_SCORE = "-m length -o out -q --format json"

READINGS = (
    *(reading(f"data.{kind}", f"score FILE {_SCORE}") for kind in ("jsonl", "json", "csv", "tsv", "xlsx", "parquet")),
    reading("talks.jsonl", f"score FILE {_SCORE}"),
    reading("traces.jsonl", f"score FILE {_SCORE}"),
    reading("data.jsonl", "answer FILE --system file:data.json -o out.jsonl -q --format json", "data.json"),
    reading("data.json", "answer data.jsonl --system file:FILE -o out.jsonl -q --format json", "data.jsonl"),
    reading("data.jsonl", "init FILE --force"),
    reading("data.jsonl", "describe FILE --format json"),
    reading("labels.jsonl", "describe data.jsonl --labels FILE --format json", "data.jsonl"),
    *(reading(f"run/{name}", "show run --format json", "run") for name in _RUN),
    *(reading(f"run/{name}", "compare run judged --format json", "run", "judged") for name in _RUN),
    *(reading(f"run/{name}", "export run -o out.jsonl", "run") for name in _RUN),
    *(reading(f"run/{name}", "report run -o out.html", "run") for name in _RUN),
    *(
        reading(f"run/{name}", "score data.jsonl -m length -o run -q --format json", "run", "data.jsonl")
        for name in _RUN
    ),
    *(reading(f"judged/{name}", "drift judged judged --format json", "judged") for name in _RUN[:3]),
    *(
        reading(f"talk/{name}", "show talk --dialogue q0 --format json", "talk")
        for name in ("manifest.json", "dialogues.jsonl", "scores.jsonl", "samples.jsonl", "turns.jsonl")
    ),
    *(
        reading(
            f"talk/{name}",
            "converse data.jsonl --system bot.py:answer -o talk --limit 2 -q --format json",
            "talk",
            "data.jsonl",
            "bot.py",
        )
        for name in ("dialogues.jsonl", "turns.jsonl")
    ),
    *(
        reading(
            f"answers.jsonl{name}",
            "answer data.jsonl --system file:data.json -o answers.jsonl -q --format json",
            "answers.jsonl",
            "answers.jsonl.saiten",
            "data.jsonl",
            "data.json",
        )
        for name in ("", ".saiten/made.json", ".saiten/errors.jsonl")
    ),
    reading("labels.jsonl", "agreement FILE --format json"),
    reading("labels.csv", "agreement FILE --format json"),
    reading("labels.jsonl", "meta-evaluate run FILE --format json", "run"),
    reading("labels.jsonl", "estimate run FILE -m token_f1 -a correct --format json", "run"),
    reading(
        "judges.jsonl",
        "meta-evaluate data.jsonl labels.jsonl --judges FILE --format json",
        "data.jsonl",
        "labels.jsonl",
    ),
    reading("labels.jsonl", "disagreements run FILE --format json", "run"),
    reading("run/samples.jsonl", "disagreements run labels.jsonl --format json", "run", "labels.jsonl"),
    reading("run/scores.jsonl", "disagreements run labels.jsonl --format json", "run", "labels.jsonl"),
    reading(
        "judges.jsonl",
        "disagreements data.jsonl labels.jsonl --judges FILE --format json",
        "data.jsonl",
        "labels.jsonl",
    ),
    reading("preferences.jsonl", "agreement FILE --format json"),
    reading("spans.jsonl", "agreement FILE --format json"),
    reading("run/manifest.json", "meta-evaluate run labels.jsonl --format json", "run", "labels.jsonl"),
    reading("run/scores.jsonl", "meta-evaluate run labels.jsonl --format json", "run", "labels.jsonl"),
    reading(
        "run/scores.jsonl", "estimate run labels.jsonl -m token_f1 -a correct --format json", "run", "labels.jsonl"
    ),
    reading(
        "many-labels.jsonl",
        "tune offline FILE -s many.jsonl --aspect correct --label-aspect correct -o out.json",
        "many.jsonl",
    ),
    reading(
        "calibration.json", "score data.jsonl -m correctness -o out -q --format json --calibration FILE", "data.jsonl"
    ),
    reading("weights.toml", "score data.jsonl -m mate[weights=FILE] -o out -q --format json --dry-run", "data.jsonl"),
    reading("rubric.toml", "score data.jsonl -m aspects[rubric=FILE] -o out -q --format json --dry-run", "data.jsonl"),
    reading("gist.toml", "score data.jsonl -m gist[examples=FILE] -o out -q --format json --dry-run", "data.jsonl"),
    reading(
        "example.toml",
        "answer data.jsonl --system rag:kb --generator ollama:m@http://127.0.0.1:9 --example FILE -o out.jsonl -q --dry-run",
        "data.jsonl",
        "kb",
    ),
    reading(
        "example.json",
        "answer data.jsonl --system rag:kb --generator ollama:m@http://127.0.0.1:9 --example FILE -o out.jsonl -q --dry-run",
        "data.jsonl",
        "kb",
    ),
    reading("saiten.toml", "score data.jsonl -o out -q --dry-run --format json --config FILE", "data.jsonl"),
    reading("prompts/split_statements.toml", "prompts check prompts", "prompts"),
    reading(
        "my_metrics.py", "score data.jsonl -m my_metrics.py:Politeness -o out -q --format json", "data.jsonl", free=True
    ),
    reading(
        "bot.py", "answer data.jsonl --system bot.py:answer -o out.jsonl -q --format json", "data.jsonl", free=True
    ),
    reading("plan.yaml", "experiment FILE -o out -q --format json", "data.jsonl", "kb", free=True),  # latencies differ
    reading(
        "grid/plan.json", "experiment plan.yaml --results -o grid --format json", "grid", "plan.yaml", "data.jsonl"
    ),
    reading("grid/plan.json", "report grid -o out.html", "grid"),
    reading("mine/answers.jsonl", "paper ragas mine -o out -q --format json", "mine"),
    *(
        reading("testset/questions.jsonl", f"testset {command}", "testset", "kb", "decisions.jsonl")
        for command in (
            "check testset --kb kb --format json",
            "worth testset --kb kb --format json",
            "export testset -o out.csv",
            "accept testset decisions.jsonl -o out.jsonl",
        )
    ),
    reading("decisions.jsonl", "testset accept testset FILE -o out.jsonl", "testset"),
    reading("made/made.json", "questions --kb kb -o made --n 2 --format json", "made", "kb"),
    reading("made/plan.jsonl", "questions --kb kb -o made --n 2 --format json", "made", "kb"),
    reading("made/dropped.jsonl", "questions --kb kb -o made --n 2 --format json", "made", "kb"),
    reading("made/questions.jsonl", "questions --kb kb -o made --n 2 --format json", "made", "kb"),
    reading("kb/knowledge-base.json", "search bridge --kb kb --format json", "kb"),
    reading("people.db", "annotate --db FILE --export out.jsonl"),
    *(
        reading(f"documents/a.{kind}", "index documents --kb out", "documents", free=True)
        for kind in ("md", "txt", "html", "pdf", "docx")
    ),
    reading(
        "judged/manifest.json",
        "annotate data.jsonl --form correct --db out.db --annotator me --prepare --prelabels judged",
        "judged",
        "data.jsonl",
    ),
)


def call(*words: object) -> tuple[int, str, str]:
    """Call `saiten` in this process; return its status, and both outputs."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(word) for word in words])
            status: object = 0
        except SystemExit as end:
            status = end.code or 0
    assert isinstance(status, int), status
    return status, out.getvalue(), err.getvalue()


def made(*words: object, status: int = 0) -> None:
    """Call `saiten`, which has to end with this status."""
    found, out, err = call(*words)
    assert found == status, f"saiten {' '.join(map(str, words))}: {found}\n{out}\n{err}"


def write_all() -> None:
    """Write the healthy files into the current folder."""
    _write_tables()
    _write_settings()
    _write_documents()
    made("score", "data.jsonl", "-m", "length", "-m", "token_f1", "-o", "run", "-q")
    made("score", "data.jsonl", "-m", "correctness", "-m", "token_f1", "-o", "judged", "-q")
    made("index", "documents", "--kb", "kb")
    made("converse", "data.jsonl", "--system", "bot.py:answer", "-o", "talk", "--limit", "2", "-q")
    made("answer", "data.jsonl", "--system", "file:data.json", "-o", "answers.jsonl", "-q")
    made("experiment", "plan.yaml", "-o", "grid", "-q")
    made("annotate", "data.jsonl", "--form", "correct", "--db", "people.db", "--annotator", "me", "--prepare")
    made("prompts", "copy", "prompts", "split_statements")
    made("questions", "--kb", "kb", "-o", "made", "--n", "2", "-q")
    _, _, err = call(
        "tune",
        "offline",
        "many-labels.jsonl",
        "-s",
        "many.jsonl",
        "--aspect",
        "correct",
        "--label-aspect",
        "correct",
        "-o",
        "calibration.json",
    )
    assert Path("calibration.json").exists(), err
    Path("saiten.toml").write_text(CONFIG)


def _lines(rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)  # type: ignore[attr-defined]


def _write_tables() -> None:
    Path("data.jsonl").write_text(_lines(ROWS))
    Path("mine").mkdir(exist_ok=True)
    Path("mine/answers.jsonl").write_text(_lines(ROWS))
    Path("data.json").write_text(json.dumps(ROWS, indent=1))
    flat = [{**row, "contexts": json.dumps(row["contexts"])} for row in ROWS]
    for kind, mark in (("csv", ","), ("tsv", "\t")):
        Path(f"data.{kind}").write_text(_table(flat, mark))
    book = openpyxl.Workbook()
    for cells in ([*ROWS[0]], *(list(row.values()) for row in flat)):
        book.active.append(cells)
    book.save("data.xlsx")
    pq.write_table(pa.Table.from_pylist(ROWS), "data.parquet")
    Path("talks.jsonl").write_text(_lines(TALKS))
    Path("traces.jsonl").write_text("".join(lines(*rag(trace=f"{n:032x}", first=10 * n)) for n in range(1, 4)))
    Path("labels.jsonl").write_text(_lines(LABELS))
    many = [{**row, "id": f"m{n}"} for n in range(24) for row in ROWS[n % 4 : n % 4 + 1]]
    Path("many.jsonl").write_text(_lines(many))
    Path("many-labels.jsonl").write_text(
        _lines(
            {"item": row["id"], "value": n % 3 > 0, "annotator": "a", "aspect": "correct"} for n, row in enumerate(many)
        )
    )
    Path("labels.csv").write_text(_table(LABELS, ","))
    Path("judges.jsonl").write_text(_lines({"item": f"q{n}", "judge": "gpt", "value": n / 4} for n in range(4)))
    Path("preferences.jsonl").write_text(
        _lines(
            {"item": f"q{n}", "preference": "A" if n % 2 else "B", "annotator": who} for n in range(4) for who in "ab"
        )
    )
    Path("spans.jsonl").write_text(
        _lines(
            {"item": f"q{n}", "annotator": who, "spans": [{"start": 0, "end": 6, "text": "Bridge", "label": "extra"}]}
            for n in range(4)
            for who in "ab"
        )
    )
    write_set(Path("testset"), items(4))
    Path("decisions.jsonl").write_text(
        _lines({"item": f"q{n}", "decision": "approve", "annotator": "a"} for n in range(4))
    )


def _table(rows: list[dict[str, object]], mark: str) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def _write_settings() -> None:
    Path("my_metrics.py").write_text(METRIC)
    Path("bot.py").write_text("def answer(question):\n    return 'ok'\n")
    Path("gist.toml").write_text(GIST)
    Path("example.toml").write_text(EXAMPLE)
    Path("example.json").write_text(json.dumps(tomllib.loads(EXAMPLE)))
    Path("plan.yaml").write_text(PLAN)
    shutil.copy(files("saiten.metrics.rubrics") / "long_answers.toml", "rubric.toml")  # type: ignore[arg-type]
    shutil.copy(files("saiten.metrics.rubrics") / "published_weights.toml", "weights.toml")  # type: ignore[arg-type]


def _write_documents() -> None:
    folder = Path("documents")
    folder.mkdir()
    text = "# Bridge 1\n\nBridge 1 was built in 1901. It is 21 m long.\n\nThe river below it is called Alph.\n"
    (folder / "a.md").write_text(text)
    shutil.copy(min((files("saiten.demo") / "corpus" / "en").iterdir(), key=str), folder / "a.txt")  # type: ignore[arg-type, call-overload]
    (folder / "a.html").write_text(PAGE)
    page = Canvas(str(folder / "a.pdf"), invariant=1)
    page.drawString(72, 720, "Bridge 2 was built in 1902.")
    page.save()
    paper = docx.Document()
    paper.add_paragraph("Bridge 3 was built in 1903.")
    paper.save(str(folder / "a.docx"))
