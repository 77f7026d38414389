"""`saiten tune mate`, and what `show` and `meta-evaluate` report about aspects, as commands on real files."""

import csv
import json
import random
from pathlib import Path

import pytest

from saiten.metrics.rubrics.weights import read_weights
from saiten.records import Sample, Score, Scored
from saiten.runs import Journal, RunSettings

ASPECTS = ("formality", "factuality", "amount_info")


def grades(draw):
    """The grades of one answer."""
    formality, amount, factuality = draw.choice([-1, 0, 1]), draw.choice([-1, 0, 1]), draw.choice([0, 1, 2, 3])
    whole = 3 - 0.3 * abs(formality) - 0.7 * abs(amount) - 2 * (3 - factuality) / 3 + draw.gauss(0, 0.2)
    return {
        "formality": formality,
        "factuality": factuality,
        "amount_info": amount,
        "acceptability": min(3, max(whole, 0)),
    }


@pytest.fixture
def files(somewhere):
    """Samples of two systems, labels with and without a column for the question."""
    draw = random.Random(0)
    samples, labels = [], []
    for at in range(90):
        item = f"q{at // 2}/{'ab'[at % 2]}"
        samples.append({"id": item, "question": f"Question {at // 2}?", "answer": "An answer.", "system": "ab"[at % 2]})
        labels += [
            {"item": item, "aspect": aspect, "annotator": "P", "value": value, "question": f"Question {at // 2}?"}
            for aspect, value in grades(draw).items()
        ]
    for name, rows in {"answers.jsonl": samples, "asked.jsonl": labels}.items():
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with Path("labels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["item", "aspect", "annotator", "value"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(labels)
    return samples, labels


def a_run(samples, labels, off=0):
    """A run as a judge would have left it: its grades are the human ones, except for factuality, which may be off."""
    names = [f"aspects[{aspect}]" for aspect in ASPECTS]
    signatures = dict.fromkeys([*names, "direct"], "made up")
    best = {"formality": 0, "amount_info": 0}
    with Journal.open(Path("run"), RunSettings(more={"judge": "test"}), signatures=signatures) as journal:
        for sample in samples:
            journal.sample(Sample(sample["id"], sample["question"], sample["answer"], system=sample["system"]))
        for label in labels:
            aspect = label["aspect"]
            metric = "direct" if aspect == "acceptability" else f"aspects[{aspect}]"
            grade = round(label["value"]) if aspect != "factuality" else min(3, label["value"] + off)
            details = {"aspect": aspect, "grade": grade, "best": best.get(aspect, 3)}
            journal.score(Scored(label["item"], metric, Score(float(grade), details=details)))


@pytest.mark.parametrize("arguments", [("labels.csv", "-s", "answers.jsonl"), ("asked.jsonl",)])
def test_weights_are_learned_and_can_be_used(saiten, files, arguments):
    """The questions come from samples or a column `question`; the file is the same, and MATE accepts it."""
    said = saiten("tune", "mate", *arguments)
    assert said.status == 0, said.err
    assert "Weights" in said.out
    assert "What they are worth" in said.out
    assert "use it with -m 'mate[weights=weights.toml]'" in said.err
    learned = read_weights("weights.toml")
    assert {one.name for one in learned.aspects} == set(ASPECTS)
    assert learned.learned.questions == 36
    assert learned.learned.held_out_questions == 9
    scored = saiten("score", "answers.jsonl", "-m", "mate[weights=weights.toml]", "-o", "scored")
    assert scored.status == 6, scored.err  # the offline judge rates no aspect, so nothing is measured with them here
    assert f":{learned.learned.fingerprint}" in saiten("show", "scored").out.replace("\n", "")
    assert not list(Path().glob("*.new"))


def test_the_same_command_writes_the_same_file(saiten, files):
    """It contains no date and no random part."""
    assert saiten("tune", "mate", "asked.jsonl", "-o", "one.toml").status == 0
    assert saiten("tune", "mate", "asked.jsonl", "-o", "two.toml").status == 0
    assert Path("one.toml").read_bytes() == Path("two.toml").read_bytes()


def test_numbers_for_programs_are_whole(saiten, files):
    """--format json on standard output is JSON alone, with the ends of each interval."""
    said = saiten("tune", "mate", "asked.jsonl", "--format", "json", "--intercept")
    tables = json.loads(said.out)
    rows = {row["aspect"]: row for row in tables["Weights"]}
    assert set(rows) == {*ASPECTS, "intercept"}
    assert rows["factuality"]["95 % from"] < rows["factuality"]["weight"] < rows["factuality"]["to"]
    assert tables["What they are worth"][0]["n"] == 18
    page = saiten("tune", "mate", "asked.jsonl", "--format", "html")
    assert page.out.startswith("<!DOCTYPE html>")


def test_a_run_gives_the_judges_grades(saiten, files):
    """The questions come from its samples; the weights compensate for what the judge overrates."""
    a_run(*files, off=1)
    said = saiten("tune", "mate", "labels.csv", "run", "--intercept")
    assert said.status == 0, said.err
    assert read_weights("weights.toml").learned.source == "judge"


def test_any_aspects_as_they_are(saiten, files):
    """--values needs no rubric and explains whatever --target names."""
    said = saiten(
        "tune", "mate", "asked.jsonl", "--values", "--target", "acceptability", "-a", "factuality", "--intercept"
    )
    assert said.status == 0, said.err
    assert read_weights("weights.toml").features == "values"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("labels.csv",), "name a file with --samples"),
        (("nothing.csv", "-s", "answers.jsonl"), "nothing.csv"),
        (("labels.csv", "-s", "nothing.jsonl"), "nothing.jsonl"),
        (("labels.csv", "nothing"), "no run of saiten"),
        (("asked.jsonl", "--values"), "--target"),
        (("asked.jsonl", "--values", "--rubric", "x.toml"), "without a rubric"),
        (("asked.jsonl", "--rubric", "x.toml"), "x.toml: cannot be read"),
        (("asked.jsonl", "-a", "acceptability"), "cannot explain itself"),
        (("asked.jsonl", "-a", "warmth"), "no label of 'warmth'"),
        (("asked.jsonl", "--target", "warmth"), "no label of 'warmth'"),
        (("asked.jsonl", "-o", "no/such/folder.toml"), "cannot be written"),
        (("asked.jsonl", "-o", "."), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_reported(saiten, files, arguments, message):
    """The message is in words, with status 2, and no file is left."""
    said = saiten("tune", "mate", *arguments)
    assert said.status == 2, said
    assert message in said.err.replace("\n", " ")
    assert "Traceback" not in said.err
    assert not Path("weights.toml").exists()


def test_an_old_file_survives_a_refusal(saiten, files):
    """It is written completely or not at all."""
    Path("weights.toml").write_text("mine", "utf-8")
    assert saiten("tune", "mate", "asked.jsonl", "-a", "warmth").status == 2
    assert Path("weights.toml").read_text("utf-8") == "mine"


def test_show_has_the_grades_by_aspect_and_system(saiten, files):
    """The table has how often each was given, and the share of the best."""
    a_run(*files)
    tables = json.loads(saiten("show", "run", "--format", "json").out)
    rows = {(row["aspect"], row["system"]): row for row in tables["Grades by aspect"]}
    assert len(rows) == 4 * 3
    values = [label["value"] for label in files[1] if label["aspect"] == "formality"]
    whole = rows["aspects[formality]", "all"]
    assert whole["grade: answers"] == " · ".join(f"{grade}: {values.count(grade)}" for grade in (-1, 0, 1))
    assert whole["share with it"] == pytest.approx(values.count(0) / 90)
    assert rows["direct", "a"]["n"] == rows["direct", "b"]["n"] == 45


def test_meta_evaluate_has_the_bias_by_aspect_and_preference_next_to_grades(saiten, files):
    """A judge that adds one on factuality; labels below 0 are grades here, not preferences."""
    samples, labels = files
    a_run(samples, labels, off=1)
    pairs = [
        {"item": f"q{at}/a vs q{at}/b", "aspect": "better", "annotator": "P", "value": at % 3 - 1} for at in range(45)
    ]
    Path("said.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*labels, *pairs]), "utf-8")
    said = saiten("meta-evaluate", "run", "said.jsonl", "--resamples", "100", "--format", "json")
    assert said.status == 0, said.err
    tables = json.loads(said.out)
    bias = {row["metric"]: row for row in tables["Bias by aspect"]}
    assert bias["aspects[formality]"]["judge - people"] == 0
    assert 0.5 < bias["aspects[factuality]"]["judge - people"] <= 1
    assert bias["aspects[factuality]"]["95 % from"] > 0
    assert set(bias) == {"direct", *(f"aspects[{aspect}]" for aspect in ASPECTS)}
    assert "formality: over items" in tables
    rows = {row["system"]: row for row in tables["Preference against grades"]}
    assert rows["a"]["comparisons"] == rows["b"]["comparisons"] == 45
    assert rows["a"]["preferred in"] == rows["b"]["preferred in"] == rows["a"]["tied in"] == pytest.approx(1 / 3)
    tops = [
        label["value"] == 3 for label in labels if label["aspect"] == "acceptability" and label["item"].endswith("a")
    ]
    assert rows["a"]["top grade by people"] == pytest.approx(sum(tops) / 45)


def test_people_on_both_sides_of_the_best_grade_are_counted(saiten, files):
    """Too casual and too stiff average to just right, which the figures on means cannot show; so a note does."""
    samples, labels = files
    a_run(samples, labels)
    third = [label for label in labels if label["aspect"] == "formality" and label["value"]][:7]
    other = [{**label, "annotator": "Q", "value": -label["value"]} for label in third]
    Path("said.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*labels, *other]), "utf-8")
    tables = json.loads(
        saiten("meta-evaluate", "run", "said.jsonl", "-a", "formality", "--resamples", "100", "--format", "json").out
    )
    notes = [row["note"] for row in tables["Notes"]]
    assert "formality: 7 items have labels on both sides of the best grade, 0, which the mean hides" in notes


def test_an_aspect_from_outside_cannot_act(saiten, files):
    """Terminal escapes in the labels and in a rubric's path are shown, not obeyed."""
    evil = [
        json.loads(line) | {"aspect": "\x1b[31mred"} for line in Path("asked.jsonl").read_text("utf-8").splitlines()
    ]
    Path("evil.jsonl").write_text("".join(json.dumps(row) + "\n" for row in evil), "utf-8")
    said = saiten("tune", "mate", "evil.jsonl")
    assert said.status == 2
    assert "\x1b" not in said.err + said.out
