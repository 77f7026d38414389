"""`saiten paper dialogues`: figures 2, 4, 8 and 9 with a scripted judge behind a real server."""

import json
import re
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from statistics import correlation, fmean

import pytest

import networks
from saiten.runs import read_run
from tiny_models import tiny_bert

PEOPLE = (5, 4, 3, 2, 1, 0, 5, 2)
E2 = (5, 5, 4, 3, 3, 0, 5, 4)
E3 = (5, 4, 3, 2, 2, 3, 5, 2)
"""Grades of the eight answers; 0 is no evaluation."""
BOTS = """
def qa(question, history):
    return "It is red."

def mqa(question, history):
    return "It is heavy INDEED." if history else "It is red."
"""
SYSTEMS = ("--qa", "bots.py:qa", "--mqa", "bots.py:mqa", "--max-turns", "3")


def scripted(asked):
    """Grades as above by the contexts shown; in dialogues 3, and 5 for what only `mqa` says. The model `m4` says 4."""
    fields = set((asked.schema or {}).get("properties", ()))
    if "grade" in fields:
        grade = 5 if "INDEED" in asked.text else 3
        if number := re.search(r"ANSWER <(\d)>", asked.text):
            grade = (E2 if "SEEN" in asked.text else E3)[int(number[1])]
        return json.dumps({"feedback": "Because.", "grade": 4 if asked.body["model"] == "m4" else grade})
    if "answer" in fields:
        answer = "It is red, heavy INDEED." if "INDEED" in asked.text else "It is red."
        return json.dumps({"explanation": "Joined.", "answer": answer})
    if "needed" in fields:
        return json.dumps({"explanation": "Its weight is missing.", "needed": True})
    if "question" in fields:
        return json.dumps({"explanation": "Its weight.", "question": f"Is it heavy, and why ({asked.number})?"})
    return None


def satisfied(asked):
    """Grades what is composed 3 and what is revised 5, and needs no other question."""
    fields = set((asked.schema or {}).get("properties", ()))
    if "needed" in fields:
        return json.dumps({"explanation": "Nothing more.", "needed": False})
    if "answer" in fields and "It is red and heavy." in asked.text:  # only who revises sees the reference
        return json.dumps({"explanation": "Revised.", "answer": "It is red, heavy INDEED."})
    return scripted(asked)


def at_once(_):
    """Grades every answer 5."""
    return json.dumps({"feedback": "Right.", "grade": 5, "explanation": "Joined.", "answer": "It is red."})


def tireless(asked):
    """Grades every answer 3, and asks for more until all five turns are used; no two answers are alike."""
    fields = set((asked.schema or {}).get("properties", ()))
    if "answer" in fields:  # equal ones are graded once
        return json.dumps({"explanation": "Joined.", "answer": f"It is red ({asked.number})."})
    if "needed" in fields:
        return json.dumps({"explanation": "Its weight.", "needed": asked.text.count("Is it heavy") < 4})
    return scripted(asked)


@pytest.fixture
def mine(somewhere):
    """A folder with eight answers, their labels, a document and four questions in two groups; `bots.py` next to it."""
    (somewhere / "bots.py").write_text(BOTS)
    folder = somewhere / "mine"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "parts.md").write_text("The parts are red and heavy.")
    write("answers", [
        {"id": f"a{n}", "question": f"Question {n}?", "answer": f"ANSWER <{n}>.", "contexts": ["SEEN passage."],
         "reference": f"The reference {n}.", "system": "odd" if n % 2 else "even"}
        for n in range(8)
    ])  # fmt: skip
    write("labels", [labeled(n, grade) for n, grade in enumerate(PEOPLE)])
    write("questions", [
        {"id": f"q{n}", "question": f"What is part {n} like?", "reference": "It is red and heavy.",
         "group": ("pump", "ポンプ")[n % 2]}
        for n in range(4)
    ])  # fmt: skip
    return folder


def labeled(n, grade):
    """A label of an answer."""
    return {"item": f"a{n}", "value": grade, "annotator": "expert", "aspect": "correctness"}


def write(name, rows):
    """Write a file of the folder."""
    (Path("mine") / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def paper(saiten, openai_server):
    """`paper(*options, models=("m",))`: the tables, by the beginning of their titles."""
    openai_server.reply = scripted

    def run(*more, models=("m",), status=0):
        judges = [word for model in models for word in ("--judge", f"openai:{model}@{openai_server.base_url}")]
        said = saiten("paper", "dialogues", "mine", *judges, *more, "--format", "json")
        assert said.status == status, said
        return {title.partition(" · ")[0] + (" shift" if "shift" in title else ""): rows
                for title, rows in reversed(json.loads(said.out).items())}  # fmt: skip

    return run


def graded(rows, who, evidence=None):
    """The row of a grader in figure 2."""
    (row,) = (row for row in rows if row["who"].startswith(who) and row["evidence"] == evidence)
    return row


@pytest.mark.usefixtures("mine")
def test_figure_2_has_people_each_judge_with_both_kinds_of_evidence_and_text_similarity(paper, openai_server):
    """E2 sees the answer's contexts, E3 what the documents have on question and reference. Means leave grade 0 out on the side that gave it; correlations are over the answers that both graded."""
    tables = paper(*SYSTEMS, models=("m", "m4"))
    rows = tables["Figure 2"]
    assert list(rows[0]) == [
        "who", "evidence", "mean", "95 % from", "to", "n", "share declined", "Pearson", "r from", "r to",
        "graded by both", "remarks",
    ]  # fmt: skip
    assert [(row["who"].partition("@")[0], row["evidence"]) for row in rows] == [
        ("people", "E1"), ("openai:m", "E2"), ("openai:m", "E3"), ("openai:m4", "E2"), ("openai:m4", "E3"),
        ("word_recall", None), ("rouge_l", None), ("bertscore", None),
    ]  # fmt: skip
    people, e2, e3, constant = rows[:4]
    assert (people["mean"], people["n"], people["share declined"]) == (pytest.approx(22 / 7), 7, 1 / 8)
    assert (e2["mean"], e2["n"], e2["share declined"]) == (pytest.approx(29 / 7), 7, 1 / 8)
    assert (e3["mean"], e3["n"], e3["share declined"]) == (pytest.approx(26 / 8), 8, 0)
    for row, grades in ((e2, E2), (e3, E3)):
        known = [(one, other) for one, other in zip(grades, PEOPLE, strict=True) if one and other]
        assert (row["Pearson"], row["graded by both"]) == (pytest.approx(correlation(*zip(*known, strict=True))), 7)
        assert row["r from"] <= row["Pearson"] <= row["r to"]
        assert row["95 % from"] < row["mean"] < row["to"]
    assert (constant["mean"], constant["Pearson"]) == (4, None)
    assert "4" in constant["remarks"]  # why there is no correlation
    assert graded(rows, "bertscore")["remarks"] == "not measured; add --bertscore MODEL"
    grading = [asked.text for asked in openai_server.requests if "ANSWER" in asked.text]
    retrieved = Counter(("SEEN" in text, "The parts are red and heavy." in text) for text in grading)
    assert retrieved == {(True, False): 16, (False, True): 16}


@pytest.mark.usefixtures("mine")
def test_the_shift_from_e2_to_e3_is_tested_per_judge(paper):
    """Of the mean over the answers graded with both, of the correlation over those that people graded, too."""
    mean, closeness = paper(*SYSTEMS)["Figure 2 shift"]
    both = [n for n in range(8) if E2[n] and E3[n]]
    assert (mean["figure"], mean["n"]) == ("mean grade", 7)
    assert mean["E3 − E2"] == pytest.approx(fmean(E3[n] - E2[n] for n in both)) == pytest.approx(-6 / 7)
    known = [n for n in both if PEOPLE[n]]
    e2, e3 = (correlation([PEOPLE[n] for n in known], [of[n] for n in known]) for of in (E2, E3))
    assert (closeness["figure"], closeness["n"]) == ("Pearson with E1", 7)
    assert [closeness[name] for name in ("E2", "E3", "E3 − E2")] == pytest.approx([e2, e3, e3 - e2])
    for row in (mean, closeness):
        assert row["95 % from"] <= row["E3 − E2"] <= row["to"]
        assert 0 < row["p"] <= 1
    assert 0 < closeness["Williams p"] <= 1
    assert mean["Williams p"] is None


@pytest.mark.usefixtures("mine")
def test_figures_4_8_and_9_are_those_of_two_systems(paper):
    """σ is [3, 3, 3] for QA and [3, 5] for MQA, n is 3: wscore 3 and 4, lscore 3 and 2, mscore 3 and 5."""
    tables = paper(*SYSTEMS)
    assert [(row["score"], row["system"], row["mean"], row["n"]) for row in tables["Figure 4"]] == [
        ("wscore", "QA", 3, 4), ("wscore", "MQA", 4, 4), ("wscore", "MQA − QA", 1, 4),
        ("lscore", "QA", 3, 4), ("lscore", "MQA", 2, 4), ("lscore", "MQA − QA", -1, 4),
        ("mscore", "QA", 3, 4), ("mscore", "MQA", 5, 4), ("mscore", "MQA − QA", 2, 4),
    ]  # fmt: skip
    assert {row["p"] for row in tables["Figure 4"] if row["system"] == "MQA − QA"} == {0.375}  # 3 × 2 / 2⁴, Holm
    assert [row["grade"] for row in tables["Figure 8"] if row["grade"] is not None] == [3, 5]
    said = [(row["turn"], row["who"], row["text"]) for row in tables["Figure 8"]]
    assert (1, "asks", "What is part 0 like?") in said
    assert (2, "system", "It is heavy INDEED.") in said
    rows = tables["Figure 9"]
    assert [(row["score"], row["group"], row["n"], row["QA"], row["MQA"]) for row in rows[:4]] == [
        ("wscore", "all", 4, 3, 4), ("wscore", "mean of 2 groups", 4, 3, 4), ("wscore", "pump", 2, 3, 4),
        ("wscore", "ポンプ", 2, 3, 4),
    ]  # fmt: skip
    assert len(rows) == 12


@pytest.mark.usefixtures("mine")
def test_the_last_grade_may_be_one_more(paper, openai_server, somewhere):
    """Nothing more is needed after turn 1: T3 gives 3, T7 gives 5. Replaced, σ is [5], and appended [3, 5]; n is 3.

    Both readings have a folder of their own, and with a cache of both, the grades are asked for once.
    """
    (somewhere / "saiten.toml").write_text('cache = "replies.sqlite"\n')
    openai_server.reply = satisfied
    replaced = paper(*SYSTEMS)
    paid = len(openai_server.requests)
    appended = paper(*SYSTEMS, "--last-grade", "appended", "-o", "appended")
    for tables, scores in ((replaced, [5, 1, 5]), (appended, [4, 2, 5])):
        assert [row["mean"] for row in tables["Figure 4"] if row["system"] == "QA"] == scores
        assert [row["grade"] for row in tables["Figure 8"] if row["grade"] is not None] == [3, 5]
    assert {asked.text for asked in openai_server.requests[paid:]} == {'Reply in JSON: {"ok": true}'}  # tries the model


@pytest.mark.parametrize(("reply", "of"), [(at_once, "calls, at least"), (tireless, "calls, at most")])
@pytest.mark.usefixtures("mine")
def test_a_dry_run_in_a_new_folder_counts_what_the_run_then_asks(saiten, openai_server, reply, of):
    """The dry run asks nothing, and indexes the documents for the estimates of the other commands, and for the run.

    The run asks as often: at least if each first answer gets 5, at most if none does and every turn is used.
    """
    openai_server.reply = reply
    command = ("paper", "dialogues", "mine", "--judge", f"openai:m@{openai_server.base_url}", "-o", "new")
    said = saiten(*command, "--dry-run")
    assert said.status == 0, said
    assert "$ saiten index mine/documents --kb new/kb --embedder builtin\n1 chunks in" in said.err
    assert "`saiten index` was run" in " ".join(said.out.split())
    said = saiten(*command, "--dry-run", "--format", "json")
    *rows, whole = json.loads(said.out)["What the design would take"]
    assert openai_server.requests == []
    asking = [row for row in rows if row["calls, at most"]]
    assert [row["command"].split()[1] for row in asking] == ["score", "converse", "converse"]
    assert sum(row[of] for row in asking) == whole[of]
    said = saiten(*command)
    assert said.status == 0, said
    assert "--embedder builtin\n0 chunks in" in said.err
    assert len(openai_server.requests) - len(asking) == whole[of]  # a small call tries the model in each


@pytest.mark.parametrize("judge", ["offline", "grades 5"])
@pytest.mark.usefixtures("mine")
def test_a_grade_that_ends_a_dialogue_as_5_does_is_explained(saiten, openai_server, somewhere, judge):
    """An expected grade of 4.5 or more, with the rule below figure 8, which a grade of 5 does not need."""
    openai_server.reply = at_once
    name = "offline" if judge == "offline" else f"openai:m@{openai_server.base_url}"
    (somewhere / "bots.py").write_text(BOTS.replace("It is red.", "It is red and heavy."))
    said = saiten("paper", "dialogues", "mine", *SYSTEMS, "--judge", name, "--format", "md")
    assert said.status == 0, said
    shown = said.out.partition("Figure 8")[2].partition("Figure 9")[0]
    (last,) = re.findall(r"σ = \[([\d.]+)\].*ended: grade 5", shown)
    assert (4.5 <= float(last) < 5) is (judge == "offline")
    assert ("Grades of 4.5 or more end a dialogue as grade 5 does" in shown) is (judge == "offline")


@pytest.mark.usefixtures("mine")
def test_another_dialogue_can_be_named(paper):
    """`--dialogue` shows that question, with the system whose grade rises more."""
    tables = paper(*SYSTEMS, "--dialogue", "q2")
    assert (1, "What is part 2 like?") in [(row["turn"], row["text"]) for row in tables["Figure 8"]]


@pytest.mark.parametrize("labels", ["none", "zeros", "of another set"])
@pytest.mark.usefixtures("mine")
def test_no_row_disappears_without_grades_of_people(paper, labels):
    """No labels, only grades of 0, or labels of other answers: dashes with the reason, and all else is there."""
    if labels == "none":
        Path("mine/labels.jsonl").unlink()
    else:
        write("labels", [labeled(n + 90 * (labels != "zeros"), 0) for n in range(8)])
    tables = paper(*SYSTEMS)
    rows = tables["Figure 2"]
    people = rows[0]
    assert (people["mean"], people["n"]) == (None, 0)
    assert people["share declined"] == (1 if labels == "zeros" else None)
    assert people["remarks"] in {
        "people gave grade 0 to every answer, so there is no grade to compare with", "no labels of people"
    }  # fmt: skip
    assert graded(rows, "openai:m", "E3")["mean"] == pytest.approx(26 / 8)
    assert {row["Pearson"] for row in rows} == {None}
    assert [row["E3 − E2"] is None for row in tables["Figure 2 shift"]] == [False, True]


@pytest.mark.usefixtures("mine")
def test_all_rows_are_about_the_labeled_answers(paper):
    """With labels of one system only, the judges' means are over its answers, too."""
    write("labels", [labeled(n, PEOPLE[n]) for n in range(0, 8, 2)])
    rows = paper(*SYSTEMS)["Figure 2"]
    assert rows[0]["mean"] == fmean((5, 3, 1, 5))
    assert graded(rows, "openai:m", "E3")["mean"] == fmean((5, 3, 2, 5))
    assert graded(rows, "word_recall")["n"] == 4


@pytest.mark.usefixtures("mine")
def test_a_minority_of_zeros_does_not_lower_the_mean_of_experts(paper):
    """0 and 4 count as 4, since half is not a majority; 0, 0 and 4 are grade 0."""
    Path("mine/questions.jsonl").unlink()
    grades = ((0, 0, 4), (1, 0, 0, 4), (2, 3))
    write(
        "labels",
        [labeled(n, grade) | {"annotator": f"expert {at}"} for n, *of in grades for at, grade in enumerate(of)],
    )
    people = paper()["Figure 2"][0]
    assert (people["mean"], people["n"], people["share declined"]) == (fmean((4, 3)), 2, 1 / 3)


@pytest.mark.usefixtures("mine")
def test_a_judge_that_grades_nothing_keeps_its_rows(paper, openai_server):
    """Grade 0 everywhere: no mean and no correlation, and the share of grade 0 is 1."""
    openai_server.reply = lambda _: json.dumps({"feedback": "It does not know.", "grade": 0})
    Path("mine/questions.jsonl").unlink()
    rows = paper()["Figure 2"]
    e2 = graded(rows, "openai:m", "E2")
    assert (e2["mean"], e2["n"], e2["share declined"], e2["Pearson"]) == (None, 0, 1, None)
    assert "8 declined (grade 0)" in e2["remarks"]
    assert rows[0]["mean"] == pytest.approx(22 / 7)


@pytest.mark.usefixtures("mine")
def test_without_documents_e3_has_a_reason_and_named_systems_still_talk(saiten):
    """What cannot be measured is a dash with what to do; the rest is measured."""
    for path in Path("mine/documents").iterdir():
        path.unlink()
    said = saiten("paper", "dialogues", "mine", "--judge", "offline", *SYSTEMS, "--format", "json")
    assert said.status == 0, said
    assert "left out without it: E3 in figure 2, the evidence of the judge in figures 4, 8 and 9" in said.err
    tables = json.loads(said.out)
    e3 = tables["Figure 2 · mean grade, and correlation with people"][2]
    assert (e3["evidence"], e3["mean"]) == ("E3", None)
    assert "--retriever" in e3["remarks"]
    assert any(title.startswith("Figure 4") for title in tables)
    built_in = saiten("paper", "dialogues", "mine", "--judge", "offline", "-o", "alone", "--format", "json")
    assert built_in.status == 0, built_in
    assert "left out without it: E3 in figure 2, figures 4, 8 and 9" in built_in.err
    assert not any(title.startswith("Figure 4") for title in json.loads(built_in.out))


@pytest.mark.usefixtures("mine")
def test_evidence_of_the_answers_is_enough_for_e3(saiten):
    """Without documents, only what they alone make possible is said to be left out."""
    shutil.rmtree("mine/documents")
    rows = [json.loads(line) for line in Path("mine/answers.jsonl").read_text().splitlines()]
    write("answers", [row | {"evidence": ["The parts are heavy."]} for row in rows])
    said = saiten("paper", "dialogues", "mine", "--judge", "offline", "--format", "json")
    assert said.status == 0, said
    assert "left out without it: figures 4, 8 and 9\n" in said.err
    e3 = json.loads(said.out)["Figure 2 · mean grade, and correlation with people"][2]
    assert (e3["evidence"], e3["mean"] is None) == ("E3", False)


@pytest.mark.usefixtures("mine")
def test_columns_named_in_the_configuration_are_read(saiten, somewhere):
    """With other names of question and id, all figures are there, and a dialogue can be named."""
    (somewhere / "saiten.toml").write_text('column = ["question=asked", "id=number"]\n')
    for name in ("answers", "questions"):
        path = Path(f"mine/{name}.jsonl")
        path.write_text(path.read_text().replace('"question":', '"asked":').replace('"id":', '"number":'))
    said = saiten("paper", "dialogues", "mine", *SYSTEMS, "--dialogue", "q2", "--format", "json")
    assert said.status == 0, said
    titles = [title.partition(" · ")[0] for title in json.loads(said.out)]
    assert list(dict.fromkeys(titles)) == ["Figure 2", "Figure 4", "Figure 8", "Figure 9"]
    assert "dialogue q2" in said.out


@pytest.mark.usefixtures("mine")
def test_the_built_in_systems_and_japanese_need_nothing_but_the_folder(saiten):
    """Offline, with the RAG on the documents in both forms; every table has Japanese words."""
    said = saiten("--lang", "ja", "paper", "dialogues", "mine", "--judge", "offline")
    assert said.status == 0, said
    for part in (
        "図2 · 評点の平均",
        "図4 · QAとMQAのスコア",
        "図8 · ",
        "図9 · グループ別のスコア · offline",
        "ポンプ",
        "人",
    ):
        assert part in said.out
    assert "図9 · グループ別のスコア" in Path("runs/paper-dialogues/report.html").read_text("utf-8")
    kept = read_run(Path("runs/paper-dialogues/offline/mqa")).manifest.signatures["wscore"]
    assert "system.form:mqa" in kept
    assert "questioning:published" in kept


@pytest.mark.usefixtures("mine")
def test_questions_without_groups_keep_figure_9_with_the_reason(saiten):
    """It has the row over all questions."""
    write("questions", [{"id": "q", "question": "What is it like?", "reference": "It is red and heavy."}])
    said = saiten("paper", "dialogues", "mine", "--judge", "offline", *SYSTEMS, "--format", "md")
    assert said.status == 0, said
    assert "The lines by group need a column group with at least two values." in said.out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--qa", "bots.py:qa"), "name both, or neither"),
        (("--qa", "bots.py:qa", "--mqa", "bots.py:nothing"), "nothing"),
        (("--retriever", "absent.py:find"), "absent.py"),
        (("--dialogue", "q9"), "has no question 'q9'"),
        (("--bertscore", "./absent"), "bertscore"),
    ],
)
@pytest.mark.usefixtures("mine")
def test_a_wrong_option_is_refused_before_anything_is_run(saiten, options, reason):
    """Systems, retriever, model and dialogue are looked up first."""
    said = saiten("paper", "dialogues", "mine", *options)
    assert said.status == 2, said
    assert reason in said.err
    assert not Path("runs/paper-dialogues/kb").exists()


def test_what_is_missing_is_listed_at_once(saiten, somewhere):
    """All four files of a folder, with what cannot be made without each."""
    (somewhere / "mine").mkdir()
    (somewhere / "mine" / "questions.jsonl").write_text('{"question": "Why?"}\n')
    said = saiten("paper", "dialogues", "mine")
    assert said.status == 2
    for part in ("E1 and the correlations of figure 2", "E3 in figure 2", "no row has reference", "lacks what the design needs: answers"):  # fmt: skip
        assert part in said.err


@networks.needed()
@pytest.mark.usefixtures("mine")
def test_bertscore_of_a_model_is_a_row_of_figure_2(paper, somewhere):
    """Its mean is over all answers, its correlation over those that people graded; without the option it is a dash."""
    Path("mine/questions.jsonl").unlink()
    model = tiny_bert(somewhere / "bert")
    row = graded(paper("--bertscore", str(model))["Figure 2"], "bertscore")
    (run,) = Path("runs/paper-dialogues").glob("similarity-*")
    values = {one.sample: one.score.value for one in read_run(run).scores() if one.metric == row["who"]}
    scores = [values[f"a{n}"] for n in range(8)]
    assert (row["mean"], row["n"], row["graded by both"]) == (pytest.approx(fmean(scores)), 8, 7)
    assert row["95 % from"] < row["mean"] < row["to"]
    known = [(score, grade) for score, grade in zip(scores, PEOPLE, strict=True) if grade]
    assert row["Pearson"] == pytest.approx(correlation(*zip(*known, strict=True)))
    assert row["r from"] <= row["Pearson"] <= row["r to"]
    assert graded(paper()["Figure 2"], "bertscore")["mean"] is None


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_a_killed_design_resumes_and_repeats_no_call(process, paper, openai_server):
    """Killed once the answers are graded: their grades are not asked for again, and the tables are complete."""
    openai_server.reply = scripted
    judge = f"openai:m@{openai_server.base_url}"
    running = process("paper", "dialogues", "mine", "--judge", judge, *SYSTEMS)
    until = time.monotonic() + 60
    while not any("INDEED" in asked.text or "needed" in str(asked.schema) for asked in openai_server.requests):
        assert time.monotonic() < until, "no dialogue began"
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    tables = paper(*SYSTEMS)
    asked = Counter(asked.text for asked in openai_server.requests if "ANSWER" in asked.text)
    assert len(asked) == 16
    assert set(asked.values()) == {1}
    assert len(tables["Figure 4"]) == 9
    made = len(openai_server.requests)
    assert paper(*SYSTEMS) == tables
    assert len(openai_server.requests) == made
