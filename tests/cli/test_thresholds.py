"""`--fail-under`, `--fail-over`, `--fail-if-worse`: exit status 5 where answers are not good enough."""

import json
import signal
from pathlib import Path

import pytest
from lxml import etree

from saiten.runs import read_run

ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n} years old." if n % 4 else "I like trees.",
        "contexts": [f"Bridge {n} is {n} years old."],
        "reference": f"Bridge {n} is {n} years old.",
        "system": "ab"[n % 2],
        "group": f"g{n % 3}",
    }
    for n in range(24)
]
"""18 right and 6 wrong, the wrong ones all of system a: token_f1 is 0.75, a 0.5 and b 1."""


@pytest.fixture
def run(saiten, data, once):
    """A run over all of them."""

    def make():
        assert saiten("score", data(ROWS), "-m", "token_f1", "-m", "length", "-o", "run").status == 0

    once(make)
    return "run"


def table(said):
    """The outcomes of `--format json`."""
    return json.loads(said.out)["Thresholds"]


@pytest.mark.parametrize(
    ("arguments", "missed"),
    [
        (["--fail-under", "token_f1=0.75"], []),  # equal is enough
        (["--fail-under", "token_f1=0.8"], ["token_f1 >= 0.8"]),
        (["--fail-under", "Token-F1=0.8"], ["token_f1 >= 0.8"]),
        (["--fail-under", "token_f1.low=0.75"], ["token_f1.low >= 0.75"]),
        (["--fail-under", "token_f1.low=0.5"], []),
        (["--fail-under", "token_f1.min=0.1"], ["token_f1.min >= 0.1"]),
        (["--fail-over", "token_f1.max=0.9"], ["token_f1.max <= 0.9"]),
        (["--fail-over", "length=20"], []),
        (["--fail-over", "length=2"], ["length <= 2"]),
        (["--fail-over", "length.high=20"], []),
        (["--fail-under", "length=1", "--fail-over", "length=2", "--fail-under", "token_f1=0.9"], ["token_f1 >= 0.9", "length <= 2"]),
        (["--fail-under", "token_f1.coverage=1"], []),
        (["--fail-under", "token_f1=0.7", "--fail-each", "system"], ["token_f1 >= 0.7"]),
        (["--fail-under", "token_f1=0.5", "--fail-each", "system"], []),
    ],
)  # fmt: skip
def test_what_is_missed_decides_the_status(saiten, run, arguments, missed):
    """5 if anything is missed, else 0; each missed threshold is reported on standard error and is data in the JSON."""
    said = saiten("show", run, *arguments, "--format", "json")
    assert said.status == (5 if missed else 0), said
    assert [row["threshold"] for row in table(said) if row["verdict"] != "met"] == missed
    assert [line.partition("missed: ")[2].partition(":")[0].partition(" (")[0] for line in said.err.splitlines() if line.startswith("missed:")] == missed  # fmt: skip


def test_a_missed_threshold_shows_value_interval_n_and_limit(saiten, run):
    """They are in the data and in the sentence."""
    said = saiten("show", run, "--fail-under", "token_f1=0.8", "--format", "json")
    (row,) = table(said)
    scores = json.loads(said.out)["Scores"][0]
    assert (row["metric"], row["figure"], row["bound"], row["limit"]) == ("token_f1", "mean", ">=", 0.8)
    assert (row["value"], row["95 % from"], row["to"], row["n"]) == tuple(scores[key] for key in ("mean", "95 % from", "to", "n"))  # fmt: skip
    assert f"token_f1 >= 0.8: 0.75 is under 0.8 [{row['95 % from']:.3f}, {row['to']:.3f}], n 24 of 24" in said.err
    shown = saiten("show", run, "--fail-under", "token_f1=0.8")
    assert shown.status == 5
    assert "missed   0.75 is under 0.8" in shown.out


def test_score_runs_to_its_end_and_then_reports(saiten, data):
    """The run is complete and kept, and the same command on it reports the same."""
    said = saiten("score", data(ROWS), "-m", "token_f1", "-o", "run", "--fail-under", "token_f1=0.8", "--junit", "j.xml")  # fmt: skip
    assert said.status == 5
    assert len(list(read_run("run").scores())) == 24
    assert etree.parse("j.xml").find(".//failure") is not None
    assert saiten("score", Path("data.jsonl"), "-m", "token_f1", "-o", "run", "--fail-under", "token_f1=0.8").status == 5  # fmt: skip
    assert saiten("score", Path("data.jsonl"), "-m", "token_f1", "-o", "run", "--fail-under", "token_f1=0.7").status == 0  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fail-under", "tokenf1=0.5"], "'tokenf1' is not scored; did you mean token_f1?"),
        (["--fail-under", "faithfulness=0.5"], "'faithfulness' is not scored; there are token_f1, length"),
        (["--fail-under", "token_f1"], "a threshold is written METRIC=NUMBER"),
        (["--fail-under", "token_f1="], "a threshold is written METRIC=NUMBER"),
        (["--fail-under", "=0.5"], "a threshold is written METRIC=NUMBER"),
        (["--fail-under", "token_f1=nan"], "a threshold is written METRIC=NUMBER"),
        (["--fail-under", "length=1_0"], "a threshold is written METRIC=NUMBER"),
        (["--fail-under", "token_f1>=0.5"], "with = alone"),
        (["--fail-under", "token_f1=80"], "lies between 0 and 1"),
        (["--fail-over", "token_f1.coverage=2"], "the coverage of token_f1 lies between 0 and 1"),
        (["--fail-under", "token_f1.median=0.5"], "after the dot comes one of mean, low"),
        (["--junit", "j.xml"], "without a threshold"),
        (["--min-coverage", "0.5"], "without a threshold"),
        (["--fail-under", "token_f1=0.5", "--junit", "."], "is not a file"),
    ],
)  # fmt: skip
def test_a_slip_is_reported_before_anything_is_spent(saiten, data, arguments, said):
    """The status is 2, and no run was begun."""
    refused = saiten("score", data(ROWS), "-m", "token_f1", "-m", "length", "-o", "run", *arguments)
    assert refused.status == 2
    assert said in refused.err
    assert not Path("run").exists()


def test_settings_in_brackets_are_read_with_their_equals_sign(saiten, data):
    """The number follows the last equals sign; the title is enough if it is unique; otherwise the error lists the names."""
    score = ["score", data(ROWS), "-m", "context_recall[compat=ragas]", "-m", "bleu4", "-o", "run"]
    for name in ("context_recall[compat=ragas]", "context_recall"):
        said = saiten(*score, "--fail-under", f"{name}=1", "--format", "json")
        assert (said.status, table(said)[0]["metric"]) == (0, "context_recall[compat=ragas]")
    two = [*score[:4], "-m", "context_recall", *score[4:-1], "both"]
    assert saiten(*two, "--fail-under", "context_recall=1").status == 0  # with exactly this name
    gist = saiten("score", Path("data.jsonl"), "-m", "gist", "-o", "gist", "--fail-under", "gist=0.5")
    assert gist.status == 2
    assert "is several figures here: gist[" in gist.err


def test_what_was_not_measured_is_not_good_enough(saiten, data):
    """Half of the samples lack a value and miss a threshold that the others meet; the required share is reported."""
    rows = [row | ({} if n % 2 else {"reference": None}) for n, row in enumerate(ROWS)]
    file = data(rows)
    said = saiten("score", file, "-m", "token_f1", "-o", "run", "--fail-under", "token_f1=0.7", "--format", "json")
    assert said.status == 5
    assert table(said)[0]["verdict"] == "unmeasured"
    assert table(said)[0]["why"] == "12 of 24 samples have a value (50%); 90% are required: 12 undefined (the sample has no reference)"  # fmt: skip
    assert saiten("show", "run", "--fail-under", "token_f1=0.7", "--min-coverage", "0.5").status == 0
    assert saiten("show", "run", "--fail-under", "token_f1=0.7", "--fail-under", "token_f1.coverage=0.5").status == 0
    assert saiten("show", "run", "--fail-under", "token_f1.coverage=0.6", "--min-coverage", "0.1").status == 5
    assert saiten("show", "run", "--fail-over", "token_f1=0.99", "--min-coverage", "0.6").status == 5


def half_lost(path):
    """A CSV file in which a single stray quote spoils each of four rows out of eight."""
    row = "How old is bridge {n}?,{quote}Bridge {n} is {n} years old.,Bridge {n} is {n} years old.\n"
    rows = (row.format(n=n, quote='" ' if n % 2 else "") for n in range(8))
    path.write_text("question,answer,reference\n" + "".join(rows))
    return str(path)


def test_rows_that_could_not_be_used_count_in_coverage(saiten, tmp_path):
    """Half of a file does not pass a gate until the file is repaired."""
    file = half_lost(tmp_path / "d.csv")
    said = saiten("score", file, "-m", "exact_match", "-o", "run", "--fail-under", "exact_match=1", "--format", "json")
    assert said.status == 5
    (row,) = table(said)
    assert (row["n"], row["of"], row["verdict"]) == (4, 8, "unmeasured")
    assert "4 of 8 samples have a value (50%); 90% are required: unusable rows: 4" in row["why"]
    assert saiten("show", "run", "--fail-under", "exact_match.coverage=0.5").status == 0
    assert saiten("show", "run", "--fail-under", "exact_match.coverage=0.51").status == 5
    assert "Unusable rows, excluded from all figures: 4." in saiten("show", "run", "--format", "md").out

    mended = Path(file).read_text().replace('" ', "")
    Path(file).write_text(mended)
    said = saiten("score", file, "-m", "exact_match", "-o", "run", "--fail-under", "exact_match=1")
    assert said.status == 0, said.err
    assert read_run("run").bad_rows() == 0


def test_a_comparison_of_runs_that_lost_the_same_rows_cannot_tell(saiten, tmp_path):
    """Rows that neither run could use are samples measured on neither side."""
    file = half_lost(tmp_path / "d.csv")
    for run in ("one", "two"):
        assert saiten("score", file, "-m", "exact_match", "-o", run).status == 0
    said = saiten("compare", "one", "two", "--fail-if-worse", "exact_match")
    assert said.status == 5
    assert "only 4 of 8 samples were measured on both sides (unusable rows: 4)" in said.err


def test_a_metric_without_any_value_misses_both_ways(saiten, data):
    """A missing value is neither under nor over."""
    file = data([{"id": "a", "question": "q", "answer": "a"}])
    for side in ("under", "over"):
        said = saiten("score", file, "-m", "token_f1", "-o", "run", f"--fail-{side}", "token_f1=0.5", "--min-coverage", "0")  # fmt: skip
        assert said.status == 5
        assert "no sample has a value: 1 undefined" in said.err


@pytest.mark.parametrize(("questions", "status"), [(1, 5), (3, 5), (6, 0), (24, 0)])
def test_the_lower_end_where_all_scores_are_equal(saiten, data, questions, status):
    """Resampling shows no spread then; from six questions on that is enough, fewer are not."""
    rows = [{"id": str(n), "question": f"q{n}", "answer": "a", "reference": "a"} for n in range(questions)]
    assert saiten("score", data(rows), "-m", "token_f1", "-o", "run", "--fail-under", "token_f1.low=0.9").status == status  # fmt: skip


def test_a_system_that_is_not_good_enough_is_named(saiten, run):
    """The overall mean may hide it."""
    assert saiten("show", run, "--fail-under", "token_f1=0.7").status == 0
    said = saiten("show", run, "--fail-under", "token_f1=0.7", "--fail-each", "system", "--format", "json")
    assert [(row["system"], row["verdict"]) for row in table(said)] == [("(all)", "met"), ("a", "missed"), ("b", "met")]
    assert "token_f1 >= 0.7 (system a): 0.5 is under 0.7" in said.err


def test_more_groups_than_a_summary_shows_are_all_checked_against_the_limit(saiten, data):
    """A hundred and one groups, the last of them wrong."""
    rows = [{"id": str(n), "question": f"q{n}", "answer": "a" if n < 100 else "b", "reference": "a", "group": f"g{n:03}"} for n in range(101)]  # fmt: skip
    saiten("score", data(rows), "-m", "token_f1", "-o", "run")
    said = saiten("show", "run", "--fail-under", "token_f1=0.9", "--fail-each", "group")
    assert said.status == 5
    assert [line for line in said.err.splitlines() if "missed" in line] == [
        "missed: token_f1 >= 0.9 (group g100): 0 is under 0.9, n 1 of 1"
    ]


def test_a_run_that_the_budget_stopped_keeps_its_status(saiten, data, openai_server):
    """3, not 5; half a run is not checked against thresholds, and no earlier run's report is left in its place."""
    Path("j.xml").write_text("<testsuites/>")
    judge = f"openai:m@{openai_server.base_url}"
    said = saiten("score", data(ROWS), "-m", "faithfulness", "--judge", judge, "-o", "run", "--max-calls", "4", "--fail-under", "faithfulness=1", "--junit", "j.xml")  # fmt: skip
    assert said.status == 3, said
    assert "the thresholds were not checked" in said.err
    assert "Thresholds" not in said.out
    assert not Path("j.xml").exists()
    # An incomplete run does not pass afterwards either.
    said = saiten("show", "run", "--fail-under", "faithfulness=0", "--min-coverage", "0", "--junit", "j.xml")
    assert said.status == 5
    assert "the run is not finished" in said.err
    assert 'failures="0" errors="1"' in Path("j.xml").read_text()


@pytest.mark.slow
def test_a_run_killed_at_once_does_not_pass(saiten, process, data):
    """The folder exists, its scores do not."""
    file = data([row | {"id": f"{row['id']}/{n}"} for n in range(200) for row in ROWS])
    started = process("score", file, "-m", "token_f1", "-o", "run")
    while not Path("run/samples.jsonl").exists() or not Path("run/samples.jsonl").stat().st_size:
        assert started.poll() is None, started.communicate()
    started.send_signal(signal.SIGKILL)
    started.wait()
    reader = read_run("run")
    whole = reader.manifest.finished
    said = saiten("show", "run", "--fail-under", "token_f1=0", "--min-coverage", "0")
    assert (said.status, "not finished" in said.err) == ((0, False) if whole else (5, True))
    Path("run/scores.jsonl").write_bytes(b"")
    said = saiten("show", "run", "--fail-under", "token_f1=0", "--format", "json")
    assert said.status == 5
    assert table(said)[0]["verdict"] == "unmeasured"


def test_thresholds_are_of_the_summary(saiten, run):
    """One sample in full has none."""
    said = saiten("show", run, "--sample", "q1", "--fail-under", "token_f1=0.5")
    assert said.status == 2
    assert "apply to the summary" in said.err


def test_a_bound_on_the_good_side_is_pointed_out(saiten, run):
    """It may be intended, so it is only pointed out."""
    said = saiten("show", run, "--fail-over", "token_f1=0.9")
    assert said.status == 0
    assert "note: higher is better for token_f1; --fail-under is the bound on its other side" in said.err


@pytest.fixture
def worse(saiten, data, run, once):
    """The same questions with worse answers, and one with some of them missing."""

    def make():
        rows = [row | {"answer": "I like trees." if n % 3 else row["answer"]} for n, row in enumerate(ROWS)]
        saiten("score", data(rows), "-m", "token_f1", "-m", "length", "-o", "worse")
        saiten("score", data(rows[:3]), "-m", "token_f1", "-o", "few")

    once(make)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["run", "worse", "--fail-if-worse", "token_f1"], 5, "failed: token_f1, run → worse: worse by 0.5"),
        (["run", "worse", "--fail-if-worse", "token_f1=0.4"], 5, "worse by 0.5"),
        (["run", "worse", "--fail-if-worse", "token_f1=0.9"], 0, ""),
        (["worse", "run", "--fail-if-worse", "token_f1"], 0, ""),
        (["run", "run", "--fail-if-worse", "token_f1"], 0, ""),
        (["run", "run", "worse", "--fail-if-worse", "token_f1"], 5, "run → worse"),
        (["run", "few", "--fail-if-worse", "token_f1"], 5, "only 3 of 24 samples were measured on both sides"),
        (["run", "worse", "--fail-if-worse", "length"], 2, "neither direction of length is better"),
        (["run", "worse", "--fail-if-worse", "tokenf1"], 2, "did you mean token_f1?"),
        (["run", "worse", "--fail-if-worse", "token_f1=-1"], 2, "METRIC=MARGIN"),
        (["run", "worse", "--fail-if-worse", "token_f1=x"], 2, "METRIC=MARGIN"),
    ],
)  # fmt: skip
def test_a_run_that_is_worse_fails(saiten, worse, arguments, status, said):
    """The paired test and the margin decide, or too little was measured to know."""
    found = saiten("compare", *arguments)
    assert found.status == status, found
    assert said in found.err


def test_what_neither_run_measured_is_not_passed_over(saiten, data):
    """Both decline the same 33 of 50 questions, and the others are better: no verdict, and nothing passes."""
    for name, right in (("before", 2), ("after", 1)):
        rows = [
            {
                "id": f"q{n}",
                "question": f"How old is bridge {n}?",
                "answer": "I do not know." if n < 33 else f"{n} years." if n % right == 0 else "It is made of stone.",
                "reference": f"{n} years",
            }
            for n in range(50)
        ]
        assert saiten("score", data(rows), "-m", "correctness", "-o", name).status == 0
    found = saiten("compare", "before", "after", "--format", "json", "--fail-if-worse", "correctness")
    rows = next(iter(json.loads(found.out).values()))
    assert (rows[0]["n"], rows[0]["of"], rows[0]["verdict"]) == (17, 50, "too little measured")
    assert rows[0]["p"] < 0.05
    assert "only 17 of 50 measured on both sides; first: 33 declined; second: 33 declined" in rows[0]["remarks"]
    assert found.status == 5
    assert "only 17 of 50 samples were measured on both sides; 90% are required" in found.err
