"""Published figures, recomputed from the files published with them; see docs/published-tables.md."""

import json
import os
import re
import string
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saiten.data import read_labels, read_samples
from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place, place_of
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.judge_files import read_outputs
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.levels import system_level
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

DATA = Path(os.environ.get("SAITEN_DATA") or "/nowhere")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "prepare_shared_data.py"

pytestmark = [
    pytest.mark.slow,  # public data sets
    pytest.mark.skipif(not DATA.is_dir(), reason="SAITEN_DATA does not name the folder with the evaluation sets"),
]


def rows(path):
    """The objects of a JSON lines file."""
    with (DATA / path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Samples, labels and judges' outputs as saiten's files."""
    folder = tmp_path_factory.mktemp("prepared")
    subprocess.run([sys.executable, SCRIPT, folder], check=True, capture_output=True)

    def aspects(name, *, only=()):
        samples = read_samples(folder / f"{name}.samples.jsonl", detect_language=lambda *_: "en")
        items = {sample.id: place_of(sample) for sample in samples}
        outputs = list(read_outputs(folder / f"{name}.judges.jsonl"))
        return pair(items, outputs, list(read_labels(folder / f"{name}.labels.jsonl")), aspects=only)

    return aspects


QUICK = {"resamples": 100}


@pytest.mark.parametrize(("unmeasured", "accuracy"), [("tie", 0.7107), ("wrong", 0.6977)])
@pytest.mark.witness
def test_pandalm_accuracy_of_gpt_35(unmeasured, accuracy):
    """PandaLM's test set: 25 replies that name no winner, as ties and as wrong; kappa and macro F1 with ties."""
    read = rows("pandalm_pairs/pairs.jsonl")
    winner = {"1": -1.0, "2": 1.0, "Tie": 0.0, "0": 0.0, "garbage": "unreadable"}
    outputs = [Output(str(row["id"]), judge, winner[raw]) for row in read for judge, raw in row["judges_raw"].items()]
    labels = [
        Label(str(row["id"]), {0: 0.0, 1: -1.0, 2: 1.0}[said], annotator)
        for row in read
        for annotator, said in row["human"].items()
    ]
    (aspect,) = meta_evaluate(pair({}, outputs, labels), Settings(unmeasured=unmeasured, **QUICK)).aspects
    gpt, pandalm = (one.preferences for one in aspect.metrics)
    assert gpt.accuracy.value == pytest.approx(accuracy, abs=5e-5)
    assert (gpt.n, gpt.filled, pandalm.filled) == (999, 25, 0)
    assert pandalm.accuracy.value == pytest.approx(0.6677, abs=5e-5)
    assert (pandalm.kappa.value, pandalm.macro_f1.value) == pytest.approx((0.4354, 0.5743), abs=5e-5)
    if unmeasured == "tie":
        assert (gpt.kappa.value, gpt.macro_f1.value) == pytest.approx((0.4958, 0.5755), abs=5e-5)


@pytest.mark.parametrize(
    ("aspect", "pearson", "spearman"),
    [("correctness", 49.66, 46.95), ("completeness", 60.67, 58.11), ("overall", 61.93, 60.90)],
)
def test_ragcheckers_row(prepared, aspect, pearson, spearman):
    """RAGChecker's table of correlations with people, x = score(second) - score(first), a point a label, times 100."""
    (found,) = meta_evaluate(prepared("ragchecker_meta", only=[aspect]), Settings(**QUICK)).aspects
    (metric,) = found.metrics
    assert metric.items.pearson.n == 560
    assert 100 * metric.items.pearson.value == pytest.approx(pearson, abs=0.1)
    assert 100 * metric.items.spearman.value == pytest.approx(spearman, abs=0.1)


def test_ragcheckers_annotators_are_the_ceiling(prepared):
    """The first annotator compared with the second: Pearson .637, .719, .701, all above RAGChecker."""
    found = meta_evaluate(prepared("ragchecker_meta"), Settings(**QUICK))
    ceilings = {one.aspect: one.ceiling.pearson.value for one in found.aspects}
    assert ceilings == pytest.approx({"correctness": 0.6367, "completeness": 0.7191, "overall": 0.7009}, abs=5e-5)
    for one in found.aspects:
        assert [place.people for place in one.ranking.places] == [True, False]


@pytest.mark.parametrize(
    ("judge", "n", "agreement", "kappa"),
    [("gpt-4", 1488, 0.8481, 0.6953), ("text-davinci-003", 1490, 0.8376, 0.6745), ("bem", 1490, 0.8060, 0.6157)],
)
def test_judges_and_people_on_nq301(prepared, judge, n, agreement, kappa):
    """Kamalloo et al. 2023: agreement and Cohen's kappa of judges with the final verdict."""
    (found,) = meta_evaluate(prepared("nq301", only=["correct"]), Settings(**QUICK)).aspects
    (one,) = (metric for metric in found.metrics if metric.metric == judge)
    assert one.decisions.n == n
    assert (one.decisions.agreement.value, one.decisions.kappa.value) == pytest.approx((agreement, kappa), abs=5e-5)


def test_the_third_annotator_of_nq301_is_no_part_of_the_ceiling(prepared):
    """That person was asked only where two differed; the two between themselves have kappa .736."""
    (found,) = meta_evaluate(prepared("nq301", only=["correct"]), Settings(rank_by="kappa", **QUICK)).aspects
    assert found.ceiling.left_out == ("a3",)
    assert found.ceiling.kappa.value == pytest.approx(0.7357, abs=5e-5)
    assert any("third decision" in str(note) for note in found.notes)


@pytest.mark.parametrize(
    ("judge", "tau", "paired"),
    [("gpt-4", 0.7707, 0.7963), ("text-davinci-003", 0.7707, 0.7707), ("bem", 0.6727, 0.6727)],
)
def test_the_order_of_eleven_systems_on_nq301(judge, tau, paired):
    """Kendall's tau-b over systems' accuracies; an answer that several systems gave counts for each of them.

    The published .771 of GPT-4 uses human accuracy over all answers, two of which GPT-4 did not judge, as
    `--systems-over all` does; over the answers that both judged it is .796.
    """

    def level(chosen):
        table = [
            (
                np.nan if row["judges"][judge] is None else row["judges"][judge],
                row["human"]["correct"],
                system,
                row["qid"],
            )
            for row in chosen
            for system in row["systems"]
        ]
        metric, people, systems, questions = zip(*table, strict=True)
        columns = (np.array(metric, float), np.array(people, float), systems)
        return system_level(*columns, Resamples.of(questions, resamples=100))

    read = rows("qa_correctness/nq301_judged.jsonl")
    both = level([row for row in read if row["judges"][judge] is not None])
    assert len(both.systems) == 11
    assert both.kendall.value == pytest.approx(paired, abs=5e-5)
    everything = level(read)
    assert everything.systems == both.systems
    assert everything.kendall.value == pytest.approx(tau, abs=5e-5)
    assert everything.kendall.low < tau < everything.kendall.high


@pytest.mark.parametrize(
    ("system", "f1", "accuracy"), [("fid", 92.0, 89.7), ("gpt35", 86.8, 84.7), ("chatgpt", 85.0, 80.3), ("gpt4", 87.6, 82.6), ("newbing", 87.8, 82.3)]
)  # fmt: skip
def test_lexical_matching_on_evouna_nq(system, f1, accuracy):
    """Wang et al. 2023: an answer is right if it contains one of the gold answers, both normalized as in SQuAD."""
    read = [row for row in rows("qa_correctness/evouna_nq.jsonl") if row["human"][system] is not None]

    def plain(text):
        without = text.lower().translate(str.maketrans("", "", string.punctuation))
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", without).split())

    outputs = [
        Output(
            row["qid"],
            "lexical match",
            float(any(plain(gold) in plain(row["answers"][system]) for gold in row["golden_answer"].split("/"))),
        )
        for row in read
    ]
    labels = [Label(row["qid"], row["human"][system]) for row in read]
    (found,) = meta_evaluate(
        pair({row["qid"]: Place(row["question"]) for row in read}, outputs, labels), Settings(**QUICK)
    ).aspects
    (one,) = found.metrics
    assert 100 * one.decisions.f1.value == pytest.approx(f1, abs=0.06)
    assert 100 * one.decisions.agreement.value == pytest.approx(accuracy, abs=0.06)


STORED = {"RougeL": "stored_RougeL", "Recall": "stored_Recall", "Bert-KPrec": "stored_Bert-KPrec", "Extractiveness": "stored_Extractiveness"}  # fmt: skip


@pytest.mark.parametrize("aspect", ["fluency", "answer_relevance", "faithfulness"])
def test_the_stored_metrics_of_clapnq(prepared, aspect):
    """Pearson, Spearman and tau-b of four metrics with the mean of three annotators, as in `baselines.json`."""
    expected = json.loads((DATA / "clapnq_human" / "baselines.json").read_text())[aspect]["all_400"]
    (found,) = meta_evaluate(prepared("clapnq_human", only=[aspect]), Settings(**QUICK)).aspects
    for one in found.metrics:
        figures = expected[STORED[one.metric]]
        assert one.n == figures["n"]
        got = (one.items.pearson.value, one.items.spearman.value, one.items.kendall.value)
        assert got == pytest.approx((figures["pearson"], figures["spearman"], figures["kendall_tau_b"]), abs=6e-5)
