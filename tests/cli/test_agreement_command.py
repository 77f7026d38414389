"""`saiten agreement`, from the command line to the tables."""

import json
from itertools import combinations
from pathlib import Path

import pytest

ROWS = [
    {"item": f"i{at}", "annotator": who, "aspect": "faithful", "value": value}
    for at, said in enumerate(["110", "111", "000", "011", "100", "111", "000", "001"])
    for who, value in zip(("anna", "ben", "佳子"), said, strict=True)
]


def test_the_tables_for_people(saiten, data):
    """Labels, figures, base rates and pairs, with Japanese names as they are."""
    said = saiten("agreement", data(ROWS, "labels.jsonl"))
    assert said.status == 0, said
    for text in ("faithful", "alpha, nominal", "Fleiss' kappa", "percent by chance", "anna – 佳子", "1: 50.0%"):
        assert text in said.out


@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_other_forms(saiten, data, form):
    """Each form has the same figures."""
    said = saiten("agreement", data(ROWS, "labels.jsonl"), "--format", form)
    assert said.status == 0, said
    if form == "json":
        tables = json.loads(said.out)
        percent = next(row for row in tables["Agreement"] if row["figure"] == "percent")
        assert percent["value"] == pytest.approx(2 / 3)
        assert percent["95 % from"] < percent["value"] < percent["to"]
        assert tables["Base rates"][0] == {
            "aspect": "faithful",
            "annotator": "anna",
            "value": "0",
            "labels": 4,
            "share": 0.5,
        }
    else:
        assert "0.667" in said.out or "0.6666" in said.out


def test_csv_with_choices_adjudication_and_named_columns(saiten, somewhere):
    """Wins and ties by name, a third decision along with them, and custom column names."""
    (somewhere / "votes.csv").write_text(
        "pair,judge,winner,adjudicated\np1,a,1,\np1,b,A>B,no\np1,c,2,yes\np2,a,tie,\np2,b,引き分け,\np3,a,2,\np3,b,A,\n",
        encoding="utf-8",
    )
    said = saiten(
        "agreement",
        "votes.csv",
        "--column",
        "item=pair",
        "--column",
        "annotator=judge",
        "--column",
        "choice=winner",
        "--format",
        "json",
    )
    assert said.status == 0, said
    tables = json.loads(said.out)
    assert tables["Labels"][0] | {"remarks": ""} == {
        "aspect": "", "items": 3, "with two or more": 3, "annotators": 2, "labels": 6, "per item": 2.0, "adjudicated": 1, "remarks": "",
    }  # fmt: skip
    assert tables["Agreement"][0]["value"] == pytest.approx(2 / 3)
    assert {row["value"] for row in tables["Base rates"]} == {"-1", "0", "1"}


def test_words_are_categories(saiten, data):
    """Text values are nominal; --level ordinal is refused because words have no order."""
    rows = [
        {"item": f"i{at}", "annotator": who, "value": word}
        for at, word in enumerate(["neutral", "entailment", "neutral"])
        for who in "ab"
    ]
    file = data(rows, "labels.jsonl")
    assert "alpha, nominal" in saiten("agreement", file).out
    refused = saiten("agreement", file, "--level", "ordinal")
    assert refused.status == 2
    assert "have no ordinal level" in refused.err


def test_questions_from_the_samples(saiten, data):
    """With --samples the intervals resample questions; labeled items without a sample are counted."""
    samples = [{"id": f"i{at}", "question": f"q{at // 2}", "answer": "x"} for at in range(7)]
    said = saiten("agreement", data(ROWS, "labels.jsonl"), "--samples", data(samples, "samples.jsonl"))
    assert said.status == 0, said
    assert "bootstrap over questions" in said.out
    assert "1 labeled items are not among the samples" in said.err


def test_rows_that_are_no_labels_are_left_out_and_reported(saiten, data):
    """A few of the broken rows are named; the others are used."""
    broken = [{"item": "", "value": 1}] * 8
    said = saiten("agreement", data([*ROWS, *broken], "labels.jsonl"), "--format", "csv")
    assert said.status == 0, said
    assert said.err.count("no item") == 5
    assert "3 more rows" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["labels.jsonl", "--aspect", "grace"], "no labels of the aspect 'grace'; there are labels of 'faithful'"),
        (["labels.jsonl", "--column", "grade"], "FIELD=COLUMN"),
    ],
)
def test_mistakes_end_with_what_to_do(saiten, data, arguments, message):
    """Exit status 2 and a message, no traceback."""
    data(ROWS, "labels.jsonl")
    said = saiten("agreement", *arguments)
    assert said.status == 2
    assert message in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_help_has_examples(saiten):
    """The help describes the columns and shows examples."""
    said = saiten("agreement", "--help")
    assert "saiten agreement labels.jsonl" in said.out
    assert "adjudicated" in said.out


def test_the_grades_of_all_are_in_order(saiten, somewhere):
    """In whatever order the annotators' grades occur: 2 before 10, whoever gave them."""
    values = {"A": (2, 10), "B": (1, 3)}
    rows = [f"q{n},{who},{value}" for who, both in values.items() for n, value in enumerate(both)]
    Path("grades.csv").write_text("\n".join(["item,annotator,value", *rows]) + "\n", "utf-8")
    assert "1: 25.0% · 2: 25.0% · 3: 25.0% · 10: 25.0%" in saiten("agreement", "grades.csv").out


def paper():
    """Rankings of four systems by three annotators: all prefer the same in 69 of 300 questions, two in 190, none in 41.

    ChatGPT is the pick of 249 questions (83 %), and 406 of the 747 grades of those answers are 3 (54.4 %).
    """
    systems = ("chatgpt", "gpt4", "human", "llama")
    graded = 0
    for n in range(300):
        best = "chatgpt" if n < 249 else "gpt4"
        other = "gpt4" if n < 249 else "human"
        picked = (best,) * 3 if n < 69 else (best, best, other) if n < 259 else ("chatgpt", "gpt4", "human")
        for who, first in enumerate(picked):
            order = [first, *(system for system in systems if system != first)]
            for one, two in combinations(systems, 2):
                value = 1 if order.index(one) > order.index(two) else -1
                item = f"q{n}/{one} vs q{n}/{two}"
                yield {"item": item, "aspect": "preference", "preference": value, "annotator": f"a{who}"}
            if n < 249:
                grade = {"item": f"q{n}/chatgpt", "aspect": "acceptability", "annotator": f"a{who}"}
                yield grade | {"value": 3 if graded < 406 else 1}
                graded += 1


def test_the_papers_unanimity_and_its_83_percent_against_54_come_out_of_the_commands(saiten, data):
    """69, 190 and 41 by `agreement` from the labels alone; preferred and top by `meta-evaluate`, which has systems."""
    said = data(list(paper()), "labels.jsonl")
    found = json.loads(saiten("agreement", said, "--aspect", "preference", "--format", "json").out)
    counts = [
        (row["annotators"], row["prefer the same"], row["questions"])
        for row in found["How many prefer the same answer"]
    ]
    assert counts == [(3, "all", 69), (3, "2", 190), (3, "none", 41)]
    assert (found["Labels"][0]["questions"], found["Labels"][0]["items"]) == (300, 1800)
    answers = [
        {"id": f"q{n}/{system}", "question": f"Question {n}?", "answer": "x" * length, "system": system}
        for n in range(300)
        for length, system in enumerate(("chatgpt", "gpt4", "human", "llama"), 1)
    ]
    judged = data(
        [{"item": row["id"], "judge": "length", "value": len(row["answer"])} for row in answers], "judge.jsonl"
    )
    samples = data(answers, "answers.jsonl")
    meta = saiten("meta-evaluate", samples, said, "--judges", judged, "--resamples", "100", "--format", "json")
    assert meta.status == 0, meta.err
    row = json.loads(meta.out)["Preference against grades"][0]
    assert (row["system"], row["questions"], row["comparisons"]) == ("chatgpt", 300, 2700)
    assert (row["preferred in"], round(row["of the preferred"], 3)) == (0.83, 0.544)


def test_preferences_are_of_the_questions_of_their_answers(saiten, data):
    """With --samples a pair belongs to the question of its answers, and is not counted as unknown."""
    rows = [row for row in paper() if "preference" in row][:36]
    samples = [
        {"id": f"q{n}/{system}", "question": f"Question {n}?", "answer": "x"}
        for n in range(2)
        for system in ("chatgpt", "gpt4", "human", "llama")
    ]
    said = saiten(
        "agreement", data(rows, "labels.jsonl"), "--samples", data(samples, "samples.jsonl"), "--format", "json"
    )
    assert json.loads(said.out)["Labels"][0]["questions"] == 2
    assert "not among the samples" not in said.err
