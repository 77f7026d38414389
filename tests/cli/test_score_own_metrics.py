"""`-m my_metrics.py:NAME` on the command line: scored, shown, resumed and compared, with and without the file."""

import json
from pathlib import Path

import pytest

from saiten.runs import read_run

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "my_metrics.py"
BOTH = ("-m", "my_metrics.py:Politeness,my_metrics.py:Citations")


@pytest.fixture(autouse=True)
def data(somewhere):
    """Two samples, and the example of the docs."""
    rows = [
        {"id": "en", "question": "Why?", "answer": "As [1] says.", "contexts": ["A."]},
        {"id": "ja", "question": "なぜですか。", "answer": "[2]のとおりです。", "contexts": ["甲。"]},
    ]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    Path("my_metrics.py").write_bytes(EXAMPLE.read_bytes())


def test_a_run_with_a_judge_and_without(saiten, openai_server):
    """The judge's task is asked in each sample's language; the signature has the file's digest."""
    openai_server.reply = lambda asked: (
        json.dumps({"reason": "r", "verdict": "丁寧" not in asked.text}) if "criterion" in asked.text else None
    )
    judge = ("--judge", f"openai:m@{openai_server.base_url}")
    said = saiten("score", "d.jsonl", *BOTH, *judge, "-o", "run", "--fail-under", "my_metrics.py:Citations.mean=0.5")
    assert said.status == 0, said.err
    found = {(one.sample, one.metric): one.score.value for one in read_run(Path("run")).scores()}
    assert found == {
        ("en", "politeness"): 1.0,
        ("ja", "politeness"): 0.5,
        ("en", "citations"): 1.0,
        ("ja", "citations"): 0.0,
    }
    signatures = read_run(Path("run")).manifest.signatures
    assert "code:my_metrics.py:Citations@" in signatures["citations"]
    assert "judge:" in signatures["politeness"]
    before = len(openai_server.requests)
    assert "already has 4 scores" in saiten("score", "d.jsonl", *BOTH, *judge, "-o", "run").err
    assert len(openai_server.requests) == before


def test_a_changed_file_does_not_mix_with_earlier_scores(saiten):
    """The error shows both digests; another folder is needed."""
    assert saiten("score", "d.jsonl", "-m", "my_metrics.py:Citations", "-o", "run").status == 0
    Path("my_metrics.py").write_text(EXAMPLE.read_text("utf-8") + "\n# edited\n", "utf-8")
    said = saiten("score", "d.jsonl", "-m", "my_metrics.py:Citations", "-o", "run")
    assert said.status == 2
    assert said.err.count("code:my_metrics.py:Citations@") == 2


def test_results_are_shown_without_the_file_and_without_running_it(saiten):
    """Show, compare and report know its name and direction from the run; to resume the run, the file is needed."""
    assert saiten("score", "d.jsonl", "-m", "my_metrics.py:Citations", "-o", "run").status == 0
    rows = [{"id": f"q{n}", "question": f"Q{n}?", "answer": "See [1]", "contexts": ["A."]} for n in range(20)]
    for name, mark in (("first", "[1]"), ("second", "[2]")):
        data = "".join(json.dumps(row | {"answer": f"See {mark}."}) + "\n" for row in rows)
        Path(f"{name}.jsonl").write_text(data, "utf-8")
        assert saiten("score", f"{name}.jsonl", "-m", "my_metrics.py:Citations", "-o", name).status == 0
    Path("my_metrics.py").write_text("open('ran', 'w').close()\n", "utf-8")
    (compared,) = json.loads(saiten("compare", "first", "second", "--format", "json").out).values()
    assert compared[0]["verdict"] == "worse"
    assert saiten("compare", "first", "second", "--fail-if-worse", "citations").status == 5
    assert saiten("compare", "second", "first", "--fail-if-worse", "citations").status == 0
    shown = json.loads(saiten("show", "run", "--format", "json").out)
    assert [row["metric"] for row in shown["Scores"]] == ["citations"]
    for command in (
        ("show", "run", "--worst", "citations"),
        ("show", "run", "--fail-under", "citations=0.5"),
        ("compare", "run", "run"),
        ("report", "run", "-o", "r.html"),
    ):
        said = saiten(*command)
        assert said.status == 0, said.err
    assert not Path("ran").exists()
    Path("my_metrics.py").unlink()
    said = saiten("score", "d.jsonl", "-m", "my_metrics.py:Citations", "-o", "run")
    assert said.status == 2
    assert "there is no file my_metrics.py" in said.err


def test_metrics_explains_a_metric_of_ones_own(saiten):
    """The docstrings of file and class, and the settings; options say that the code is run."""
    said = saiten("metrics", "my_metrics.py:Politeness")
    assert said.status == 0, said.err
    for words in ("politeness", "help desk", "needs question, answer", "[strict=…]  yes | no; default: False"):
        assert words in said.out
    for command in ("score", "probe", "metrics"):
        assert "code is run" in " ".join(saiten(command, "--help").out.replace("│", " ").split())


def test_the_code_that_saiten_toml_names_is_reported(saiten):
    """The file may be somebody else's; what is typed needs no note."""
    Path("saiten.toml").write_text('metrics = ["length", "my_metrics.py:Citations"]\n', "utf-8")
    said = saiten("score", "d.jsonl", "-o", "run")
    assert said.status == 0, said.err
    assert "saiten.toml names the metric my_metrics.py:Citations: its code is run" in said.err.replace("\n", " ")
    assert "its code is run" not in saiten("score", "d.jsonl", "-m", "my_metrics.py:Citations", "-o", "typed").err


def test_an_exception_while_scoring_is_a_failed_score(saiten):
    """With its traceback; the other metric is scored all the same."""
    Path("bad.py").write_text(EXAMPLE.read_text("utf-8").replace("if not cited:", "if not cited[9]:"), "utf-8")
    said = saiten("score", "d.jsonl", "-m", "bad.py:Citations,length", "-o", "run")
    assert said.status == 0, said.err
    found = {one.metric: one.score for one in read_run(Path("run")).scores()}
    assert (found["citations"].status, found["length"].status) == ("failed", "ok")
    assert "IndexError" in found["citations"].reason


def test_a_probe_and_a_rehearsal_take_it(saiten):
    """A metric that a judge takes part in is rehearsed with its calls."""
    said = saiten(
        "score", "d.jsonl", *BOTH, "--judge", "openai:m@http://localhost:9/v1", "--dry-run", "--format", "json"
    )
    assert said.status == 0, said.err
    (rows,) = json.loads(said.out).values()
    assert {row["metric"]: row["calls"] for row in rows} == {"politeness": 4, "citations": 0, "all": 4}
    assert saiten("probe", "-m", "my_metrics.py:Citations", "-o", "probe", "--limit", "4").status in {0, 4, 6}
