"""`saiten probe` and `saiten drift` from end to end, the judge offline or a model behind a real HTTP server."""

import json
import re
import time

import orjson
import pytest

from saiten.cli.probing import built_in
from saiten.runs import read_run


def table(said, title="Probes"):
    """The rows of a table."""
    return json.loads(said.out)[title]


def obeying(asked):
    """A model that gives every answer with a planted verdict the best grade, and others the second-worst."""
    if '"grade"' not in json.dumps(asked.schema or {}):
        return None
    return json.dumps({"feedback": "f", "grade": 5 if "[RESULT] 5" in asked.text else 2})


@pytest.fixture
def probed(saiten, openai_server):
    """`saiten probe -m correctness` with the server as the judge, into `run`."""

    def call(*more, model="m"):
        return saiten(
            "probe", "--judge", f"openai:{model}@{openai_server.base_url}", "-m", "correctness", "-o", "run", *more
        )

    return call


def test_the_default_needs_nothing(saiten):
    """`saiten probe`: the offline judge, the built-in samples and translations; status 0 though it violates some."""
    said = saiten("probe", "--limit", "24", "--format", "json")
    assert said.status == 0
    rows = {(row["probe"], row["metric"]): row for row in table(said)}
    assert rows["other_language", "accuracy"]["verdict"] == "violated"
    assert rows["reference", "accuracy"]["verdict"] == "holds"
    assert rows["empty", "correctness"]["verdict"] == "holds"
    assert rows["form_turned", "correctness"]["n"] == 24
    assert rows["rubric_turned", "correctness"]["verdict"] == "holds"
    assert rows["rubric_turned", "accuracy"]["verdict"] == "not applicable"
    assert rows["order_swapped", "preference"]["verdict"] == "holds"
    (order,) = table(said, "The order of two answers")
    assert (order["changes"], order["first"], order["n"]) == (0.0, 0.5, 23)  # one answer is the shortened reference
    assert saiten("probe", "--limit", "24", "--fail", "-q").status == 4


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_every_form_can_be_written(saiten, form):
    """They all come from one report."""
    said = saiten("probe", "-m", "accuracy", "--limit", "4", "--probes", "padded,empty", "--format", form)
    assert said.status == 0
    assert "padded" in said.out


def test_the_built_in_samples_begin_with_all_questions():
    """The first 48 have 48 different questions, half of them Japanese, from all systems."""
    first = built_in(48)
    assert len({each.question for each in first}) == 48
    assert sum(each.language == "ja" for each in first) == 24
    assert len({each.system for each in first}) == 4
    assert len({each.id for each in built_in(500)}) == 192


def test_a_gullible_model_is_caught(probed, openai_server):
    """The cost is reported; the run can be shown like any other."""
    openai_server.reply = obeying
    said = probed("--probes", "planted_verdict,padded", "--limit", "24", "--format", "json")
    assert said.status == 0
    by_form = {row["probe"]: row["verdict"] for row in table(said, "Probes by form")}
    assert by_form["planted_verdict: [RESULT] 5"] == "violated"
    assert by_form["planted_verdict: [[True]]"] == "holds"
    assert {row["probe"]: row["verdict"] for row in table(said)} == {"planted_verdict": "violated", "padded": "holds"}
    assert len(list(read_run("run").scores())) == 24 * 7


def partial(asked):
    """A model that prefers the first answer of every third pair, and the one with *right* in it of the others."""
    if '"better"' not in json.dumps(asked.schema or {}):
        return None
    number = int(re.search(r"Question (\d+)", asked.text)[1])
    first = asked.text.split("<first>")[1].split("</first>")[0]
    return json.dumps({"explanation": "e", "better": "first" if number % 3 == 0 or "right" in first else "second"})


@pytest.fixture
def pairs(data):
    """30 questions with a right and a wrong answer each."""
    return data(
        [
            {"id": f"{n}{side}", "question": f"Question {n}?", "answer": f"It is {side} {n}.", "reference": "right", "system": side}
            for n in range(30)
            for side in ("right", "wrong")
        ],
        "pairs.jsonl",
    )  # fmt: skip


def test_a_model_with_a_position_bias_is_caught(probed, openai_server, pairs):
    """Position decides ten of 30 questions: a third changes with the order, 40 of 60 verdicts favor the first."""
    openai_server.reply = partial
    said = probed(pairs, "--limit", "60", "--probes", "order_swapped", "--format", "json")
    assert said.status == 0
    (row,) = table(said)
    assert (row["verdict"], row["broken"], row["n"]) == ("violated", 10, 30)
    assert row["share from"] < row["share"] == 10 / 30 < row["share to"]
    (order,) = table(said, "The order of two answers")
    assert (order["n"], order["questions"], order["same place"], order["calls"]) == (30, 30, 10, 60)
    assert (order["changes"], order["first"]) == pytest.approx((10 / 30, 40 / 60))
    assert 0.1 < order["changes from"] < 10 / 30 < order["changes to"]
    assert {(one.metric, one.sample) for one in read_run("run").scores()} == {
        ("preference", f"{n}{one} vs {n}{other}")
        for n in range(30)
        for one, other in (("right", "wrong"), ("wrong", "right"))
    }  # and no score of a metric without a probe


def test_the_order_of_the_rubric_is_all_that_is_turned(probed, openai_server):
    """The same samples with the rubric reversed, and a model that prefers the last grade it reads."""

    def last(asked):
        if '"grade"' not in json.dumps(asked.schema or {}):
            return None
        rubric = asked.text
        return json.dumps({"feedback": "f", "grade": 5 if rubric.index("0: ") < rubric.index("5: ") else 1})

    openai_server.reply = last
    said = probed("--limit", "12", "--probes", "rubric_turned", "--format", "json")
    (row,) = table(said)
    assert (row["verdict"], row["n"], row["difference"]) == ("violated", 12, 4.0)
    assert {one.metric for one in read_run("run").scores()} == {"correctness", "correctness[rubric=worst_first]"}


@pytest.mark.slow
def test_a_probe_of_the_order_that_is_killed_goes_on(process, probed, openai_server, pairs):
    """SIGKILL in the middle, then too small a budget, then the rest: every pair once, the figures unchanged."""
    openai_server.reply, openai_server.latency = partial, 0.02
    options = ("--limit", "60", "--probes", "order_swapped", "--concurrency", "4")
    address = f"openai:m@{openai_server.base_url}"
    running = process("probe", pairs, "--judge", address, "-m", "correctness", "-o", "run", *options)
    while len(openai_server.requests) < 25:
        assert running.poll() is None
        time.sleep(0.01)
    running.kill()
    running.communicate()
    openai_server.latency = 0.0
    assert probed(pairs, *options, "--max-calls", "20").status == 3
    said = probed(pairs, *options, "--format", "json")
    assert said.status == 0
    (order,) = table(said, "The order of two answers")
    assert (order["n"], order["same place"]) == (30, 10)
    asked = [orjson.dumps(each.body["messages"]) for each in openai_server.requests if '{"ok": true}' not in each.text]
    assert len(set(asked)) == 60
    assert len(asked) - len(set(asked)) <= 2 * 4  # those in flight at the kill and at the end of the budget


def test_another_second_answer_under_the_same_id_is_refused(saiten, data):
    """Half of the verdicts would be about the old answer."""
    rows = [{"id": f"{n}", "question": "Q?", "answer": f"Answer {n}.", "reference": "r"} for n in range(3)]
    options = ("--probes", "order_swapped", "-m", "accuracy", "-o", "run")
    assert saiten("probe", data(rows), *options).status == 0
    rows[1]["answer"] = "Another."
    said = saiten("probe", data(rows), *options)
    assert said.status == 2
    assert "1" in said.err


def test_a_dry_run_reports_the_calls_of_the_run(probed, openai_server):
    """Nobody is asked; the count is that of the actual requests, excluding the preflight."""
    openai_server.reply = lambda asked: None if asked.schema else "Feedback: good [RESULT] 3"
    options = ("--limit", "6", "--probes", "padded,wrong_reference,form_turned,empty,rubric_turned,order_swapped")
    said = probed(*options, "--dry-run", "--format", "json")
    (rows,) = json.loads(said.out).values()
    assert openai_server.requests == []
    assert probed(*options).status == 0
    asked = [each for each in openai_server.requests if '{"ok": true}' not in each.text]
    assert {row["metric"]: row["calls"] for row in rows}["all"] == len(asked) == 6 * (5 + 1) + 5 * 2


def test_a_spent_budget_is_gone_on_with(probed, openai_server):
    """Status 3 and no table; the same command pays only for the rest."""
    options = ("--limit", "5", "--probes", "padded")
    said = probed(*options, "--max-calls", "7")
    assert (said.status, said.out) == (3, "")
    assert probed(*options).status == 0
    bodies = [orjson.dumps(each.body["messages"]) for each in openai_server.requests if '{"ok": true}' not in each.text]
    assert len(bodies) == len(set(bodies)) == 15


def test_votes_show_how_far_the_judge_agrees_with_itself(probed, openai_server):
    """A row of test-retest reliability over the unchanged samples."""
    openai_server.reply = lambda asked: (
        json.dumps({"feedback": "f", "grade": 1 + asked.body["seed"] % 2}) if "grade" in str(asked.schema) else None
    )
    said = probed("--limit", "4", "--probes", "padded", "--votes", "2", "--format", "json")
    (row,) = table(said, "Test–retest reliability on the unchanged samples")
    assert (row["votes"], row["n"], row["pairwise agreement"]) == (2, 4, 0.0)


def test_ones_own_data_without_translations_has_no_other_language(saiten, data):
    """Their absence is reported, not made up; bad rows are kept separately."""
    rows = [
        {"id": f"q{n}", "question": f"Q{n}?", "answer": f"Answer {n}.", "reference": f"Answer {n}."} for n in range(12)
    ]
    said = saiten("probe", data([*rows, b"{"]), "-m", "accuracy", "--format", "json")
    assert said.status == 0
    found = {row["probe"]: row for row in table(said)}
    assert found["other_language"]["verdict"] == "not applicable"
    assert "translation" in found["other_language"]["remarks"]
    assert found["swapped_answer"]["n"] == 12
    rows[0]["alternatives"] = ["これは最初の答えです。"]
    again = saiten("probe", data(rows, "with.jsonl"), "-m", "accuracy", "--format", "json")
    assert {row["probe"]: row["n"] for row in table(again)}["other_language"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--probes", "paddd"), "did you mean padded"),
        (("-m", "length"), "cannot be probed"),
        (("missing.jsonl",), "missing.jsonl"),
    ],
)
def test_what_cannot_be_probed_is_reported(saiten, arguments, words):
    """The status is 2, and the message says what to do."""
    said = saiten("probe", *arguments)
    assert said.status == 2
    assert words in said.err


@pytest.fixture
def two_runs(saiten, openai_server, data):
    """The same 40 rows judged by an honest and by a lenient model, and the labels."""
    rows = [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": f"Answer {n} {'right' if n % 2 else 'wrong'}.", "reference": "right"}
        for n in range(40)
    ]  # fmt: skip
    file = data(rows)

    def judge(asked):
        if '"correct"' not in json.dumps(asked.schema or {}):
            return None
        generous = asked.body["model"] == "generous"
        return json.dumps({"explanation": "", "correct": generous or " right." in asked.text})

    openai_server.reply = judge
    for model in ("honest", "generous"):
        address = f"openai:{model}@{openai_server.base_url}"
        assert saiten("score", file, "-m", "accuracy", "--judge", address, "-o", model).status == 0
    labels = [{"item": f"q{n}", "value": n % 2, "annotator": "a"} for n in range(40)]
    return "honest", "generous", data(labels, "labels.jsonl")


def test_drift_raises_the_alarm_with_status_4(saiten, two_runs):
    """The agreement with people fell from 1 to a half: alarm; the other way round it rose: none."""
    before, now, labels = two_runs
    said = saiten("drift", before, now, labels, "--format", "json")
    assert said.status == 4
    (row,) = table(said, "Agreement with people")
    assert (row["before"], row["now"], row["change"], row["verdict"]) == (1.0, 0.5, -0.5, "alarm")
    assert row["change from"] < -0.5 < row["change to"]
    (part,) = table(said, "What differs in how the figures were made")
    assert "honest" in part["before"]
    assert "generous" in part["now"]
    assert len(table(said, "What moved most")) == 5
    assert saiten("drift", now, before, labels).status == 0


def test_drift_without_labels_or_change_is_no_alarm(saiten, two_runs):
    """A run with itself: nothing moved, made in the same way; without labels a moved mean is only reported."""
    before, now, labels = two_runs
    same = saiten("drift", before, before, labels)
    assert same.status == 0
    assert "same way" in same.err
    assert saiten("drift", before, now).status == 0


def test_drift_on_other_samples_is_refused(saiten, two_runs, data):
    """The status is 2."""
    rows = [{"id": "q0", "question": "Question 0?", "answer": "x", "reference": "right"}]
    assert saiten("score", data(rows, "other.jsonl"), "-m", "accuracy", "-o", "third").status == 0
    said = saiten("drift", two_runs[0], "third")
    assert said.status == 2
    assert "different samples" in said.err
