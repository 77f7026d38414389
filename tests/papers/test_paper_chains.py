"""`saiten paper chains` with scripted models and a scripted judge behind a real server: tables, figures, edge cases."""

import json
import re
import shlex
from pathlib import Path

import pytest
import scripted_chains
from scipy.stats import kendalltau
from scripted_chains import (
    ACCURACY,
    AGREEMENT,
    BY_PEOPLE,
    EXTRACTIVE,
    SYSTEMS,
    TABLE_4,
    TABLE_5,
    is_right,
    labels_of,
    of_extractive,
    tables,
    write_set,
)
from statsmodels.stats.proportion import proportion_confint

import networks
from saiten.runs import read_run
from servers import Fault
from tiny_models import tiny_bert

scripted, run, offline = scripted_chains.scripted, scripted_chains.run, scripted_chains.offline


def test_the_text_s_tables_of_two_data_sets(run, tmp_path):
    """Each in its place and form: a row per data set, model and chain, with judge, people, similarity and seconds; the
    accuracies, tau and agreement are those counted by hand.
    """
    write_set(tmp_path / "mine" / "en", labels_of(run.named))
    write_set(tmp_path / "mine" / "ja", labels_of(run.named), japanese=True)
    found = tables(run("mine"))
    assert [title.partition(" · ")[0] for title in found] == [
        *("Table 2", "Table 3", "Table 4", "Table 4", "Table 4", "Table 4", "Table 5", "Agreement")
    ]  # fmt: skip
    assert [(row["data"], row["questions"], row["documents"]) for row in found["Table 2 · statistics of the data sets"]] == [
        ("en", 4, 4), ("ja", 4, 4)
    ]  # fmt: skip
    cells = found[TABLE_4]
    assert [(row["data"], f"{row['model']} · {row['chain']}") for row in cells] == [
        (data, run.named(system)) for data in ("en", "ja") for system in SYSTEMS
    ]
    for row, system in zip(cells, SYSTEMS * 2, strict=True):
        assert (row["people's accuracy"], row["n people"], row["n judge"]) == (ACCURACY[system], 4, 4)
        assert row["judge's accuracy"] == ACCURACY[system] + (0 if is_right(system, 3) else 0.25)
        assert all(isinstance(row[name], float) for name in ("ROUGE-L", "BLEU-4 (corpus)", "median s", "mean s"))
    passed = found["Table 3 · wrong answers that the judge passed"]
    wrong = [run.named(system) for system in SYSTEMS if not is_right(system, 3)]
    assert [(row["data"], row["item"]) for row in passed] == [
        (data, f"q3@{name}") for data in ("en", "ja") for name in sorted(wrong)
    ]
    assert all("BREAKS" in row["answer"] and row["reason"] == "because" for row in passed)
    assert all("⟦" in row["answer"] and row["answer"].index("⟦") < row["answer"].index("BREAKS") for row in passed)


def test_tau_and_agreement_are_those_counted_by_hand(run, tmp_path):
    """Tau-b of the judge is scipy's over the six systems; the judge passes what is wrong about part 3."""
    write_set(tmp_path / "mine", labels_of(run.named))
    found = tables(run("mine"))
    people = list(ACCURACY.values())
    judge = [value + (0 if is_right(system, 3) else 0.25) for system, value in ACCURACY.items()]
    (row,) = [row for row in found[TABLE_5] if row["metric"] == "accuracy"]
    assert (row["systems"], row["Kendall tau-b"]) == (6, pytest.approx(kendalltau(judge, people).statistic))
    assert [row["metric"] for row in found[TABLE_5]] == [
        "rouge_l",
        "bleu4 (corpus)",
        "bleu4 (mean of answers)",
        "bertscore",
        "accuracy",
    ]
    (alike,) = found[AGREEMENT]
    passed = sum(not is_right(system, 3) for system in SYSTEMS)
    assert (alike["judgments"], alike["questions"]) == (24, 4)
    assert (alike["judge yes, people no"], alike["judge no, people yes"]) == (passed, 0)
    assert alike["agreement"] == pytest.approx(1 - passed / 24)
    assert alike["95 % from"] < alike["agreement"] < alike["to"]
    (ratio,) = found["Table 4 · ratio of mean latencies, parallel to serial"]
    assert (ratio["pairs"], ratio["latency ratio"] > 0) == (12, True)


def test_without_labels_the_human_parts_are_left_out(offline, saiten, tmp_path, monkeypatch):
    """The note has commands that collect and save labels; table 4 has a dash and the reason; tables 3 and 5 are not
    there.
    """
    monkeypatch.setenv("COLUMNS", "1000")  # no line of a command is broken
    found, said = offline(None)
    first, second = re.findall(r"`saiten (annotate .*?)`", " ".join(said.split()))
    assert "no labels; collect people's verdicts" in " ".join(said.split())
    prepared = saiten(*shlex.split(first.replace("NAME", "Aiko")), "--prepare")
    assert (prepared.status, "24 items were added" in prepared.err + prepared.out) == (0, True)
    assert saiten(*shlex.split(second)).status == 0
    assert (tmp_path / "mine" / "labels.jsonl").exists()
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {None}
    assert all("no labels" in row["remarks"] for row in found[TABLE_4])
    assert not [title for title in found if title.startswith(("Table 3", "Table 5", "Agreement"))]
    assert all(row["judge's accuracy"] is not None and row["ROUGE-L"] is not None for row in found[TABLE_4])


def test_labels_of_one_system_only(offline):
    """Its accuracy is there, the others have a dash with the reason; no order of one system is made up."""
    found, _ = offline(of_extractive(1.0, EXTRACTIVE[:1]))
    by_people = [row["people's accuracy"] for row in found[TABLE_4]]
    assert by_people == [1.0, *[None] * 5]
    assert all("no label of this system's answers" in row["remarks"] for row in found[TABLE_4][1:])
    assert {row["Kendall tau-b"] for row in found[TABLE_5]} == {None}
    assert all(row["remarks"] for row in found[TABLE_5])
    assert found[AGREEMENT][0]["judgments"] == 4


def test_people_who_call_every_answer_wrong(offline):
    """0 is a verdict: the accuracies are 0; an order of equal systems is a dash with the reason, the rest is there."""
    found, _ = offline(of_extractive(0.0))
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {0.0}
    assert {row["Kendall tau-b"] for row in found[TABLE_5]} == {None}
    assert all(row["remarks"] for row in found[TABLE_5])
    (alike,) = found[AGREEMENT]
    assert alike["agreement"] == pytest.approx(1 - alike["judge yes, people no"] / 24)


def test_grades_instead_of_verdicts(offline, saiten):
    """Grades order systems, but do not agree with verdicts: agreement is a dash with the reason; table 4
    has their mean and says so.
    """
    rows = of_extractive(4.0, EXTRACTIVE[:3]) + of_extractive(2.0, EXTRACTIVE[3:])
    found, _ = offline(rows)
    assert any(row["Kendall tau-b"] is not None for row in found[TABLE_5])
    (alike,) = found[AGREEMENT]
    assert alike["agreement"] is None
    assert "grades" in alike["remarks"]
    assert [row["people's accuracy"] for row in found[TABLE_4]] == [4.0] * 3 + [2.0] * 3
    assert {row["n people"] for row in found[TABLE_4]} == {4}
    shown = saiten("paper", "chains", "mine", "-k", 2, "--results", "--format", "md")
    assert shown.out.count("People gave grades (mine)") == 4


def by_people(*each):
    """Labels of every answer by people who say `each` of it: 1, 0, or a function of the item."""
    return [
        row | {"value": float(value(row["item"]) if callable(value) else value), "annotator": f"p{n}"}
        for n, value in enumerate(each)
        for row in of_extractive(1.0)
    ]


def test_people_s_accuracy_is_that_of_the_majority(offline):
    """Two of three people call every answer right: 1, as the agreement takes it, and not the mean of the labels."""
    found, _ = offline(by_people(1, 1, 0))
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {1.0}
    assert {row["difference"] for row in found[BY_PEOPLE]} == {0.0}
    (alike,) = found[AGREEMENT]
    assert alike["judge yes, people no"] == 0


def test_a_third_decision_is_people_s_verdict(offline):
    """It settles an answer against the majority."""
    third = [row | {"value": 0.0, "annotator": "third", "adjudicated": True} for row in of_extractive(0.0)]
    found, _ = offline(by_people(1, 1, 1) + third)
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {0.0}


def test_evenly_split_answers_are_in_no_figure_of_people_s_and_are_counted(offline):
    """Two people differ on one answer of every system and on all of one: the accuracies, the paired comparison and the
    agreement are over the others.
    """
    split = EXTRACTIVE[0]
    rows = by_people(1, lambda item: not item.startswith("q1@") and not item.endswith(f"@{split}"))
    found, _ = offline(rows)
    cells = found[TABLE_4]
    assert [row["people's accuracy"] for row in cells] == [None, *[1.0] * 5]
    assert [row["n people"] for row in cells] == [0, *[3] * 5]
    assert ["items on which people are split" in row["remarks"] for row in cells] == [True, *[False] * 5]
    assert all("1 item on which people are split" in row["remarks"] for row in cells[1:])
    assert not [row for row in cells if "label" in row["remarks"]]
    assert [row["n"] for row in found[BY_PEOPLE]] == [0, 3, 3]
    (alike,) = found[AGREEMENT]
    assert (alike["judgments"], alike["questions"]) == (5 * 3, 3)
    assert "9 items on which people are split" in alike["remarks"]
    assert {row["systems"] for row in found[TABLE_5] if row["Kendall tau-b"] is None} <= {0, 5}


def test_people_who_are_split_on_every_answer(offline):
    """Every table of people's has a dash and the reason; the others have their values."""
    found, _ = offline(by_people(1, 0))
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {None}
    for title in (TABLE_4, TABLE_5, AGREEMENT, "Table 3 · wrong answers that the judge passed"):
        assert all("people are evenly split on every answer" in row["remarks"] for row in found[title]), title
    assert all(row["judge's accuracy"] is not None for row in found[TABLE_4])


def test_bertscore_is_a_dash_with_what_to_do_unless_it_is_asked_for(offline, saiten):
    """Without --bertscore, tables 4 and 5 have its place, and say how to measure it."""
    found, _ = offline(of_extractive(1.0))
    assert {row["BERTScore F1"] for row in found[TABLE_4]} == {None}
    (row,) = [row for row in found[TABLE_5] if row["metric"] == "bertscore"]
    assert (row["Kendall tau-b"], row["remarks"]) == (None, "not measured; add --bertscore MODEL")
    shown = saiten("paper", "chains", "mine", "-k", 2, "--results", "--format", "md")
    assert "BERTScore was not measured; add --bertscore MODEL." in shown.out


@pytest.mark.parametrize(("value", "said"), [(1.0, "(1)"), (0.0, "(0)")])
def test_equal_systems_are_said_to_be_equal_by_whom(offline, value, said):
    """People give all systems the same accuracy: the reason names them and the accuracy, not a column."""
    found, _ = offline(of_extractive(value))
    rows = {row["metric"]: row["remarks"] for row in found[TABLE_5] if row["metric"] != "bertscore"}
    assert rows["rouge_l"] == rows["bleu4 (corpus)"] == f"people give all systems the same value {said}"


def test_a_judge_to_which_all_systems_are_equal(run, scripted, tmp_path):
    """The reason names the metric and its value."""
    write_set(tmp_path / "mine", labels_of(run.named))
    reply = scripted.reply
    scripted.reply = lambda asked: (
        json.dumps({"explanation": "because", "correct": True}) if asked.schema and reply(asked) else reply(asked)
    )
    (row,) = [row for row in tables(run("mine"))[TABLE_5] if row["metric"] == "accuracy"]
    assert row["remarks"] == "the metric gives all systems the same value (1)"


@pytest.mark.parametrize("rows", [[{"item": "q0@elsewhere", "value": 1}], [{"item": "q0@extractive:1 · refine", "value": 1, "aspect": aspect} for aspect in ("tone", "style")]])  # fmt: skip
def test_labels_that_cannot_be_used_take_no_table_away(offline, rows):
    """Those of other answers, and several aspects of which none is meant, are reported; table 4 is there."""
    found, said = offline(rows)
    assert "the labels cannot be used" in said.replace("\n", " ")
    assert len(found[TABLE_4]) == 6
    assert TABLE_5 not in found


def test_people_s_labels_in_samples_are_called_simulated(saiten, tmp_path):
    """Labels name a simulated person, belong to the answers of the default systems, and every figure has a value."""
    assert saiten("paper", "chains", "mine", "--samples").status == 0
    rows = [json.loads(line) for line in Path("mine/en/labels.jsonl").read_text().splitlines()]
    assert {row["annotator"] for row in rows} == {"simulated-person"}
    found = tables(saiten("paper", "chains", "mine", "--format", "json", "-q"))
    assert {row["n people"] for row in found[TABLE_4]} == {24}
    assert [row["metric"] for row in found[TABLE_5] if row["Kendall tau-b"] is None] == ["bertscore"] * 2
    assert [row["judgments"] for row in found[AGREEMENT]] == [144, 144, 288]
    assert all(row["judge yes, people no"] > 0 for row in found[AGREEMENT])
    run = read_run(Path("runs/paper-chains/experiment/scores/en"), notify=lambda _: None)
    assert {row["item"] for row in rows} == {sample.id for sample in run.samples()}
    shown = saiten("paper", "chains", "mine", "--results", "--lang", "ja")
    assert "表4 · 正確さと応答時間" in shown.out
    assert "ラベルは模擬のもの" in shown.out.replace("\n", "")
    page = Path("runs/paper-chains/report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2


def test_statistics_are_of_all_questions_though_a_system_fails_on_one(run, scripted, tmp_path):
    """The first system has no answer to a question: the data set has four questions nevertheless, with their words."""
    write_set(tmp_path / "mine")
    reply = scripted.reply
    scripted.reply = lambda asked: (
        Fault(400) if asked.body["model"] == "good" and "part 2" in asked.text else reply(asked)
    )
    (row,) = tables(run("mine"))["Table 2 · statistics of the data sets"]
    assert (row["questions"], row["documents"], row["passages per question"]) == (4, 4, 2)
    assert (row["tokens per question"], row["tokens per reference"], row["tokens per passage"]) == (5, 5, 6)


def test_data_sets_whose_labels_have_other_aspects(saiten, tmp_path):
    """Each keeps its accuracies and agreement; the comparison of chains over both is left out, and the note says so."""
    for name, aspect in (("a", "correct"), ("b", "accuracy")):
        write_set(tmp_path / "mine" / name, of_extractive(1.0, aspect=aspect))
    said = saiten("paper", "chains", "mine", "-k", 2, "--format", "json", "-q")
    found = tables(said)
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {1.0}
    assert [row["judgments"] for row in found[AGREEMENT]] == [24, 24, 48]
    assert BY_PEOPLE not in found
    assert "labels of different aspects (human:accuracy, human:correct)" in said.err.replace("\n", " ")


def test_only_one_of_two_data_sets_has_labels(saiten, tmp_path):
    """The other has dashes with the reason in every table of people's, and the agreement of all is that of the first."""
    write_set(tmp_path / "mine" / "a", of_extractive(1.0))
    write_set(tmp_path / "mine" / "b")
    found = tables(saiten("paper", "chains", "mine", "-k", 2, "--format", "json", "-q"))
    assert [row["people's accuracy"] for row in found[TABLE_4]] == [1.0] * 6 + [None] * 6
    assert {row["data"] for row in found[BY_PEOPLE]} == {"a"}
    assert [(row["data"], row["judgments"]) for row in found[AGREEMENT]] == [("a", 24), ("b", 0), ("all", 24)]
    for title in ("Table 3 · wrong answers that the judge passed", TABLE_5, AGREEMENT):
        assert all("no labels" in row["remarks"] for row in found[title] if row["data"] == "b")


def test_answers_to_one_question_are_no_independent_judgments(offline):
    """All six answers to question 3 are judged otherwise than by people: the interval is that of four questions."""
    found, _ = offline([row | {"value": float(not row["item"].startswith("q3"))} for row in of_extractive(1.0)])
    (alike,) = found[AGREEMENT]
    assert (alike["judgments"], alike["questions"]) == (24, 4)
    low, high = proportion_confint(round(alike["agreement"] * 24), 24, method="wilson")
    assert alike["to"] - alike["95 % from"] > high - low


@networks.needed()
def test_bertscore_is_in_tables_4_and_5(saiten, tmp_path, tmp_path_factory):
    """With a network: a value per system, and its tau with people."""
    model = tiny_bert(tmp_path_factory.mktemp("bert"))
    write_set(tmp_path / "mine", labels_of(lambda system: system.replace("good", "extractive:1"), systems=SYSTEMS[:2]))
    found = tables(saiten("paper", "chains", "mine", "-k", 2, "--bertscore", model, "--format", "json", "-q"))
    assert all(0 < row["BERTScore F1"] <= 1 for row in found[TABLE_4])
    assert [re.split(r"\W", row["metric"])[0] for row in found[TABLE_5]] == [
        "rouge_l",
        "bleu4",
        "bleu4",
        "bertscore",
        "accuracy",
    ]
