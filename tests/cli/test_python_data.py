"""Data in the user's Python: `my_eval.py:NAME` and `python:PACKAGE.MODULE:NAME`."""

import json
from pathlib import Path

import pytest

from saiten.cli.data_source import DataSource
from saiten.records import Sample
from saiten.runs import read_run
from saiten.settings import DataSettings

CODE = """
import asyncio, dataclasses, functools, sys
print("loading")

@dataclasses.dataclass
class Row:
    question: str
    answer: str | None = None
    reference: str | None = None

dataset = [Row("q", "a", "a"), Row("r", "b", "a")]
questions = [Row("q", reference="a")]

def rows(size=2):
    yield from dataset[:size]

def raising():
    raise KeyError("no data")

def breaking():
    yield dataset[0]
    raise ValueError("half of it")

def needs(size, *, kind): ...

async def later(): ...

def file():
    return "rows.jsonl"

def answer(question):
    return "a"

one = functools.partial(rows, 1)
nothing = None
"""


@pytest.fixture(autouse=True)
def files(somewhere):
    """A file with code, and one with data that it names."""
    Path("my_eval.py").write_text(CODE)
    Path("rows.jsonl").write_text('{"question": "q", "answer": "a"}\n')


@pytest.mark.parametrize(("name", "rows"), [("dataset", 2), ("rows", 2), ("one", 1), ("file", 1)])
def test_an_object_or_a_function_that_returns_it_is_scored(name, rows, saiten):
    """What the code prints does not get into the output."""
    said = saiten("score", f"my_eval.py:{name}", "-m", "length", "--format", "json")
    assert json.loads(said.out)["Scores"][0]["n"] == rows
    assert read_run(Path(f"runs/my_eval-{name}")).manifest.settings["data"] == f"my_eval.py:{name}"


def test_a_module_is_found_by_its_name(saiten):
    """In the current folder, as for systems and metrics."""
    Path("saiten_test_pack").mkdir()
    Path("saiten_test_pack/evals.py").write_text(CODE)
    data = "python:saiten_test_pack.evals:dataset"
    assert not saiten("score", data, "-m", "exact_match", "--fail-under", "exact_match=0.5").status
    assert Path("runs/evals-dataset").is_dir()


def test_questions_are_asked_and_conversations_held(saiten):
    """`answer` and `converse` read the same objects."""
    system = ("--system", "my_eval.py:answer")
    assert not saiten("answer", "my_eval.py:questions", *system, "-o", "answers.jsonl").status
    assert json.loads(Path("answers.jsonl").read_text())["answer"] == "a"
    assert not saiten("converse", "my_eval.py:questions", *system, "-o", "talks", "--judge", "offline").status


def test_rows_without_an_answer_lead_to_the_command_that_gets_them(saiten):
    """With the name of the data, ready to be typed."""
    said = saiten("score", "my_eval.py:questions", "-m", "length")
    assert said.status == 6
    assert "saiten answer my_eval.py:questions --system SYSTEM" in " ".join(said.err.split())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("my_eval.py:datasets", "there is no datasets in my_eval.py; did you mean dataset?"),
        ("my_evals.py:dataset", "there is no file my_evals.py; did you mean my_eval.py?"),
        ("python:my_evals:dataset", "there is no module my_evals"),
        ("python:my_eval.py", "expected my_eval.py:NAME or python:PACKAGE.MODULE:NAME"),
        ("my_eval.py:", "expected my_eval.py:NAME or python:PACKAGE.MODULE:NAME"),
        ("my_eval.py:Row", "Row in my_eval.py is a class; data, or a function without parameters that returns it"),
        ("my_eval.py:needs", "my_eval.py:needs has the parameters size, kind"),
        ("my_eval.py:later", "my_eval.py:later is async; write a plain function that calls it with asyncio.run"),
        ("my_eval.py:raising", "my_eval.py:raising raised KeyError: 'no data' (line 18 of "),
        ("my_eval.py:breaking", "my_eval.py:breaking raised ValueError: half of it (line 22 of "),
        ("my_eval.py:nothing", "got NoneType"),
        ("my_eval.py:asyncio", "got module"),
    ],
)
def test_what_is_no_data_is_an_error_without_a_traceback(data, message, saiten):
    """With what there is, and the line of the user's code."""
    said = saiten("score", data, "-m", "length")
    assert said.status == 2
    assert message in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_a_file_of_this_name_is_read_as_a_file():
    """Names decide only where there is no file."""
    Path("odd.py:rows.jsonl").write_text('{"question": "of the file", "answer": "a"}\n')
    (found,) = DataSource("odd.py:rows.jsonl", DataSettings()).rows(lambda _: None)
    assert found.question == "of the file"


def test_workers_get_the_rows_of_an_object(saiten):
    """Those of this machine, and those of a cluster, which cannot load it themselves."""
    assert not saiten("score", "my_eval.py:dataset", "-m", "length", "--workers", "2").status
    assert DataSource("my_eval.py:one", DataSettings()).input().kept == (Sample("row-1", "q", "a", reference="a"),)


def test_rows_that_a_generator_yields_once_all_reach_the_workers(somewhere):
    """The first row is looked at before the run begins; workers get it, too."""
    rows = "(dict(question=f'q{n}', answer='a') for n in range(3))"
    (somewhere / "once.py").write_text(f"rows = {rows}\n")
    source = DataSource("once.py:rows", DataSettings())
    begun = source.peeked(print)
    assert [sample.question for sample in source.input(begun).kept] == ["q0", "q1", "q2"]
