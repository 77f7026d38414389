"""`saiten score` without a model: its input, the contents of the folder, what is refused."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from saiten import evaluate, read_samples
from saiten.errors import ConfigurationError
from saiten.runs import read_run


def test_the_first_run_of_a_user(saiten, data, scores):
    """Figures on standard output, notes on standard error; a line for each score in the folder; show says the same."""
    said = saiten("score", data(5), "-m", "faithfulness", "-m", "token_f1", "-o", "run")
    assert said.status == 0
    assert "faithfulness" in said.out
    assert "No model was called" in said.err
    assert "10 scores for 5 samples" in said.err
    found = scores()
    assert len(found) == 10
    assert {score.status for score in found.values()} == {"ok"}
    assert saiten("show", "run").out == said.out
    manifest = read_run("run").manifest
    assert list(manifest.signatures) == ["faithfulness", "token_f1"]
    assert manifest.settings["judge"] == "offline"


def test_metrics_that_rank_better_than_the_offline_judges_verdicts_are_named(saiten, data):
    """For the metrics and languages scored; not if they are scored as well, nor with --quiet."""
    rows = [{"question": "Where?", "answer": "In Ulm.", "contexts": ["In Ulm."], "reference": "Ulm"}]
    said = saiten("score", data(rows), "-m", "faithfulness", "-o", "one")
    note = " ".join(said.err.split())
    assert "rank answers better than the offline judge's verdicts" in note
    assert "context_overlap (than faithfulness, en)" in note
    assert "--by expected" in note
    assert "faithfulness[worst]" not in note
    both = saiten("score", data(rows), "-m", "faithfulness", "-m", "context_overlap", "-o", "two")
    quiet = saiten("score", data(rows), "-m", "faithfulness", "-o", "three", "--quiet")
    assert "rank answers better" not in both.err + quiet.err


def test_the_same_command_again_does_nothing_and_other_metrics_are_added(saiten, data, scores):
    """A finished run is shown; an additional metric is scored; existing files stay identical byte for byte."""
    file = data(5)
    saiten("score", file, "-m", "token_f1", "-o", "run")
    before = Path("run/scores.jsonl").read_bytes()
    said = saiten("score", file, "-m", "token_f1", "-o", "run")
    assert said.status == 0
    assert "run already has 5 scores; resuming" in said.err
    assert Path("run/scores.jsonl").read_bytes() == before
    assert saiten("score", file, "-m", "token_f1", "-m", "length", "-o", "run").status == 0
    assert len(scores()) == 10
    assert Path("run/scores.jsonl").read_bytes().startswith(before)


def test_a_run_begun_in_python_goes_on_on_the_command_line_and_the_other_way_round(saiten, data):
    """Both interfaces write one manifest; existing scores are not recomputed, whichever comes second."""
    file = data(4)
    first = evaluate(file, ["token_f1"], run="begun-in-python")
    said = saiten("score", file, "-m", "token_f1", "-m", "faithfulness", "-o", "begun-in-python")
    assert (said.status, "already has 4 scores; resuming" in said.err) == (0, True), said
    assert saiten("score", file, "-m", "faithfulness", "--limit", "2", "-o", "begun-there").status == 0
    other = evaluate(file, ["faithfulness", "token_f1"], run="begun-there")
    assert len(read_run("begun-there").manifest.settings) == len(read_run("begun-in-python").manifest.settings)
    assert dict(other.settings) == dict(first.settings) == dict(read_run("begun-in-python").manifest.settings)
    assert other.settings["judge"] == "offline"
    lines = Path("begun-there/scores.jsonl").read_text().splitlines()
    assert len(lines) == len({(json.loads(line)["sample"], json.loads(line)["metric"]) for line in lines}) == 8


@pytest.mark.parametrize("python_first", [True, False])
def test_a_run_that_a_budget_stopped_goes_on_through_the_other_door(saiten, data, openai_server, python_first):
    """With a model, columns, a language and bad rows: the second interface asks for the rest, and nothing twice."""
    rows = [json.loads(line) | {"Q": f"Which {n}?"} for n, line in enumerate(Path(data(6)).read_text().splitlines())]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "not JSON\n")
    judge = f"openai:m@{openai_server.base_url}"

    def in_python(**budget):
        made = evaluate(
            "own.jsonl", ["faithfulness", "token_f1"], judge, run="run", columns={"question": "Q"}, language="en", seed=7, votes=2, **budget
        )  # fmt: skip
        return made.stopped is not None

    def on_the_command_line(**budget):
        options = [part for name, value in budget.items() for part in ("--" + name.replace("_", "-"), value)]
        metrics = ["-m", "faithfulness", "-m", "token_f1", "--judge", judge, "--seed", 7, "--votes", 2]
        said = saiten(
            "score", "own.jsonl", *metrics, "-o", "run", "--column", "question=Q", "--language", "en", *options
        )
        assert said.status == (3 if budget else 0), said
        return said.status == 3

    first, second = (in_python, on_the_command_line) if python_first else (on_the_command_line, in_python)
    assert first(max_calls=9, concurrency=2)
    begun = read_run("run")
    before, settings = (begun.folder / "scores.jsonl").read_bytes(), begun.manifest.settings
    assert begun.unfinished
    assert not second()
    ended = read_run("run")
    assert (ended.folder / "scores.jsonl").read_bytes().startswith(before)
    assert (ended.unfinished, ended.manifest.settings, ended.bad_rows()) == (False, settings, 1)
    lines = (ended.folder / "scores.jsonl").read_bytes().splitlines()
    assert len(lines) == len(list(ended.scores())) == 12
    asked = [json.dumps(request.body, sort_keys=True) for request in openai_server.requests]
    assert len(asked) - len(set(asked)) <= 2  # each command tests the judge once


def test_samples_from_elsewhere_do_not_get_into_a_run_of_a_file(saiten, data):
    """Rows of a list or another file may have the same generated IDs: they are refused before anything is written."""
    file = data(3)
    assert saiten("score", file, "-m", "token_f1", "-o", "run").status == 0
    before = {path.name: path.read_bytes() for path in Path("run").iterdir()}
    with pytest.raises(ConfigurationError, match=r'data: was "data\.jsonl", is null'):
        evaluate(list(read_samples(file)), ["token_f1", "length"], run="run")
    Path("copy.jsonl").write_bytes(Path(file).read_bytes())
    with pytest.raises(ConfigurationError, match="data: was"):
        evaluate("copy.jsonl", ["token_f1"], run="run")
    assert {path.name: path.read_bytes() for path in Path("run").iterdir()} == before


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (["--seed", "2"], "seed: was 1, is 2"),
        (["--language", "ja"], 'language: was "detected", is "ja"'),
        (["--column", "reference=question"], 'columns.reference: was not set, is "question"'),
        (["--judge", "openai:m@http://127.0.0.1:9/v1"], 'judge: was "offline", is "openai:m@http://127.0.0.1:9/v1"'),
    ],
)
def test_other_settings_on_the_same_folder_are_refused(saiten, data, changed, said):
    """No figure mixes two settings: the differences are listed, and nothing is touched."""
    file = data(2)
    saiten("score", file, "-m", "token_f1", "-o", "run")
    before = Path("run/scores.jsonl").read_bytes()
    refused = saiten("score", file, "-m", "token_f1", "-o", "run", *changed)
    assert refused.status == 2
    assert "begun with other settings" in refused.err
    assert said in refused.err
    assert Path("run/scores.jsonl").read_bytes() == before


def test_a_changed_sample_is_refused(saiten, data):
    """The same id with another answer would mix two data sets."""
    saiten("score", data(2), "-m", "token_f1", "-o", "run")
    said = saiten(
        "score", data([{"id": "q0", "question": "Question 0?", "answer": "x"}]), "-m", "token_f1", "-o", "run"
    )
    assert said.status == 2
    assert "answer was 'The answer is 0. It is right.', is 'x'" in said.err


def test_unknown_columns_are_explained_and_the_right_ones_may_be_given(saiten, somewhere):
    """The message lists the available columns; the corrected command accepts the same folder."""
    (somewhere / "d.csv").write_text("Frage,Antwort,Soll\nWo?,In Nagoya.,In Nagoya.\n")
    said = saiten("score", "d.csv", "-m", "exact_match", "-o", "run")
    assert said.status == 2
    assert "columns there: Frage, Antwort, Soll" in said.err
    columns = ["--column", "question=Frage", "--column", "answer=Antwort", "--column", "reference=Soll"]
    said = saiten("score", "d.csv", "-m", "exact_match", "-o", "run", *columns, "--format", "json")
    assert said.status == 0
    assert json.loads(said.out)["Scores"][0]["mean"] == 1.0


def test_a_sheet_with_the_answers_of_two_systems_ends_in_their_comparison(saiten, somewhere):
    """回答A and 回答B in a workbook: scores of both, ids with Excel's rows, and a comparison; questions alone once."""
    book = openpyxl.Workbook()
    for row in (["回答の評価"], ["質問", "回答A", "回答B", "正解"], ["q", "x y", "z", "x y"], ["p", "v", "v", "v"]):
        book.active.append(row)
    book.active.title = "4月"
    book.save("faq.xlsx")
    said = saiten("score", "faq.xlsx#4月", "-m", "exact_match", "-o", "run", "--format", "json")
    assert (said.status, json.loads(said.out)["Scores"][0]["n"]) == (0, 4)
    assert "'回答A' (system A), '回答B' (system B)" in said.err
    assert [sample.id for sample in read_run(Path("run")).samples()] == ["row-3/A", "row-3/B", "row-4/A", "row-4/B"]
    said = saiten("compare", "run", "run", "--systems", "A,B", "--format", "json")
    ((compared,), *_) = json.loads(said.out).values()
    assert (said.status, compared["difference"]) == (0, -0.5)
    said = saiten("score", "faq.xlsx", "-m", "exact_match", "--column", "answer=回答A", "--column", "answer=回答B")
    assert (said.status, "--column maps answer to two columns, '回答A' and '回答B'; name one" in said.err) == (2, True)
    (somewhere / "bot.py").write_text("def answer(question): return question")
    assert saiten("answer", "faq.xlsx", "--system", "bot.py:answer", "-o", "a.jsonl").status == 0
    assert sorted(json.loads(line)["question"] for line in Path("a.jsonl").read_text().splitlines()) == ["p", "q"]


def test_a_sheet_without_answers_ends_with_a_status_that_says_so(saiten, somewhere):
    """No metric could be measured: status 6, with the columns that were not used."""
    (somewhere / "d.csv").write_text("質問,所感,正解\nq,x,y\n")
    said = saiten("score", "d.csv", "-m", "exact_match", "-o", "run")
    assert (said.status, "columns not used: 所感" in said.err) == (6, True)


@pytest.mark.parametrize(
    "names",
    [
        ("question", "answer", "contexts", "reference"),
        ("user_input", "response", "retrieved_contexts", "reference"),
        ("question", "answer", "contexts", "ground_truth"),
        ("input", "actual_output", "retrieval_context", "expected_output"),
        ("inputs", "predictions", "contexts", "targets"),
        ("query", "response", "retrieved_context", "gt_answer"),
        ("inputs.question", "outputs.answer", "outputs.contexts", "reference.answer"),
        ("質問", "回答", "コンテキスト", "正答例"),
    ],
)
def test_the_columns_of_other_tools_are_recognized(saiten, data, names):
    """RAGAS old and new, DeepEval, MLflow, RAGChecker, LangSmith, Japanese: no --column is needed."""
    values = ("Where?", "In Nagoya.", ["It is in Nagoya."], "In Nagoya.")
    said = saiten(
        "score",
        data([dict(zip(names, values, strict=True))]),
        "-m",
        "token_f1",
        "-m",
        "faithfulness",
        "-o",
        "run",
        "--format",
        "json",
    )
    assert [row["mean"] for row in json.loads(said.out)["Scores"]] == [1.0, 1.0]


def test_bad_rows_are_named_by_line_and_kept_apart(saiten, data, scores):
    """The others are scored; each bad row is in errors.jsonl; --strict stops at the first."""
    rows = [
        *({"question": f"q{n}", "answer": "a", "reference": "a"} for n in range(3)),
        b"nonsense",
        {"question": ["x"], "answer": 1},
    ]
    rows += [{"question": "q", "answer": "a", "reference": "a"}]
    file = data(rows)
    said = saiten("score", file, "-m", "exact_match", "-o", "run")
    assert said.status == 0
    assert "kept apart data.jsonl:4:" in said.err
    kept = [error["where"] for error in read_run("run").errors()]
    assert kept[0] == "data.jsonl:4"
    assert f"{len(kept)} rows could not be used" in said.err
    assert len(scores()) == 6 - len(kept)
    saiten("score", file, "-m", "exact_match", "-o", "run")
    assert [error["where"] for error in read_run("run").errors()] == kept
    strict = saiten("score", file, "-m", "exact_match", "-o", "strict", "--strict")
    assert strict.status == 2
    assert "data.jsonl:4" in strict.err


def test_a_file_without_a_good_row_is_an_error(saiten, data):
    """There is no empty table."""
    said = saiten("score", data([b"x", b"y"]), "-m", "exact_match", "-o", "run")
    assert said.status == 2


def test_standard_input_and_the_limit(data, scores):
    """A pipe is read as a stream: `cat data | saiten score -`; --limit takes the first rows."""
    code = "from saiten.cli import main; main()"
    arguments = ["score", "-", "-m", "exact_match", "-o", "run", "--limit", "3"]
    with data(10).open("rb") as source:
        done = subprocess.run([sys.executable, "-c", code, *arguments], stdin=source, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert [sample for sample, _ in scores()] == ["q0", "q1", "q2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "gone.jsonl", "-m", "token_f1"], "gone.jsonl"),
        (["score", "data.jsonl"], "name a metric"),
        (["score", "data.jsonl", "-m", "faithfullness"], "did you mean faithfulness"),
        (["score", "data.jsonl", "-m", "correctness[x=1]"], "correctness has no setting"),
        (["score", "data.jsonl", "-m", "token_f1", "--judge", "gpt"], "unknown judge 'gpt'"),
        (["score", "data.jsonl", "-m", "token_f1", "--column", "question"], "--column expects FIELD=COLUMN"),
        (["score", "data.jsonl", "-m", "token_f1", "--column", "nothing=Q"], "there is no field 'nothing'"),
        (["score", "data.jsonl", "-m", "token_f1", "--calibration", "gone.json"], "gone.json"),
        (["score", "data.jsonl", "-m", "token_f1", "--config", "gone.toml"], "no such configuration file"),
        (["score", "data.jsonl", "-m", "token_f1", "-o", "data.jsonl"], "is a file"),
        (["score", "data.jsonl", "-m", "correctness", "--judge", "openai:gpt-4o"], "set OPENAI_API_KEY"),
        (["show", "gone"], "gone is no run of saiten: there is no such folder"),
        (["show", "data.jsonl"], "a run is the folder that `saiten score` makes"),
        (["show", "."], "is no run of saiten"),
        (["compare", "gone", "gone"], "is no run of saiten"),
        (["metrics", "gone"], "there is no metric 'gone'"),
        (["tune", "offline", "gone.csv", "-s", "data.jsonl"], "gone.csv"),
    ],
)  # fmt: skip
def test_a_wrong_command_ends_with_a_sentence(saiten, data, arguments, said):
    """Exit status 2, one message that names what is wrong, no traceback."""
    data(2)
    ended = saiten(*arguments)
    assert ended.status == 2
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_compat_takes_the_edge_cases_of_ragas(saiten, data):
    """The name says so, so one run can have figures of both kinds."""
    said = saiten(
        "score", data(1), "-m", "faithfulness", "-m", "token_f1", "--compat", "ragas", "-o", "run", "--format", "json"
    )
    assert [row["metric"] for row in json.loads(said.out)["Scores"]] == ["faithfulness[compat=ragas]", "token_f1"]


def test_defaults_come_from_saiten_toml(saiten, data, somewhere):
    """The command line wins over the file; an error in it is named."""
    file = data(2)
    (somewhere / "saiten.toml").write_text('metrics = ["length"]\nlanguage = "ja"\n')
    assert list(read_metrics(saiten("score", file, "-o", "run", "--format", "json"))) == ["length"]
    assert read_run("run").manifest.settings["language"] == "ja"
    other = saiten("score", file, "-m", "token_f1", "--language", "en", "-o", "other", "--format", "json")
    assert list(read_metrics(other)) == ["token_f1"]
    (somewhere / "saiten.toml").write_text("metrik = []\n")
    said = saiten("score", file, "-o", "run")
    assert said.status == 2
    assert "did you mean `metrics`?" in said.err


def read_metrics(said):
    """Metric → mean, from the JSON form."""
    assert said.status == 0, said
    return {row["metric"]: row["mean"] for row in json.loads(said.out)["Scores"]}


def test_the_three_forms_for_programs_say_the_same(saiten, data):
    """JSON, CSV and Markdown are on standard output, with nothing else."""
    saiten("score", data(4), "-m", "token_f1", "-m", "chrf", "-o", "run")
    means = read_metrics(saiten("show", "run", "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(saiten("show", "run", "--format", "csv").out)))
    assert {row["metric"]: float(row["mean"]) for row in rows if row["table"] == "Scores"} == means
    lines = saiten("show", "run", "--format", "md").out.split("\n")
    cells = [line.split(" | ") for line in lines if line.startswith(("| token_f1 |", "| chrf |"))]
    assert {cell[0].removeprefix("| "): cell[1] for cell in cells} == {
        name: f"{mean:.3f}" for name, mean in means.items()
    }


@pytest.mark.parametrize("arguments", [("nothing.jsonl",), ("data.jsonl", "--column", "question=Q")])
def test_a_wrong_file_or_column_leaves_no_folder_behind(saiten, data, somewhere, arguments):
    """The first row is read before the run begins."""
    data(2)
    assert saiten("score", *arguments, "-m", "length", "-o", "run").status == 2
    assert not (somewhere / "run").exists()


def test_questions_without_answers_explain_what_to_do(saiten, data, somewhere):
    """Scoring a file of questions explains how to get answers, unless only some lack one."""
    data(2)
    Path("asked.jsonl").write_text('{"question": "Q?", "reference": "R"}\n', "utf-8")
    said = " ".join(saiten("score", "asked.jsonl", "-m", "token_f1").err.split())
    assert "`saiten answer asked.jsonl --system SYSTEM -o ANSWERS.jsonl`" in said
    assert "saiten answer" not in saiten("score", "data.jsonl", "-m", "token_f1").err


def test_a_missing_field_is_reported_next_to_the_figures(saiten, data):
    """Nobody has to search for why there is no mean."""
    said = saiten("score", data([{"question": "q", "answer": "a"}]), "-m", "token_f1", "-o", "run")
    assert "the sample has no reference" in said.out
