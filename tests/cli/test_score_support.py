"""`--judge nli:FOLDER`: scores, signatures, settings in a file, from Python, dry runs and dialogues."""

import json

import pytest

import networks
import saiten as package
from tiny_classifiers import tiny_nli

pytestmark = networks.marks()

ROWS = [
    {
        "id": "a",
        "question": "where is the cat?",
        "answer": "The cat is near the river. The moon is there.",
        "contexts": ["A dog slept.", "The river is near the cat."],
        "reference": "The cat is near the river.",
    },
    {
        "id": "b",
        "question": "猫はどこ？",
        "answer": "猫が橋にいる。",
        "contexts": ["橋に猫がいた。"],
        "reference": "猫が塔にいる。",
    },
]
METRICS = "faithfulness,context_recall,answer_correctness,correctness"


@pytest.fixture(scope="session")
def nli(tmp_path_factory):
    """The folder of a trained classifier."""
    return tiny_nli(tmp_path_factory.mktemp("nli"))


def test_scores_by_a_network_and_the_rest_offline(saiten, data, scores, nli):
    """Faithfulness is the network's, with expected values; correctness is the offline judge's, and both say so."""
    made = saiten("score", data(ROWS), "-m", METRICS, "--judge", f"nli:{nli}", "-o", "run")
    assert made.status == 0, made.err
    found = scores()
    assert (found["a", "faithfulness"].value, found["b", "faithfulness"].value) == (0.5, 1.0)
    assert found["a", "faithfulness"].expected == pytest.approx(0.5, abs=0.1)
    assert (found["a", "context_recall"].value, found["b", "context_recall"].value) == (1.0, 0.0)
    shown = json.loads(saiten("show", "run", "--format", "json").out)
    signatures = " ".join(line for line in json.dumps(shown).split('"') if "|" in line)
    assert f"|judge:nli:{nli.name}@" in signatures
    assert "|support:entailment#2|window:512|threshold:0.5|others:offline-overlap|" in signatures
    assert "correctness|judge:offline-overlap|" in signatures
    again = saiten("score", data(ROWS), "-m", METRICS, "--judge", f"nli:{nli}", "-o", "run")
    assert again.status == 0, again.err


def test_a_dry_run_loads_nothing_and_costs_nothing(saiten, data, tmp_path):
    """No call is made to a model, whether the network exists or not."""
    made = saiten("score", data(ROWS), "-m", METRICS, "--judge", "nli:owner/name", "--dry-run", "--format", "json")
    assert made.status == 0, made.err
    (table,) = json.loads(made.out).values()
    assert {(row["calls"], row["cost (USD)"]) for row in table} == {(0, 0.0)}


def test_the_judge_of_a_file_and_of_python(saiten, data, somewhere, nli):
    """`saiten.toml` and `evaluate` take the same name."""
    (somewhere / "saiten.toml").write_text(f'judge = "nli:{nli}?threshold=0.4"\n')
    made = saiten("score", data(ROWS), "-m", "faithfulness", "-o", "run")
    assert made.status == 0, made.err
    assert "threshold:0.4" in saiten("show", "run", "--format", "json").out
    found = package.evaluate(ROWS, ["faithfulness"], judge=f"nli:{nli}")
    assert [scored.score.value for scored in found.scores] == [0.5, 1.0]


@pytest.mark.parametrize("spec", ["nli:gone/", "nli:", "nli:owner/name?support"])
def test_a_wrong_name_stops_before_anything_is_scored(saiten, data, spec, somewhere):
    """With one sentence and status 2, without a folder."""
    made = saiten("score", data(ROWS), "-m", "faithfulness", "--judge", spec, "-o", "run")
    assert made.status == 2
    assert "Traceback" not in made.err
    assert not (somewhere / "run").exists()


def test_dialogues_are_composed_offline(saiten, data, nli):
    """The agents' tasks are none of the network's."""
    qa = data([{"id": "q", "question": "Where is the cat?", "reference": "The cat is near the river."}], "qa.jsonl")
    data([{"id": "q", "question": "Where is the cat?", "answer": "The cat is near the river."}], "answers.jsonl")
    made = saiten(
        "converse", qa, "--system", "file:answers.jsonl", "--judge", f"nli:{nli}", "-o", "talks", "--max-turns", 1
    )
    assert made.status == 0, made.err
