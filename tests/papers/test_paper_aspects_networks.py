"""`saiten paper aspects` with networks: perplexity and BERTScore in table 1, and a judge of one's own on held-out questions."""

import json
import random
from pathlib import Path

import pytest

import networks
import tiny_models
from saiten.metrics.rubrics import read_rubric
from saiten.prompts import BUILT_IN
from saiten.records import Label, Sample
from saiten.tuning.judge.examples import build
from saiten.tuning.judge.target import target

pytestmark = [
    *networks.marks("peft"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]
WORDS = ("bad", "poor", "fine", "good")
GRADES = {
    "formality": (-1, -1, 1, 0),
    "factuality": (0, 1, 2, 3),
    "amount_info": (-1, 1, 0, 0),
    "acceptability": (0, 1, 2, 3),
}
"""By aspect: the grade of each word."""


@pytest.fixture
def mine(somewhere):
    """A folder with answers of one word each, and their labels; the base that can learn them next to it."""
    draw, samples, labels = random.Random(0), [], []
    for question in range(40):
        for system in "ab":
            grade, item = draw.randrange(4), f"{system}{question}"
            sample = {"id": item, "question": f"what is tree {question}?", "answer": WORDS[grade], "system": system}
            samples.append(sample | {"reference": "good"})
            labels += [
                {"item": item, "aspect": name, "annotator": "P", "value": of[grade]} for name, of in GRADES.items()
            ]
    folder = somewhere / "mine"
    folder.mkdir()
    for name, rows in {"answers": samples, "labels": labels}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    built = build([Label(**one) for one in labels], [Sample(**one) for one in samples], read_rubric())
    texts = ["\n".join(each.content for each in BUILT_IN.render(one.task)) for one in built.examples]
    learned = [*texts, *(target(one.task, one.value) for one in built.examples)]
    tiny_models.tiny_learner(somewhere / "base", learned, reads=1024)
    return folder


@pytest.fixture
def tables(saiten, mine):
    """`tables(…)`: the tables of the design, by title."""

    def run(*words):
        said = saiten("paper", "aspects", mine, *words, "--format", "json")
        assert said.status in {0, 6}, said
        return json.loads(said.out)

    return run


def test_table_1_has_bertscore_and_three_forms_of_perplexity(tables, somewhere):
    """In the order of the text, by the model's name; each with a mean and a correlation."""
    bert, gpt2 = tiny_models.tiny_bert(somewhere / "bert"), tiny_models.tiny_gpt2(somewhere / "gpt2", reads=256)
    found = tables("--bertscore", bert, "--perplexity", gpt2)
    for title, column in {
        "Table 1 · means by system": "all",
        "Table 1 · correlation with people's acceptability": "Pearson",
    }.items():
        rows = [row for row in found[title] if row["rated by"] in {"bert", "gpt2"}]
        assert [(row["metric"], row["rated by"]) for row in rows] == [
            ("bertscore[f1]", "bert"), ("perplexity[A]", "gpt2"), ("perplexity[QA]", "gpt2"), ("perplexity[RQA]", "gpt2")
        ]  # fmt: skip
        for row in rows:
            assert row[f"{column} from"] <= row[column] <= row[f"{column} to"]
            assert row["n"] == 80


@pytest.mark.timeout(900)  # a minute of CPU time, on a machine that may be busy
def test_a_judge_of_ones_own_is_compared_on_held_out_questions(tables, saiten, mine):
    """Trained before with settings of one's own: its grades are people's on eight unseen questions, and it grades no other answers."""
    training = ("--epochs", 6, "--learning-rate", "3e-3", "--batch", 4, "--rank", 8, "--max-length", 1024)
    made = saiten(
        "tune", "judge", mine / "labels.jsonl", "-s", mine / "answers.jsonl", "--base", "base", *training, "-o", "own"
    )
    assert made.status == 0, made
    found = tables("--judge", "hf:own")
    rows = found["Held out · direct against MATE"]
    assert [row["metric"] for row in rows] == ["direct", "mate", "mate, learned weights"]
    for row in rows:
        assert (row["n"], row["questions"], row["remarks"]) == (16, 8, "")
        assert row["Pearson"] > 0.8
    for row in found["Table 1 · correlation with people's acceptability"][:2]:
        assert (row["n"], row["questions"], row["remarks"]) == (16, 8, "64 undefined")


@pytest.mark.timeout(900)
def test_base_trains_the_judge_in_the_design(tables, saiten, mine):
    """Its rows are there after those of the other judges, whatever it learned; a second run trains nothing."""
    found = tables("--base", "base", "--judge", "offline")
    rows = found["Held out · direct against MATE"]
    assert [row["judge"] for row in rows] == ["offline"] * 3 + ["hf:runs/paper-aspects/own-judge"] * 3
    for row in rows:
        assert row["Pearson"] is not None or row["remarks"]
    made = Path("runs/paper-aspects/own-judge/adapter_model.safetensors").stat()
    assert tables("--base", "base", "--judge", "offline") == found
    assert Path("runs/paper-aspects/own-judge/adapter_model.safetensors").stat() == made
