"""`saiten meta-evaluate`: a run compared with labels, in five forms."""

import csv
import io
import json
import re
import shutil
import statistics
from pathlib import Path

import pytest

FORMS = ["table", "json", "csv", "md", "latex"]


@pytest.fixture
def scored(saiten, data, once):
    """A run over twelve answers of three systems to four questions."""
    rows = [
        {
            "id": f"q{q}/{system}",
            "question": f"Question {q}?",
            "answer": " ".join(["right"] * good + ["wrong"] * (3 - good)),
            "reference": "right right right",
            "contexts": ["right"],
            "system": system,
        }
        for q in range(4)
        for good, system in enumerate(("hasty", "fair", "careful"), 1)
    ]
    metrics = ("-m", "token_f1", "-m", "context_overlap", "-m", "length")

    def make():
        assert saiten("score", data(rows), *metrics, "-o", "run").status == 0

    once(make)
    return [row["id"] for row in rows]


@pytest.fixture
def labels(scored, data):
    """Two annotators, two aspects."""
    rows = [
        {"item": item, "annotator": who, "aspect": aspect, "value": value}
        for i, item in enumerate(scored)
        for who in ("a", "b")
        for aspect, value in (("correct", int(i % 3 + (who == "b" and i == 4) > 0)), ("grade", i % 3 + (who == "a")))
    ]
    return data(rows, "labels.jsonl")


def test_a_run_is_compared_with_its_labels(saiten, labels):
    """Ranking, correlations, systems, decisions, bias and the ceiling, for every aspect."""
    said = saiten("meta-evaluate", "run", labels, "--format", "json")
    assert said.status == 0
    found = json.loads(said.out)
    for title in (
        "correct: metrics by AUROC",
        "correct: over items",
        "correct: over systems",
        "correct: decisions",
        "correct: bias",
        "correct: people against people",
        "correct: who said what",
        "correct: every two metrics",
        "grade: metrics by Pearson",
    ):
        assert found[title], title
    (row,) = [row for row in found["grade: over items"] if row["metric"] == "token_f1"]
    assert row["Pearson"] == pytest.approx(1.0)
    (row,) = [row for row in found["correct: over systems"] if row["metric"] == "token_f1"]
    assert (row["systems"], row["alike"], row["tied by people"]) == (3, 2, 1)
    assert "Notes" not in found


def test_the_terminal_begins_with_the_ranking(saiten, labels):
    """First the result, then what it is based on."""
    text = saiten("meta-evaluate", "run", labels, "--aspect", "grade").out
    assert text.index("metrics by Pearson") < text.index("over items") < text.index("over systems")
    assert "people, one against the others" in text
    assert "correct:" not in text


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_figures_and_nothing_that_a_terminal_obeys(saiten, labels, scored, data, form):
    """This holds for names from outside that try to be more."""
    judges = data([{"item": item, "e\x1b[31m_&%#{vil}": 1} for item in scored], "judges.jsonl")
    said = saiten("meta-evaluate", "run", labels, "--judges", judges, "--format", form)
    assert said.status == 0
    assert "token_f1" in said.out.replace("\\_", "_")
    assert not {c for c in said.out + said.err if (ord(c) < 0x20 and c not in "\n\r") or 0x7F <= ord(c) < 0xA0}


def test_latex_is_escaped_and_has_rules(saiten, labels):
    """It can be included directly."""
    text = saiten("meta-evaluate", "run", labels, "--format", "latex").out
    assert text.count("\\begin{table}") == text.count("\\end{table}") == text.count("\\toprule") > 5
    assert "token\\_f1" in text
    assert "95 \\%" in text
    assert not re.search(r"(?<!\\)[_%#]", text.replace("% needs \\usepackage", ""))


def test_csv_has_every_digit(saiten, labels):
    """It is meant for spreadsheets."""
    rows = list(csv.reader(io.StringIO(saiten("meta-evaluate", "run", labels, "--format", "csv").out)))
    assert any(len(cell) > 10 and "." in cell and cell.replace(".", "").isdigit() for row in rows for cell in row)


def test_judges_alone_need_only_the_samples(saiten, labels, scored, data):
    """A file of samples instead of a run; the missing baselines are pointed out."""
    judges = data([{"item": item, "judge": "gpt", "value": i % 3 / 2} for i, item in enumerate(scored)], "j.jsonl")
    said = saiten("meta-evaluate", "data.jsonl", labels, "--judges", judges, "-a", "grade", "--format", "json")
    found = json.loads(said.out)
    assert [row["metric"] for row in found["grade: over items"]] == ["gpt"]
    assert "context_overlap or length" in found["Notes"][0]["note"]


@pytest.mark.parametrize("command", ["meta-evaluate", "estimate", "agreement"])
def test_the_hint_about_columns_names_the_option_that_maps_them(saiten, scored, data, command):
    """--column applies to the labels here; the samples' columns are given with --sample-column, which works."""
    people = data([{"item": item, "value": i % 3} for i, item in enumerate(scored)], "people.jsonl")
    judges = data([{"item": item, "judge": "j", "value": i % 3} for i, item in enumerate(scored)], "j.jsonl")
    asked = data([{"id": item, "frage": "Q?", "answer": "A."} for item in scored], "asked.jsonl")
    given = (people, "--samples", asked) if command == "agreement" else (asked, people, "--judges", judges)
    said = saiten(command, *given)
    assert "name one, as in --sample-column question=frage" in " ".join(said.err.split())
    assert "in --column" not in said.err
    said = saiten(command, *given, "--sample-column", "question=frage", "--format", "json")
    assert said.status == 0, said.err
    assert "columns not used" not in said.err
    wrong = saiten(command, *given, "--sample-column", "frage")
    assert wrong.status == 2
    assert "--sample-column expects FIELD=COLUMN" in wrong.err


def test_raw_replies_are_read_with_a_pattern(saiten, labels, scored, data):
    """Those without a verdict are counted next to the figures and reported."""
    replies = [f"Reasons. Final score: {i % 3}." if i else "I cannot say." for i in range(len(scored))]
    judges = data([{"item": item, "judge": "gpt", "reply": reply} for item, reply in zip(scored, replies, strict=True)], "j.jsonl")  # fmt: skip
    pattern = ("--judges", judges, "--verdict-pattern", r"Final score: (\d)")
    said = saiten("meta-evaluate", "data.jsonl", labels, "-a", "grade", *pattern, "--format", "json")
    assert said.status == 0, said.err
    (row,) = json.loads(said.out)["grade: over items"]
    assert (row["metric"], row["n"], row["Pearson"]) == ("gpt", 11, pytest.approx(1))
    assert "1 unreadable" in row["remarks"]
    assert "no verdict in 1 of 12 replies, for example 'I cannot say.'" in " ".join(said.err.split())


def test_a_threshold_and_a_figure_can_be_chosen(saiten, labels):
    """Grades from 2 on are a yes, ranked by kappa."""
    said = saiten(
        "meta-evaluate", "run", labels, "-a", "grade", "--yes-from", "2", "--rank-by", "auroc", "--format", "json"
    )
    found = json.loads(said.out)
    assert "grade: metrics by AUROC" in found
    assert found["grade: decisions"][0]["AUROC"] is not None
    said = saiten("meta-evaluate", "run", labels, "-a", "grade", "--rank-by", "auroc", "--format", "json")
    assert "specify the lowest grade that counts as yes" in json.loads(said.out)["Notes"][0]["note"]


def test_metrics_can_be_ranked_by_a_recounted_figure(saiten, labels):
    """Kendall's tau-b, with the ceiling where it belongs; and kappa with linear weights for grades."""
    said = saiten("meta-evaluate", "run", labels, "-a", "grade", "--rank-by", "kendall", "--format", "json")
    rows = json.loads(said.out)["grade: metrics by Kendall tau-b"]
    assert rows[0]["Kendall tau-b"] == pytest.approx(max(row["Kendall tau-b"] for row in rows if row["Kendall tau-b"]))
    assert [row for row in rows if row["metric"].startswith("people")]
    said = saiten("meta-evaluate", "run", labels, "-a", "grade", "--rank-by", "linear_kappa", "--format", "json")
    rows = json.loads(said.out)["grade: metrics by linear kappa"]
    assert {row["remarks"] for row in rows if row["rank"] is None and row["linear kappa"] is None} == {"no grades on a common scale"}  # fmt: skip
    assert [row["metric"] for row in rows if row["linear kappa"] is not None] == ["people, one against the others"]


def test_systems_means_can_be_taken_over_all_that_people_rated(saiten, labels, scored, data):
    """A judge lacks a value for some items: the caption says what the means cover, and the figures differ."""
    outputs = [{"item": item, "judge": "j", "value": i % 3} for i, item in enumerate(scored) if i != 1]
    judges = data(outputs, "judges.jsonl")
    people = data([{"item": item, "value": 9 if i == 1 else i % 3} for i, item in enumerate(scored)], "people.jsonl")
    found = {}
    for over in ("common", "all"):
        options = ("--judges", judges, "--systems-over", over, "--format", "json")
        (row,) = json.loads(saiten("meta-evaluate", "data.jsonl", people, *options).out)["labels: over systems"]
        found[over] = row["Kendall tau-b"]
    assert found == pytest.approx({"common": 1.0, "all": 1 / 3})
    shown = saiten("meta-evaluate", "data.jsonl", people, "--judges", judges, "--systems-over", "all").out
    assert "people's over all that they rated" in " ".join(shown.split())
    assert saiten("meta-evaluate", "data.jsonl", people, "--judges", judges, "--systems-over", "both").status == 2


def test_one_system_alone_is_a_note_and_no_table(saiten, scored, data):
    """The order of systems is meaningless, which one note says, not one per metric."""
    people = data([{"item": item, "value": i % 3} for i, item in enumerate(scored)], "people.jsonl")
    alone = data([{"id": item, "question": "Q?", "answer": "A.", "system": "one"} for item in scored], "alone.jsonl")
    outputs = [{"item": item, "judge": j, "value": i % 3} for i, item in enumerate(scored) for j in "jk"]
    found = json.loads(
        saiten("meta-evaluate", alone, people, "--judges", data(outputs, "o.jsonl"), "--format", "json").out
    )
    assert "labels: over systems" not in found
    notes = [row["note"] for row in found["Notes"]]
    assert [note for note in notes if "there is only one system; 3 are needed" in note] == [notes[-1]]


def test_unreadable_replies_are_the_reason_not_unnamed_systems(saiten, labels, scored, data):
    """The samples name three systems: what is missing is the judge's scores for them, and no scale is invented."""
    outputs = [{"item": item, "judge": "mute", "value": "?"} for item in scored]
    judges = data(outputs, "o.jsonl")
    found = json.loads(
        saiten("meta-evaluate", "data.jsonl", labels, "-a", "grade", "--judges", judges, "--format", "json").out
    )
    notes = " ".join(row["note"] for row in found["Notes"])
    assert "grade: over systems: only 0 of 3 systems have values (12 unreadable); 3 are needed" in notes
    assert "no system is named" not in notes
    assert found["grade: bias"][0]["remarks"] == "the metric has no value"
    assert found["grade: metrics by Pearson"][-1]["remarks"].endswith("; 12 unreadable")
    some = [{**row, "value": i % 3} if i < 5 else row for i, row in enumerate(outputs) if i % 3 < 2 or i > 4]
    judges = data(some, "some.jsonl")
    found = json.loads(
        saiten("meta-evaluate", "run", labels, "-a", "grade", "--judges", judges, "--format", "json").out
    )
    rows = {row["metric"]: row["remarks"] for row in found["grade: over systems"]}
    assert rows["mute"].startswith("only 2 of 3 systems have values (1 no output, 7 unreadable); 3 are needed")
    said = saiten("meta-evaluate", "data.jsonl", labels, "-a", "correct", "--judges", data(outputs, "o.jsonl"), "--format", "json")  # fmt: skip
    assert "own verdicts" not in said.out


def test_declined_answers_make_the_set_of_a_ranking_easier(saiten, scored, data):
    """Answers that a metric declines are in none of its figures; rankings say how correct they are by the labels."""
    people = data([{"item": item, "value": int(i > 2)} for i, item in enumerate(scored)], "people.jsonl")
    declined = (0, 1, 2, 3, 4)  # three wrong ones and two right ones; the others are right
    judges = data(
        [
            {
                "item": item,
                "metric": "m",
                "value": None if i in declined else i % 2,
                "status": "declined" if i in declined else "ok",
            }
            for i, item in enumerate(scored)
        ]
        + [{"item": item, "metric": "all", "value": i / 12} for i, item in enumerate(scored)],
        "o.jsonl",
    )
    ask = ("meta-evaluate", "data.jsonl", people, "--judges", judges, "--format", "json")
    found = json.loads(saiten(*ask, "--rank-by", "agreement").out)
    says = "over an easier set: 5 declined are left out (2 right according to people, 0.40 vs. 1.00)"
    for table in ("labels: metrics by agreement", "labels: over systems"):
        remarks = {row["metric"]: row["remarks"] for row in found[table]}
        assert says in remarks["m"], table
        assert "set" not in remarks["all"]
    counted = json.loads(saiten(*ask, "--rank-by", "agreement", "--unmeasured", "wrong").out)
    assert not any(says in row["remarks"] for row in counted["labels: metrics by agreement"])
    assert any(says in row["remarks"] for row in counted["labels: over systems"])


def test_what_is_on_one_side_only_is_shown(saiten, labels, data):
    """It is shown with a count and some IDs."""
    with labels.open("a") as file:
        file.write('{"item": "ghost", "value": 1, "aspect": "grade"}\nnonsense\n')
    said = saiten("meta-evaluate", "run", labels, "-a", "grade", "--format", "json")
    (row,) = json.loads(said.out)["Left out: items on one side only"]
    assert (row["what"], row["n"], row["for example"]) == ("labeled, not scored", 1, "ghost")
    assert "left out labels.jsonl:" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "others.jsonl"), "matched by id"),
        (("nowhere", "labels.jsonl"), "nowhere does not exist"),
        (("run", "labels.jsonl", "-a", "grad"), "no labels of the aspect 'grad'"),
        (("run", "labels.jsonl", "--rank-by", "r2"), "by one of pearson"),
        (("data.jsonl", "labels.jsonl"), "no outputs to compare with"),
    ],
)
def test_what_cannot_be_done_is_said(saiten, labels, data, arguments, says):
    """The exit status is 2, with expected and actual."""
    data([{"item": "Q0/HASTY", "value": 1}], "others.jsonl")
    said = saiten("meta-evaluate", *arguments)
    assert said.status == 2
    assert says in " ".join(said.err.split())


def test_a_persons_grade_0_is_declined_and_counted(saiten, scored, data):
    """This holds for the aspect `correctness`; --grade-zero makes it a grade, here and in `estimate`."""
    people = [{"item": item, "value": (0, 2, 5, 3)[i % 4], "aspect": "correctness"} for i, item in enumerate(scored)]
    judge = [{"item": item, "judge": "gpt", "value": (4, 2, 4, 0)[i % 4]} for i, item in enumerate(scored)]
    arguments = ("data.jsonl", data(people, "people.jsonl"), "--judges", data(judge, "gpt.jsonl"), "--format", "json")
    found = json.loads(saiten("meta-evaluate", *arguments).out)
    (row,) = found["correctness: declined answers"]
    assert [row[name] for name in ("by both", "by people only", "by the metric only", "graded by both")] == [0, 3, 3, 6]
    assert found["correctness: bias"][0]["metric - people"] == pytest.approx(-0.5)
    assert any("3 of 12 answers declined" in row["note"] for row in found["Notes"])
    found = json.loads(saiten("meta-evaluate", *arguments, "--grade-zero", "lowest").out)
    assert "correctness: declined answers" not in found
    assert found["correctness: bias"][0]["metric - people"] == pytest.approx(0)
    means = [
        json.loads(saiten("estimate", *arguments, "--grade-zero", zero).out)["What people would say of the whole set"][
            0
        ]
        for zero in ("auto", "lowest")
    ]
    assert [row["labels alone"] for row in means] == pytest.approx([10 / 3, 2.5])


GRADES = {
    ("m1", "E2"): (5, 4, 5, 5, 4, 5),
    ("m1", "E3"): (5, 2, 1, 5, 3, 1),
    ("m2", "E2"): (4, 5, 3, 4, 4, 5),
    ("m2", "E3"): (4, 3, 2, 5, 2, 2),
}
"""By model and evidence: what it gives the six answers."""
EXPERT = (5, 3, 1, 4, 2, 1)


@pytest.fixture
def judged(saiten, data, openai_server):
    """Two runs over the same answers, m1 and m2, each with both kinds of evidence and a baseline."""

    def reply(asked):
        if "Question" not in asked.text:
            return None
        number = int(re.findall(r"Question (\d)", asked.text)[-1])
        mode = "E3" if "what both retrieve" in asked.text else "E2"
        return json.dumps({"feedback": "f", "grade": GRADES[asked.body["model"], mode][number]})

    openai_server.reply = reply
    rows = [
        {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "answer": " ".join(["right"] * grade + ["wrong"]),
            "reference": "right right right right right",
            "contexts": ["what the system saw"],
            "evidence": ["what both retrieve"],
        }
        for n, grade in enumerate(EXPERT)
    ]
    samples = data(rows)
    for model in ("m1", "m2"):
        metrics = ("-m", "correctness", "-m", "correctness[evidence=answer]", "-m", "rouge_l")
        judge = f"openai:{model}@{openai_server.base_url}"
        said = saiten("score", samples, *metrics, "--judge", judge, "-o", f"runs/{model}")
        assert said.status == 0, said.err
    data([{"item": f"q{n}", "value": grade} for n, grade in enumerate(EXPERT)], "expert.jsonl")


@pytest.mark.parametrize("other", ["runs/m2", "runs/m2/scores.jsonl"])
def test_judges_by_evidence_are_one_command(saiten, judged, other):
    """The papers' figure: each judge with E2 and E3, mean and correlation with the expert, and the baseline."""
    said = saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", other, "--format", "json")
    assert said.status == 0, said.err
    found = json.loads(said.out)
    rows = {(row["metric"], row["judge"]): row for row in found["labels: judges and evidence"]}
    assert set(rows) == {("correctness", "openai:m1"), ("correctness", "openai:m2"), ("rouge_l", ""), ("people", "")}
    for (model, mode), grades in GRADES.items():
        row = rows["correctness", f"openai:{model}"]
        assert row[f"mean, {mode}"] == pytest.approx(statistics.fmean(grades))
        assert row[f"Pearson, {mode}"] == pytest.approx(statistics.correlation(grades, EXPERT))
        assert row[f"n, {mode}"] == 6
    assert rows["rouge_l", ""]["Pearson"] > 0.9
    assert rows["people", ""]["mean"] == pytest.approx(statistics.fmean(EXPERT))
    assert (
        set(rows["rouge_l", ""])
        == set(rows["people", ""])
        == {
            *("metric", "judge", "mean", "Pearson", "Pearson from", "Pearson to", "n"),
            *(f"{name}, {mode}" for name in ("mean", "Pearson", "n") for mode in ("E2", "E3")),
            *(f"Pearson, {mode} {end}" for mode in ("E2", "E3") for end in ("from", "to")),
        }
    )
    assert sorted(row["metric"] for row in found["labels: over items"]) == [
        "correctness · openai:m1 · answer",
        "correctness · openai:m1 · reference",
        "correctness · openai:m2 · answer",
        "correctness · openai:m2 · reference",
        "rouge_l",
    ]
    assert "named apart" in " ".join(said.err.split())
    bias = {row["metric"] for row in found["labels: bias"]}
    assert sum(name.startswith("correctness") for name in bias) == 4  # they keep the scale that the metric declares


def test_one_judge_in_one_mode_has_no_table_of_judges(saiten, labels, data):
    """Nor is there one if the same judge made other metrics."""
    assert saiten("score", "data.jsonl", "-m", "correctness,accuracy,faithfulness", "-o", "one").status == 0
    found = json.loads(saiten("meta-evaluate", "one", labels, "-a", "grade", "--format", "json").out)
    assert len(found["grade: over items"]) == 3
    assert "grade: judges and evidence" not in found


def test_a_runs_own_scores_are_never_replaced(saiten, judged, data):
    """A file with the same metric is listed next to the run under its own name; the order of arguments does not matter."""
    data(
        [{"sample": f"q{n}", "metric": "correctness", "value": 6 - grade} for n, grade in enumerate(EXPERT)], "b.jsonl"
    )
    alone = json.loads(saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--format", "json").out)
    own = {row["metric"]: row["Pearson"] for row in alone["labels: over items"]}
    said = saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", "b.jsonl", "--format", "json")
    found = {row["metric"]: row["Pearson"] for row in json.loads(said.out)["labels: over items"]}
    assert found["correctness · b.jsonl"] == pytest.approx(-1)
    (first,) = [name for name in found if name.endswith("· reference")]
    assert found[first] == own["correctness"]
    assert len(found) == 4
    twice = saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", "runs/m1/scores.jsonl", "--format", "json")
    assert json.loads(twice.out) == alone
    assert "named twice" in twice.err
    ranked = ("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", "b.jsonl", "--rank-by", "linear_kappa")
    rows = json.loads(saiten(*ranked, "--format", "json").out)["labels: metrics by linear kappa"]
    assert {row["metric"]: row["rank"] for row in rows}[first] == 1


def test_the_same_judge_twice_goes_by_its_run(saiten, judged, data):
    """With other seeds or prompts, judge and evidence are the same; then the folder distinguishes the runs."""
    shutil.copytree("runs/m1", "again/m1")
    scores = Path("again/m1/scores.jsonl")
    scores.write_text(scores.read_text("utf-8").replace('"value":5.0', '"value":4.0'), "utf-8")
    said = saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", "again/m1", "--format", "json")
    names = [row["metric"] for row in json.loads(said.out)["labels: over items"]]
    assert len(names) == len(set(names)) == 5
    assert (
        sorted(name.rpartition(" · ")[2] for name in names if name != "rouge_l") == ["again/m1"] * 2 + ["runs/m1"] * 2
    )


def test_scores_of_another_answer_are_left_out(saiten, judged):
    """Labels are about one text: a run that has another answer under the id says nothing about it."""
    shutil.copytree("runs/m2", "other")
    samples = Path("other/samples.jsonl")
    samples.write_text(samples.read_text("utf-8").replace("right wrong", "another", 1), "utf-8")
    said = saiten("meta-evaluate", "runs/m1", "expert.jsonl", "--judges", "other", "--format", "json")
    assert "1 samples have another answer" in " ".join(said.err.split())
    rows = json.loads(said.out)["labels: judges and evidence"]
    assert [row["n, E3"] for row in rows if row["metric"] == "correctness"] == [6, 5]


def test_estimate_takes_a_metric_of_several_runs_by_either_name(saiten, judged):
    """`-m correctness` selects all of them; the longer name selects one."""
    ask = ("estimate", "runs/m1", "expert.jsonl", "--judges", "runs/m2", "--format", "json")
    rows = json.loads(saiten(*ask, "-m", "correctness").out)["What people would say of the whole set"]
    assert len({row["metric"] for row in rows}) == 4
    (one,) = [row["metric"] for row in rows if "m2" in row["metric"] and row["metric"].endswith("reference")]
    rows = json.loads(saiten(*ask, "-m", one).out)["What people would say of the whole set"]
    assert {row["metric"] for row in rows} == {one}


def test_figures_within_questions_and_by_wins(saiten, labels, data):
    """For answers of three systems to four questions, over all pairs of systems or a list of them."""
    arguments = ("meta-evaluate", "run", labels, "-a", "grade", "--format", "json")
    found = json.loads(saiten(*arguments).out)
    (row,) = [row for row in found["grade: within questions"] if row["metric"] == "token_f1"]
    assert (row["questions"], row["Pearson"], row["Spearman"]) == (4, pytest.approx(1), pytest.approx(1))
    (row,) = [row for row in found["grade: pairs of systems by wins"] if row["metric"] == "token_f1"]
    assert (row["pairs"], row["alike"], row["ties as half"]) == (3, 3, 1)
    assert found["grade: over systems"][0]["Spearman"] == pytest.approx(1)
    pairs = data([{"first": "fair", "second": "careful"}], "pairs.jsonl")
    found = json.loads(saiten(*arguments, "--system-pairs", pairs).out)
    assert [row["pairs"] for row in found["grade: pairs of systems by wins"]] == [1, 1, 1]
    wrong = data([{"first": "fair", "second": "carefull"}], "wrong.jsonl")
    said = saiten(*arguments, "--system-pairs", wrong)
    assert said.status == 2
    assert "no system 'carefull'" in said.err


def test_a_judges_two_orders_in_one_file(saiten, data):
    """Verdicts on both orders of a pair count as one; if they differ, the pair is a tie."""
    samples = data([{"id": f"{side}{i}", "question": f"Q{i}?", "answer": "A."} for i in range(4) for side in "ab"])
    people = data([{"item": f"a{i} vs b{i}", "choice": "1"} for i in range(4)], "people.jsonl")
    rows = [{"item": f"a{i} vs b{i}", "judge": "gpt", "choice": "1"} for i in range(4)]
    rows += [row | {"order": 2, "choice": "2" if i < 1 else "1"} for i, row in enumerate(rows)]
    found = json.loads(
        saiten("meta-evaluate", samples, people, "--judges", data(rows, "gpt.jsonl"), "--format", "json").out
    )
    (row,) = found["labels (preferences): who is preferred"]
    assert (row["accuracy"], row["right"], row["tied"]) == (0.75, 3, 1)
    (row,) = found["labels (preferences): a judge's two orders"]
    assert [row[name] for name in ("pairs", "consistent", "mean accuracy")] == [4, 0.75, 0.875]


def test_every_figure_by_group_or_system(saiten, labels, scored, data):
    """A row per part, metric and figure in JSON; the figure of the ranking in the terminal."""
    said = saiten("meta-evaluate", "run", labels, "-a", "correct", "--split-by", "system", "--format", "json")
    rows = json.loads(said.out)["correct: by system"]
    assert {row["system"] for row in rows} == {"hasty", "fair", "careful"}
    wanted = {"Pearson", "Kendall tau-b, within questions", "AUROC", "macro F1", "kappa", "metric - people"}
    assert wanted <= {row["figure"] for row in rows}
    (row,) = [r for r in rows if (r["system"], r["metric"], r["figure"]) == ("careful", "token_f1", "metric - people")]
    assert row["n"] == 4
    assert row["value"] == pytest.approx(0, abs=0.3)
    text = saiten("meta-evaluate", "run", labels, "-a", "correct", "--split-by", "system").out
    assert "correct: by system" in text
    assert (
        "within questions"
        not in text[text.index("correct: by system") : text.index("Notes") if "Notes" in text else None]
    )
    rows = [{"id": item, "question": "Q?", "answer": "A.", "topic": "xy"[i % 2]} for i, item in enumerate(scored)]
    judges = data([{"item": item, "judge": "j", "value": i % 3} for i, item in enumerate(scored)], "judges.jsonl")
    arguments = (data(rows, "topics.jsonl"), labels, "--judges", judges, "-a", "grade", "--format", "json")
    found = json.loads(saiten("meta-evaluate", *arguments, "--split-by", "group", "--sample-column", "group=topic").out)
    assert {(row["group"], row["labeled"]) for row in found["grade: by group"]} == {("x", 6), ("y", 6)}
    found = json.loads(saiten("meta-evaluate", *arguments, "--split-by", "group").out)
    assert "grade: by group" not in found
    assert any("12 of 12 items have no group" in row["note"] for row in found["Notes"])
