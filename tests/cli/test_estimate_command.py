"""`saiten estimate` from end to end: a run, labels of some of its items, and every way to ask."""

import csv
import io
import json
import random

import pytest

ANSWERS = ("careful", "hasty")


@pytest.fixture
def run(saiten, data, once):
    """A run of 240 answers of two systems, and the labels of a third of them by two aspects."""
    rng = random.Random(4)
    samples, labels = [], []
    for n in range(240):
        right = rng.random() < (0.8 if n % 2 else 0.6)
        answer = f"It is {n} years old." if right else "Nobody knows that."
        question = f"How old is bridge {n}?"
        sample = {"id": f"s{n}", "question": question, "answer": answer, "reference": f"It is {n} years old."}
        samples.append(sample | {"system": ANSWERS[n % 2]})
        if n % 3 == 0:
            labels += [
                {"item": f"s{n}", "value": int(right), "aspect": "correct"},
                {"item": f"s{n}", "value": 2 + 3 * right - rng.randrange(2), "aspect": "helpful"},
            ]

    def make():
        assert saiten("score", data(samples, "answers.jsonl"), "-m", "token_f1", "-o", "run", "-q").status == 0

    once(make)
    return "run", data(labels, "labels.jsonl")


def rows(said):
    """The rows of the only table."""
    (table,) = json.loads(said.out).values()
    return table


def test_an_estimate_a_system_and_of_their_difference(saiten, run):
    """They come with the number of labels for a given width, fewer with the judge than without."""
    said = saiten(
        "estimate", *run, "-a", "correct", "--width", "0.09", "--systems", "careful,hasty", "--format", "json"
    )
    assert said.status == 0
    table = rows(said)
    assert [row["of"] for row in table] == ["all", "careful", "hasty", "careful - hasty"]
    assert (table[0]["labels"], table[0]["items"]) == (80, 240)
    assert table[0]["with the judge from"] <= table[0]["with the judge"] <= table[0]["with the judge to"]
    assert table[0]["labels needed"] < table[0]["labels needed without the judge"]
    assert table[0]["half width"] == 0.09
    assert table[3]["with the judge"] == pytest.approx(
        table[1]["with the judge"] - table[2]["with the judge"], abs=0.02
    )


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_every_form_has_every_estimate(saiten, run, form):
    """They come from one result; the figures of the first row are in each form."""
    said = saiten("estimate", *run, "--format", form)
    assert said.status == 0
    first = rows(saiten("estimate", *run, "--format", "json"))[0]
    number = f"{first['with the judge']:.3f}" if form not in {"json", "csv"} else str(first["with the judge"])
    assert number in said.out
    assert said.out.count("careful") >= 2  # of two aspects


def test_programs_get_all_figures(saiten, run):
    """CSV and JSON have the ends of every interval, λ, and the remarks."""
    said = saiten("estimate", *run, "--width", "0.1", "--format", "csv")
    first = next(csv.DictReader(io.StringIO(said.out)))
    assert len(first) == 19
    assert float(first["with the judge from"]) < float(first["with the judge"]) < float(first["with the judge to"])
    assert 0 < float(first["λ"]) < 2


def test_figures_are_numbers_under_keys_like_those_of_meta_evaluate(saiten, run):
    """Every mean has `X from` and `X to`, and a numeric field is a number or null in every row; only names are text."""
    options = ("-a", "correct", "--width", "0.001", "--systems", "careful,hasty", "--format", "json")
    table = rows(saiten("estimate", *run, *options))
    texts = {"aspect", "metric", "of", "remarks"}
    for row in table:
        assert {key for key, value in row.items() if isinstance(value, str)} <= texts
    assert table[0]["λ"] > 0
    assert (table[3]["λ"], table[0]["labels needed"]) == (None, None)
    assert "λ of each part: " in table[3]["remarks"]
    ends = [key for key in table[0] if key.endswith((" from", " to"))]
    assert ends == [f"{mean} {end}" for mean in ("labels alone", "with the judge") for end in ("from", "to")]
    meta = json.loads(saiten("meta-evaluate", *run, "-a", "correct", "--format", "json").out)["correct: bias"][0]
    assert {"metric - people", "metric - people from", "metric - people to"} <= set(meta)


def test_equal_labels_and_impossible_ends_are_reported(saiten, run, data):
    """A one-sided bound replaces the interval; a truncated interval shows both ends instead of ±."""
    every = data([{"item": f"s{n}", "value": 1} for n in range(0, 240, 4)], "every.jsonl")
    said = saiten("estimate", "run", every)
    assert "1.000[0.957,1.000]" in said.out
    note = "all 60 labels are 1, so at least 95.7 % of the whole set would be, too (one-sided 95 % Wilson bound, 60 labels)"
    assert note in " ".join(said.out.split())
    most = data([{"item": f"s{n}", "value": int(n > 3)} for n in range(0, 80, 4)], "most.jsonl")
    (row, *_) = rows(saiten("estimate", "run", most, "--format", "json"))
    assert row["labels alone to"] == 1
    assert "the interval is clipped to the possible range, 0 … 1: labels alone" in row["remarks"]
    assert ",1.000]" in saiten("estimate", "run", most).out


def test_the_terminal_shows_each_row_on_one_line_of_100_columns(saiten, run, monkeypatch):
    """Each part is a table, no figure is split, and remarks are separate."""
    monkeypatch.setenv("COLUMNS", "100")
    said = saiten("estimate", *run, "--width", "0.09", "--systems", "careful,hasty")
    assert said.status == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 100
    shown = [line.split() for line in lines if line.startswith(("all", "careful", "hasty"))]
    assert len(shown) == 2 * 4
    for words in shown:
        assert sum("±" in word for word in words) == 2


def test_labels_drawn_within_systems(saiten, run, data):
    """Without --stratified the remark says what to do; with it the mean weights each system by its items."""
    labels = [
        {"item": f"s{n}", "value": int(n % 4 == 1), "aspect": "correct"}
        for n in range(240)
        if n % 2 or n % 20 == 0  # all from one system, twelve from the other
    ]
    file = data(labels, "uneven.jsonl")
    plain, whole = (
        rows(saiten("estimate", run[0], file, *more, "--format", "json")) for more in ((), ("--stratified",))
    )
    assert "--stratified" in plain[0]["remarks"]
    assert "--stratified" not in whole[0]["remarks"]
    assert whole[0]["labels alone"] == pytest.approx((whole[1]["labels alone"] + whole[2]["labels alone"]) / 2)
    only = data([row for row in labels if int(row["item"][1:]) % 2], "one.jsonl")
    said = saiten("estimate", run[0], only, "--stratified")
    assert said.status == 2
    assert "none of 'careful'" in said.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--systems", "careful"), "expects FIRST,SECOND"),
        (("--systems", "careful,"), "expects FIRST,SECOND"),
        (("--systems", ",careful"), "expects FIRST,SECOND"),
        (("--systems", "a,b,c"), "expects FIRST,SECOND"),
        (("--systems", "careful,careful"), "itself"),
        (("--systems", "careful,gone"), "careful, hasty"),
        (("-m", "token_f1", "-m", "tokenf1"), "'tokenf1'"),
        (("-a", "corect"), "'correct'"),
        (("--width", "nan"), "width"),
        (("--width", "inf"), "width"),
        (("--width", "0"), "width"),
        (("--yes-from", "nan"), "yes_from"),
        (("--column", "item"), "FIELD=COLUMN"),
        (("--judges", "gone.jsonl"), "gone.jsonl"),
    ],
)
def test_what_cannot_be_done_is_reported(saiten, run, options, words):
    """The status is 2, without a table, and the message says what was expected."""
    said = saiten("estimate", *run, *options)
    assert (said.status, said.out) == (2, "")
    assert words in said.err
    assert "Traceback" not in said.err


def test_too_few_labels_give_no_interval_and_the_reason(saiten, run, data):
    """In the terminal the reason is a remark below the table."""
    few = data([{"item": f"s{n}", "value": n % 2} for n in range(6)], "few.jsonl")
    said = saiten("estimate", run[0], few)
    assert said.status == 0
    assert "±" not in said.out.split("Estimated mean of people's labels")[0]
    assert "only 6 labels; an interval needs at least 10" in " ".join(said.out.split())
