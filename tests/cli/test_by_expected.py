"""`--by expected`: expected values instead of values, wherever scores are compared with people."""

import json
from pathlib import Path

import pytest

from saiten.records import Sample, Score, Scored
from saiten.runs import Journal, RunSettings
from saiten.trust.inputs.sources import read_source

NAMES = [f"q{n}" for n in range(12)]


def a_run(folder, *, expected=True, judge="m", shift=0.0):
    """A judge whose verdicts are always yes, and whose expected values rank as people do; the first was not judged."""
    signatures = {"accuracy": f"accuracy|judge:{judge}", "context_overlap": "context_overlap|made up"}
    with Journal.open(Path(folder), RunSettings(more={"judge": judge}), signatures=signatures) as journal:
        for n, name in enumerate(NAMES):
            journal.sample(Sample(name, f"Question {name}?", "An answer.", contexts=("c",), reference="r"))
            probability = n / 20 + 0.4 - shift if expected and n else None
            scores = {
                "accuracy": Score(float(n > 0), expected=probability),
                "context_overlap": Score(0.5 + (n % 2) / 4),
            }
            for metric, score in scores.items():
                journal.score(Scored(name, metric, score))
        journal.finish(None)


@pytest.fixture
def labels(data):
    """Grades from 1 to 4, higher for later answers."""
    return data(
        [{"item": name, "aspect": "grade", "value": n // 3 + 1} for n, name in enumerate(NAMES)], "people.jsonl"
    )


def test_metrics_are_compared_by_their_expected_values(saiten, labels):
    """The tables name the figure; a metric without a judge keeps its value; a score without a judge has its own."""
    a_run("run")
    by_value = saiten("meta-evaluate", "run", labels, "--format", "json")
    found = saiten("meta-evaluate", "run", labels, "--by", "expected", "--format", "json")
    assert found.status == 0, found.err
    value, expected = (
        {row["metric"]: row["Pearson"] for row in json.loads(each.out)["grade: over items"]}
        for each in (by_value, found)
    )
    assert set(value) == {"accuracy", "context_overlap"}
    assert set(expected) == {"accuracy · expected", "context_overlap"}
    assert expected["accuracy · expected"] > 0.8 > value["accuracy"]
    assert expected["context_overlap"] == value["context_overlap"]
    assert "1 of 12 scores of accuracy have no expected value" in " ".join(found.err.split())
    assert "scores of context_overlap" not in " ".join(found.err.split())


def test_an_estimate_can_use_expected_values(saiten, data):
    """The metric is still chosen by its own name, and the table says which figure was used."""
    a_run("run")
    some = data([{"item": name, "value": float(n > 5)} for n, name in enumerate(NAMES) if n % 2], "some.jsonl")
    found = saiten("estimate", "run", some, "-m", "accuracy", "--by", "expected", "--format", "json")
    assert found.status == 0, found.err
    assert "accuracy · expected" in found.out


@pytest.mark.parametrize("command", [("meta-evaluate",), ("estimate",)])
def test_a_run_without_expected_values_is_refused(saiten, labels, command):
    """The error names the judged metric and how many scores it has, and what to do."""
    a_run("run", expected=False)
    said = saiten(*command, "run", labels, "--by", "expected")
    assert said.status == 2
    error = " ".join(said.err.split())
    assert "no score in run has an expected value: accuracy (12 scores)" in error
    assert "--logprobs" in error


def test_drift_can_compare_expected_values(saiten, labels):
    """The shift of what a judge expects, where its verdicts have not moved."""
    a_run("before")
    a_run("now", shift=0.05)
    found = saiten("drift", "before", "now", labels, "--by", "expected", "--format", "json")
    assert found.status == 0, found.err
    assert "accuracy · expected" in found.out
    assert "accuracy · expected" not in saiten("drift", "before", "now", labels, "--format", "json").out
    a_run("bare", expected=False)
    assert "no score in bare has an expected value" in saiten("drift", "before", "bare", "--by", "expected").err


def test_a_report_can_rank_by_expected_values(saiten, labels):
    """The ranking on the page names the figure; without labels there is nothing to compare."""
    a_run("run")
    said = saiten("report", "run", "--labels", labels, "--by", "expected", "-o", "page.html")
    assert said.status == 0, said.err
    assert "accuracy · expected" in Path("page.html").read_text("utf-8")
    alone = saiten("report", "run", "--by", "expected", "-o", "page.html")
    assert "--by require --labels" in " ".join(alone.err.split())
    a_run("bare", expected=False)
    bare = saiten("report", "bare", "--labels", labels, "--by", "expected", "-o", "page.html")
    assert "no score in bare has an expected value" in bare.err


def test_several_runs_keep_their_names_apart(saiten, labels):
    """Two runs with the same metric are named after the figure, too."""
    a_run("one", judge="small")
    a_run("two", judge="large")
    said = saiten("meta-evaluate", "one", labels, "--judges", "two", "--by", "expected", "--format", "json")
    assert said.status == 0, said.err
    names = {row["metric"] for row in json.loads(said.out)["grade: over items"]}
    assert names == {"accuracy · small · expected", "accuracy · large · expected", "context_overlap"}


def test_the_weights_of_aspects_can_be_learned_from_expected_values(saiten, somewhere):
    """`tune mate` with a run: expected grades differ from the given ones, and so do the weights."""
    people = []
    with Journal.open(Path("run"), RunSettings(), signatures={"aspects[factuality]": "made up"}) as journal:
        for n in range(60):
            name, grade = f"q{n}", n % 4
            journal.sample(Sample(name, f"Question {name}?", "An answer."))
            score = Score(float(min(grade, 2)), expected=grade * 0.9 + 0.1, details={"grade": min(grade, 2)})
            journal.score(Scored(name, "aspects[factuality]", score))
            people.append({"item": name, "aspect": "acceptability", "value": grade, "annotator": "P"})
        journal.finish(None)
    Path("people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in people), "utf-8")
    for by in ("value", "expected"):
        said = saiten("tune", "mate", "people.jsonl", "run", "-a", "factuality", "--by", by, "-o", f"{by}.toml")
        assert said.status == 0, said.err
    value, expected = (Path(f"{by}.toml").read_text("utf-8") for by in ("value", "expected"))
    assert value != expected


def test_python_reads_either_figure(saiten, somewhere):
    """`read_source` has the same choice."""
    a_run("run")
    source = read_source(Path("run"), by="expected", notify=lambda _: None)
    said = {one.item: one.said for one in source.outputs if one.made.metric == "accuracy"}
    assert (said["q0"], said["q4"]) == (0.0, pytest.approx(0.6))
