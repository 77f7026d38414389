import json

import pytest

from saiten.experiments.cells import Cell, cells_of, scores_folder
from saiten.experiments.plan import ExperimentPlan
from saiten.experiments.results import ChainComparison, read_results
from saiten.experiments.tables import experiment_tables
from saiten.records import Sample, Score, Scored
from saiten.runs import Journal
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison
from saiten.views.tables.summary import summary_tables


def compared(p, difference, faster, *, model="m", n=10, higher=True):
    """A comparison with this p, and this interval of the latency; None: missing."""
    accuracy = PairedComparison(difference, -0.5, 0.5, 0.001, n, n, 3, 4, 3)
    latency = Estimate(0.8, 10, None, *(faster or (None, None)), 10)
    return ChainComparison("d", model, "qa", "accuracy", accuracy, latency, p, 10, higher=higher)


@pytest.mark.parametrize(
    ("p", "difference", "faster", "said"),
    [
        (0.2, 0.1, (0.8, 1.2), "both differences are within the noise"),
        (None, None, None, "both differences are within the noise"),
        (0.05, 0.1, (1.0, 1.2), "both differences are within the noise"),
        (0.2, 0.1, (0.5, 0.9), "map_reduce is faster; the difference in accuracy is within the noise"),
        (0.2, 0.1, (1.1, 1.9), "refine is faster; the difference in accuracy is within the noise"),
        (0.01, -0.2, (0.8, 1.2), "refine is more accurate; the difference in latency is within the noise"),
        (0.01, -0.2, (0.5, 0.9), "refine is more accurate, map_reduce is faster"),
        (0.01, 0.2, (0.5, 0.9), "map_reduce is more accurate and faster"),
        (0.01, 0.2, (1.1, 1.9), "map_reduce is more accurate, refine is faster"),
        (0.01, -0.2, (1.1, 1.9), "refine is more accurate and faster"),
    ],
)
def test_a_recommendation_is_made_only_outside_the_noise(p, difference, faster, said):
    """Spec 03: the accuracy's corrected p and the latency's interval decide; without them nothing is recommended."""
    assert str(compared(p, difference, faster).recommendation) == said


def test_a_recommendation_knows_the_metrics_direction():
    """If lower is better, less is more accurate; if neither is, the difference recommends nothing."""
    assert str(compared(0.01, -0.2, None, higher=False).recommendation).startswith("map_reduce is more accurate")
    neither = str(compared(0.01, -0.2, (0.5, 0.9), higher=None).recommendation)
    assert neither == "the metric differs, but neither direction is better; map_reduce is faster"


def test_a_chain_that_was_measured_too_rarely_is_not_recommended():
    """That is below 90 % of the questions that either answered."""
    assert "more accurate" in str(compared(0.01, 0.2, None, n=9).recommendation)
    assert str(compared(0.01, 0.2, None, n=8).recommendation) == "too little measured to judge the accuracy"


GRID = {
    "models": ("m",),
    "chains": ("refine", "map_reduce"),
    "metrics": ("accuracy",),
    "evidence": ("answer", "reference"),
}


def experiment(folder, cells, score):
    """A finished experiment: the number of questions by data set; `score(data, system, n)` gives an answer's scores."""
    data = [{"name": name, "questions": "q.jsonl", "kb": "kb"} for name in cells]
    plan = ExperimentPlan.model_validate(GRID | {"data": data})
    for one in plan.data:
        with Journal.open(scores_folder(folder, one), signatures={"accuracy": "accuracy"}) as journal:
            for cell in cells_of(plan, one):
                answer(folder, cell, range(cells[one.name]))
                for n in range(cells[one.name]):
                    journal.sample(Sample(f"q{n}@{cell.system}", f"Question {n}?", "A.", system=cell.system))
                    for metric, value in score(one.name, cell.chain, n):
                        journal.score(Scored(f"q{n}@{cell.system}", metric, value))
    return read_results(plan, folder, print)


def answer(folder, cell: Cell, numbers):
    """The file of a cell's answers, one second each."""
    path = cell.answers(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ({"id": f"q{n}", "question": f"Question {n}?", "answer": "A.", "seconds": 1.0} for n in numbers)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def table(result, title):
    """The rows of a table as dicts, and its caption."""
    (found,) = [
        each for each in (t.in_language("en") for t in experiment_tables(result)) if each.title.startswith(title)
    ]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows], found.caption


def test_the_p_of_all_cells_are_corrected_together(tmp_path):
    """For six questions p is 0.031, which over three data sets is 0.094: no recommendation, as in `compare`."""

    def right(data, chain, n):
        yield "accuracy", Score(float(chain == "refine" or data == "c"))

    rows, caption = table(experiment(tmp_path, {"a": 6, "b": 6, "c": 6}, right), "Parallel beside serial")
    assert [round(row["p"], 4) for row in rows] == [0.0938, 0.0938, 1.0]
    assert {row["what follows"] for row in rows} == {"both differences are within the noise"}
    assert "Holm-corrected for the 3 tests in this table" in caption
    (alone,), _ = table(experiment(tmp_path / "alone", {"a": 6}, right), "Parallel beside serial")
    assert round(alone["p"], 4) == 0.0312
    assert alone["what follows"].startswith("refine is more accurate")


def graded(shift):
    """Grades with both kinds of evidence; `shift(data)` is what E3 adds."""

    def score(data, chain, n):
        yield "accuracy", Score(1.0)
        for mode, value in (("answer", 3.0 + n % 2), ("reference", 3.0 + n % 2 + shift(data))):
            details = {"grade": int(value), "evidence": {"mode": mode, "pieces": 2}}
            yield f"correctness[evidence={mode}]", Score(value, details=details)

    return score


def test_what_follows_of_the_evidence_follows_from_what_was_found(tmp_path):
    """By direction and corrected p, for each data set."""
    shifts = {"lower": -1, "higher": 1, "equal": 0}
    rows, _ = table(experiment(tmp_path, dict.fromkeys(shifts, 9), graded(shifts.get)), "Evidence")
    said = {row["data"]: row["what follows"] for row in rows}
    assert said == {"lower": "E3 is stricter", "higher": "E3 is more lenient", "equal": "within the noise"}
    assert rows[2]["p"] == 1.0


@pytest.mark.parametrize(
    ("shift", "said", "not_said"),
    [
        (-1, "E3 grades lower", "higher"),
        (1, "E3 grades higher", "lower"),
        (0, "The shift is within the noise", "grades wrong answers"),
    ],
)
def test_the_sentence_under_the_shift_says_what_was_found(tmp_path, shift, said, not_said):
    """A run whose two kinds of evidence give the same grades does not read as if one were stricter."""
    result = experiment(tmp_path, {"a": 9}, graded(lambda _: shift))
    tables = [table.in_language("en") for table in summary_tables(result.summaries["a"])]
    (found,) = [one for one in tables if one.title.startswith("Correctness: from")]
    assert found.caption.startswith(said)
    assert not_said not in found.caption


def test_without_a_model_the_latency_recommends_nothing():
    """Milliseconds of choosing sentences are noise between runs, whatever the interval within one; the text says so."""
    nothing = "no conclusion about latency without a model"
    within = str(compared(0.2, 0.1, (0.5, 0.9), model="extractive").recommendation)
    assert within == f"the difference in accuracy is within the noise; {nothing}"
    better = str(compared(0.01, 0.2, (0.5, 0.9), model="extractive").recommendation)
    assert better == f"map_reduce is more accurate; {nothing}"
