"""Agreement with human labels on real data; needs the folder in SAITEN_DATA."""

import json
import os
from pathlib import Path

import pytest

from saiten.metrics.overlap.context_overlap import ContextOverlap
from saiten.metrics.overlap.rouge import Rouge1, RougeL
from saiten.metrics.overlap.squad import TokenF1
from saiten.stats.correlation import pearson

DATA = os.environ.get("SAITEN_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="SAITEN_DATA is not set: it names the folder with the labeled data")


def lines(name):
    """The rows of one file."""
    with Path(DATA or "", name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize(
    ("metric", "language", "expected"),
    [(TokenF1(), "ja", 0.5859), (RougeL(), "ja", 0.5208), (Rouge1(), "en", 0.6954)],
    ids=["token_f1", "rouge_l", "characters"],
)
def test_japanese_similarity(grade, metric, language, expected):
    """Pearson with people on JSTS, where white space gives 0.096, F1 over Janome's tokens 0.599, characters 0.696.

    Sudachi is close to Janome; the English rule splits Japanese into characters and is close to those.
    """
    rows = lines("ja_sim_nli/jsts.jsonl")
    values = [grade(metric, row["sentence1"], row["sentence2"], language=language).value for row in rows]
    estimate = pearson(values, [row["label"] for row in rows])
    assert estimate.n == 1457
    assert estimate.value == pytest.approx(expected, abs=0.015)


def test_context_overlap_is_the_baseline_to_beat(grade):
    """ClapNQ, three systems, Pearson with human faithfulness: the published baseline has 0.7346."""
    contexts = {row["qid"]: tuple(c["text"] for c in row["contexts"]) for row in lines("clapnq_human/questions.jsonl")}
    rows = [row for row in lines("clapnq_human/responses.jsonl") if row["system"] != "reference"]
    values = [grade(ContextOverlap(), row["answer"], contexts=contexts[row["qid"]]).value for row in rows]
    people = [sum(row["human"]["faithfulness"].values()) / len(row["human"]["faithfulness"]) for row in rows]
    assert pearson(values, people).value == pytest.approx(0.7346, abs=0.01)
