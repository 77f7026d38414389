"""`saiten converse`, and how `show` and `compare` present its runs."""

import json
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from answer_service import AnswerService
from saiten.results.compare import compare_sides, sides_of
from saiten.results.dialogue_comparison import _distinct
from saiten.results.verdict import higher_is_better, verdict_of
from saiten.runs import read_run
from servers import Fault, instance

BOT = """
def answer(question, id, history):
    n = int(id[1:])
    if id == "q5" and history: raise LookupError("no such page")
    if id == "q7": raise TimeoutError("slow")
    print("thinking")
    if len(history) < n % 3: return "There are several options."
    return f"Option {n} removes duplicate rows from the result and keeps the first."

def better(question, id, history):
    return f"Option {id[1:]} removes duplicate rows from the result and keeps the first."
"""


@pytest.fixture(autouse=True)
def bot(somewhere, monkeypatch):
    """A system in a file."""
    monkeypatch.delenv("SAITEN_SYSTEM_KEY", raising=False)
    (somewhere / "bot.py").write_text(BOT)


@pytest.fixture
def service():
    """A service on loopback that speaks the JSON contract."""
    with AnswerService() as server:
        server.reply = lambda asked: f"There is a part {len(asked.body['history'])}."
        yield server


def pairs(n):
    """Rows with a question and a reference, of two products."""
    return [
        {
            "id": f"q{i}",
            "question": f"What does option {i} do?",
            "reference": f"Option {i} removes duplicate rows from the result and keeps the first. The log counts them.",
            "group": ("Db2", "分析基盤")[i % 2],
        }
        for i in range(n)
    ]


def lines(name, folder="run"):
    """The objects in a file of the run."""
    return [json.loads(line) for line in (Path(folder) / name).read_text(encoding="utf-8").splitlines()]


def talks(folder="run"):
    """ID → dialogue; each ID once."""
    found = {line["id"]: line for line in lines("dialogues.jsonl", folder)}
    assert len(found) == len(lines("dialogues.jsonl", folder))
    return found


def test_a_run_from_the_first_question_to_the_summary(saiten, data):
    """Scores with intervals, overall and per group; how the dialogues ended, the causes of failures; leak; latency.

    Output printed by the system's own code is not part of the result.
    """
    said = saiten("converse", data(pairs(8)), "--system", "bot.py:answer", "-o", "run", "--format", "json")
    assert said.status == 0, said
    tables = json.loads(said.out)
    assert {row["metric"] for row in tables["Scores"]} == {"wscore", "lscore", "mscore", "leak"}
    assert {(row["n"], row["of"]) for row in tables["Scores"]} == {(6, 8)}
    assert {row["group"] for row in tables["By group"]} == {"Db2", "分析基盤"}
    ended = {row["ended"]: row["dialogues"] for row in tables["How the dialogues ended"]}
    assert ended.pop("failed: the system failed") == 1
    assert ended.pop("failed: the system did not answer in time") == 1
    assert sum(ended.values()) == 6
    (leak,) = tables["Leak check"]
    assert (leak["dialogues"], leak["stating questions"]) == (6, 0)
    system, agents = tables["What it took"]
    assert (system["answers"], system["n"]) == (len(lines("turns.jsonl")), len(lines("turns.jsonl")))
    assert agents["calls"] == 0
    assert [row["metric"] for row in tables["Why scores are missing"]] == ["wscore"] * 2
    assert "thinking" in said.err


def test_the_column_evidence_is_what_the_grader_sees_before_anything_from_a_knowledge_base(saiten, data, somewhere):
    """A pair's own evidence goes first, as in `score`; pairs without it get what --kb finds."""
    (somewhere / "notes.md").write_text("Option 1 removes duplicate rows.")
    assert saiten("index", "notes.md", "--kb", "kb").status == 0
    rows = pairs(2)
    rows[0]["evidence"] = ["The manual: option 0 removes duplicates."]
    assert saiten("converse", data(rows), "--system", "bot.py:better", "-o", "run", "--kb", "kb").status == 0
    seen = {name: [each["text"] for each in talk["evidence"]["passages"]] for name, talk in talks().items()}
    assert seen == {"q0": ["The manual: option 0 removes duplicates."], "q1": ["Option 1 removes duplicate rows."]}
    own = [{**row, "evidence": "Its own."} for row in rows]
    assert saiten("converse", data(own), "--system", "bot.py:better", "-o", "own").status == 0
    assert {each["text"] for talk in talks("own").values() for each in talk["evidence"]["passages"]} == {"Its own."}


@pytest.mark.parametrize("system", ["bot.py:better", "rag:kb"])
def test_evidence_is_retrieved_as_retrieval_says(saiten, data, somewhere, system):
    """By terms, only the passage that shares a word is found; it was always dense, whatever --retrieval said."""
    (somewhere / "one.md").write_text("Removes: option, duplicate rows, result.")
    (somewhere / "two.md").write_text("Ganz anderes steht hier.")
    assert saiten("index", "one.md", "two.md", "--kb", "kb").status == 0
    for retrieval, texts in (("bm25", 1), ("dense", 2)):
        said = saiten("converse", data(pairs(1)), "--system", system, "-o", retrieval, "--kb", "kb", "--retrieval", retrieval)  # fmt: skip
        assert said.status == 0, said
        assert len(talks(retrieval)["q0"]["evidence"]["passages"]) == texts
        kept = json.loads((Path(retrieval) / "manifest.json").read_text())
        assert f"retrieval={retrieval}" in kept["signatures"]["wscore"]


def test_the_summary_says_whether_the_grader_saw_evidence(saiten, data):
    """Without --kb it sees none."""
    said = saiten("converse", data(pairs(1)), "--system", "bot.py:answer", "-o", "run", "-q")
    assert "The grader saw only the reference, no evidence." in said.out


def test_a_dialogue_is_read_in_the_terminal_and_by_programs(saiten, data, monkeypatch):
    """The questions, the answers, the grades in the margin; a failure with the question where it occurred."""
    saiten("converse", data(pairs(6)), "--system", "bot.py:answer", "-o", "run", "-q")
    for width in ("80", "120"):
        monkeypatch.setenv("COLUMNS", width)
        text = saiten("show", "run", "--dialogue", "q2").out
        for part in ("What does option 2 do?", "turn 3", "There are several options.", "σ = [", "reference", "review"):
            assert part in text
        assert max(map(len, text.splitlines())) <= int(width)
    failed = saiten("show", "run", "--dialogue", "q5").out
    assert "ended: failed" in failed
    assert "no such page" in failed
    assert "turn 2" in failed
    found = json.loads(saiten("show", "run", "--dialogue", "q2", "--format", "json").out)
    assert [step["name"] for step in found["steps"]][:3] == ["T1", "T2", "T3"]
    said = saiten("show", "run", "--dialogue", "zz")
    assert (said.status, "no dialogue 'zz'" in said.err) == (2, True)
    assert saiten("show", "run", "--dialogue", "q2", "--format", "html").status == 2


def test_no_answer_can_touch_the_terminal(saiten, data, service):
    """Whatever system and pair say."""
    evil = "Fine.\x1b[2J\x1b[31m [red]x[/red] \x9b1m\x07 <script>alert(1)</script>"
    service.reply = lambda _: evil
    rows = [
        {"id": f"e\x1b[31m{n}", "question": f"{evil}{n}", "reference": evil, "group": f"{evil}{n}"} for n in range(2)
    ]
    for run in ("one", "two"):
        assert saiten("converse", data(rows), "--system", service.url, "-o", run, "-q").status == 0
    for command in (("show", "one"), ("show", "one", "--dialogue", "e\x1b[31m0"), ("compare", "one", "two")):
        for form in ("table", "json"):
            said = saiten(*command, "--format", form)
            assert said.status == 0
            assert not {c for c in said.out + said.err if (ord(c) < 0x20 and c not in "\n\r") or 0x7F <= ord(c) < 0xA0}
    assert "<script>alert" not in saiten("compare", "one", "two", "--format", "html").out


def test_an_http_system_is_driven_as_a_user_would(saiten, data, service):
    """One session a dialogue, its cookie sent back, the history along; two runs share no session."""
    service.reply = lambda asked: Fault(
        200, {"answer": f"part {asked.number}"}, {"Set-Cookie": f"who={asked.body['session'].partition('/')[2]}"}
    )
    for run in ("run", "again"):
        assert saiten("converse", data(pairs(3)), "--system", service.url, "-o", run, "--max-turns", "2").status == 0
    for one in service.requests:
        session, history = one.body["session"], one.body["history"]
        assert one.headers["X-Session-Id"] == session
        assert session.endswith(f"/{one.body['id']}")
        assert ("Cookie" in one.headers) == bool(history)
        if history:
            assert one.headers["Cookie"] == f"who={one.body['id']}"
            assert history[0]["question"].startswith("What does option")
    assert len({one.body["session"] for one in service.requests}) == 6
    assert {one["session"] for one in talks("run").values()}.isdisjoint(
        one["session"] for one in talks("again").values()
    )


def test_what_failed_is_gone_on_with(saiten, data, service):
    """Timeouts and errors are distinguished; --retry-failed asks only from the failed turn on."""
    service.reply = lambda asked: Fault(500, "down") if asked.body["history"] else "There is a part."
    arguments = ("converse", data(pairs(2)), "--system", service.url, "-o", "run", "-q")
    assert saiten(*arguments).status == 6  # every dialogue failed
    assert {line["fault"] for line in lines("dialogues.jsonl")} == {"system"}
    asked = len(service.asked)
    saiten(*arguments)
    assert len(service.asked) == asked
    service.reply = lambda _: "Option 0 or 1 removes duplicate rows and keeps the first. The log counts them."
    assert saiten(*arguments, "--retry-failed").status == 0
    again = service.asked[asked:]
    assert all(one["history"] for one in again)
    assert {line["id"]: line["ended"] for line in lines("dialogues.jsonl")}["q0"] != "failed"


@pytest.mark.slow
def test_a_killed_run_asks_nothing_twice_that_was_answered(process, data, service):
    """SIGKILL at random moments: recorded answers are not asked for again, and every dialogue ends once."""
    dice = random.Random(20261121)
    service.latency = 0.02
    file = data(pairs(24))
    command = (
        "converse",
        file,
        "--system",
        service.url,
        "-o",
        "run",
        "-q",
        "--max-turns",
        "4",
        "--system-concurrency",
        "4",
    )
    kills = 0
    for attempt in range(20):
        known = (
            {(line["session"], line["question"]) for line in lines("turns.jsonl")}
            if Path("run/turns.jsonl").exists()
            else set()
        )
        before = len(service.asked)
        running = process(*command)
        if attempt < 3:
            enough = before + dice.randrange(2, 16)
            while len(service.asked) < enough and running.poll() is None:
                time.sleep(0.005)
            running.send_signal(signal.SIGKILL)
            running.wait()
            kills += 1
        else:
            assert running.wait() == 0, running.stderr.read()
        new = {(one["session"], one["question"]) for one in service.asked[before:]}
        assert not new & known
        if attempt >= 3:
            break
    asked = Counter((one["session"], len(one["history"])) for one in service.asked)
    assert sum(asked.values()) - len(asked) <= 4 * kills  # what was in flight
    assert len(talks()) == 24
    assert len({session for session, _ in asked}) == 24


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_said(process, data, service):
    """The status is 130, and the same command resumes the run."""
    service.latency = 0.05
    command = ("converse", data(pairs(40)), "--system", service.url, "-o", "run", "-q", "--system-concurrency", "2")
    running = process(*command)
    while len(service.asked) < 5:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    assert running.returncode == 130
    assert b"re-run the command to resume" in err
    assert Path("run/turns.jsonl").stat().st_size


def judged(asked):
    """A judge that is never satisfied and asks something new each time."""
    reply = instance(asked.body["response_format"]["json_schema"]["schema"])
    changed = {"grade": 3, "question": f"And part {asked.number}?", "answer": f"Part {asked.number}."}
    return json.dumps(reply | {name: value for name, value in changed.items() if name in reply})


def test_a_spent_budget_stops_and_the_rest_is_asked_later(saiten, data, openai_server):
    """The status is 3; over both runs each judge call is made once: 4 n - 2 per dialogue and one to try the server."""
    openai_server.reply = judged
    command = ("converse", data(pairs(3)), "--system", "bot.py:better", "--judge", f"openai:m@{openai_server.base_url}", "-o", "run", "--max-turns", "3", "-q")  # fmt: skip
    said = saiten(*command, "--max-calls", "12")
    assert said.status == 3
    assert "stopped" in said.err
    assert saiten(*command).status == 0
    assert len(talks()) == 3
    grades = {tuple(line["grades"]) for line in talks().values()}
    assert grades == {(3, 3, 3)}
    assert {line["ended"] for line in talks().values()} == {"turn limit"}
    assert len(openai_server.requests) <= 3 * 11 + 2


@pytest.mark.parametrize(("questioning", "most"), [("merged", 3 * 5 + 2), ("published", 4 * 5 + 1)])
def test_a_dry_run_reports_the_least_and_the_most(saiten, data, openai_server, questioning, most):
    """At least 2 calls per dialogue, at most 3 n + 2, or 4 n + 1 as published; nobody is asked, nothing is written."""
    said = saiten("converse", data(pairs(3)), "--system", "bot.py:answer", "-o", "run", "--dry-run", "--judge", f"openai:m@{openai_server.base_url}", "--questioning", questioning, "--format", "json")  # fmt: skip
    ((few, many),) = json.loads(said.out).values()
    assert (few["questions to the system"], few["calls"]) == (3, 6)
    assert (many["questions to the system"], many["calls"]) == (15, 3 * most)
    assert many["prompt tokens"] > few["prompt tokens"] > 0
    assert not openai_server.requests
    assert not Path("run").exists()


def test_a_dry_run_names_the_price(saiten, data, somewhere):
    """The least and the most have a cost if the judge's price is known, and the page says where it is from."""
    (somewhere / "saiten.toml").write_text('[prices]\n"m" = { prompt = 1000.0, completion = 2000.0 }\n')
    command = ("converse", data(pairs(2)), "--system", "bot.py:answer", "-o", "run", "--dry-run", "--judge", "openai:m")
    (rows,) = json.loads(saiten(*command, "--format", "json").out).values()
    for row in rows:
        expected = (row["prompt tokens"] * 1000 + row["completion tokens"] * 2000) / 1e6
        assert row["cost (USD)"] == pytest.approx(expected)
    shown = " ".join(saiten(*command).out.split())
    assert "Price of openai:m: 1000.00 / 2000.00 USD per million prompt / completion tokens (saiten.toml)." in shown


def test_a_run_is_resumed_with_its_questioning_alone(saiten, data):
    """Both ways never mix in one folder, and the signature says which it was."""
    command = ("converse", data(pairs(1)), "--system", "bot.py:answer", "-o", "run")
    assert saiten(*command, "--questioning", "published").status == 0
    assert "|questioning:published|" in json.loads(Path("run/manifest.json").read_text())["signatures"]["wscore"]
    other = saiten(*command)
    assert (other.status, 'questioning: was "published", is "merged"' in other.err) == (2, True)


def test_a_run_is_resumed_with_its_last_grade_alone(saiten, data):
    """Two readings of σ never mix in one folder; the signature says which it was, and `compare` that they differ."""
    command = ("converse", data(pairs(1)), "--system", "bot.py:answer", "-o")
    for name, options, grades in (("one", (), "one per turn"), ("more", ("--last-grade", "appended"), "one per turn, last appended")):  # fmt: skip
        assert saiten(*command, name, *options).status == 0
        assert f"|grades:{grades}|" in json.loads(Path(name, "manifest.json").read_text())["signatures"]["lscore"]
        assert saiten(*command, name, *options).status == 0
    for name, options, said in (
        ("one", ("--last-grade", "appended"), 'last_grade: was not set, is "appended"'),
        ("more", (), 'last_grade: was "appended", is not set'),
    ):
        other = saiten(*command, name, *options)
        assert (other.status, said in other.err) == (2, True), other.err
    assert "the runs differ in last_grade (replaces, appended)" in saiten("compare", "one", "more").err
    single = saiten(*command, "single", "--max-turns", "1", "--last-grade", "appended")
    assert (single.status, "appended" in Path("single/manifest.json").read_text().split('"command"')[0]) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--system", "file:data.jsonl"), "--max-turns 1"),
        (("--system", "bot.py:answer", "--chain", "refine"), "is for the built-in RAG"),
        (("--system", "bot.py:answer", "--header", "a=b"), "is for an HTTP system"),
        (("--system", "bot.py:nothing"), "nothing"),
        (("--system", "bot.py:answer", "--kb", "nowhere"), "nowhere"),
        (("--system", "bot.py:answer", "--column", "question"), "FIELD=COLUMN"),
    ],
)
def test_a_wrong_setup_is_reported_before_a_folder_is_made(saiten, data, arguments, said):
    """The message says what to do."""
    ended = saiten("converse", data(pairs(1)), *arguments, "-o", "run")
    assert ended.status == 2, ended
    assert said in ended.err
    assert not Path("run").exists()


def test_rows_that_are_no_pairs_are_kept_apart(saiten, data):
    """They are counted and reported, and end the run with --strict; if no row can be used, that is an error."""
    rows = [{"id": "a", "question": "Why?"}, *pairs(1), b"no json", {"id": "c", "question": " ", "reference": "r"}]
    said = saiten("converse", data(rows), "--system", "bot.py:answer", "-o", "run")
    assert said.status == 0
    assert "3 rows could not be used" in said.err
    assert saiten("converse", data(rows), "--system", "bot.py:answer", "-o", "strict", "--strict").status == 2
    assert saiten("converse", data(rows[:1]), "--system", "bot.py:answer", "-o", "none").status == 2


def test_another_system_or_judge_is_another_run(saiten, data):
    """Each difference is named."""
    saiten("converse", data(pairs(1)), "--system", "bot.py:answer", "-o", "run", "-q")
    said = saiten("converse", data(pairs(1)), "--system", "bot.py:better", "-o", "run", "-q")
    assert said.status == 2
    assert "bot.py:better" in said.err
    assert "session" not in said.err


@pytest.fixture
def three(saiten, data, once):
    """Runs of two systems over the same pairs, and one of them again."""

    def make():
        Path("bot.py").write_text(BOT)
        file = data(pairs(12))
        for name, function in {"plain": "answer", "better": "better", "again": "answer"}.items():
            assert saiten("converse", file, "--system", f"bot.py:{function}", "-o", name, "-q").status == 0

    once(make)


def test_the_longest_dialogues_are_the_worst(saiten, three):
    """For lscore the highest values are listed, for the others the lowest."""
    (long,) = json.loads(saiten("show", "plain", "--worst", "lscore", "-n", "3", "--format", "json").out).values()
    values = [row["value"] for row in long]
    assert values == sorted(values, reverse=True)
    assert values[0] > 1
    assert "Lowest wscore" in saiten("show", "plain", "--worst", "wscore").out


def test_two_systems_are_compared_over_all_and_by_group(saiten, three):
    """Fewer turns are better; means are per run; differences are on the pairs that both measured."""
    tables = json.loads(saiten("compare", "plain", "better", "--format", "json").out)
    overall = {row["metric"]: row for row in tables["plain → better"]}
    assert overall["lscore"]["difference"] < 0
    assert overall["wscore"]["difference"] > 0
    assert overall["wscore"]["one side only"] == 2
    means = {(row["score"], row["group"]): row for row in tables["Means by group"]}
    assert means["lscore", "all"]["n"] == 10
    assert means["lscore", "all"]["better"] == means["lscore", "Db2"]["better"]
    groups = tables["By group: plain → better"]
    assert {row["group"] for row in groups} == {"Db2", "分析基盤"}
    assert len(groups) == 6


@pytest.mark.parametrize(
    ("score", "difference", "said"),
    [
        ("lscore", -1, "better"),
        ("lscore", 1, "worse"),
        ("wscore", 1, "better"),
        ("mscore", -1, "worse"),
        ("leak", 1, "worse"),
    ],
)
def test_fewer_turns_and_less_leak_are_better(score, difference, said):
    """Each score knows its direction; what may be noise is called neither better nor worse."""
    assert verdict_of(difference, 0.01, 9, 10, higher=higher_is_better(score)) == said
    assert verdict_of(difference, 0.06, 9, 10, higher=higher_is_better(score)) == "noise"
    assert verdict_of(difference, 0.01, 8, 10, higher=higher_is_better(score)) == "unmeasured"


def test_the_leak_is_no_competitor(data, saiten, three):
    """Holm counts the three scores: the smallest p is three times its own, and the leak keeps its own."""
    found = {
        row.metric: (row.p_value, row.pairs.p_value)
        for row in compare_sides(sides_of([read_run("plain"), read_run("better")]))[0].metrics
    }
    smallest = min(found[name][1] for name in ("wscore", "lscore", "mscore"))
    assert min(found[name][0] for name in ("wscore", "lscore", "mscore")) == pytest.approx(min(1.0, 3 * smallest))
    assert found["leak"][0] == found["leak"][1]
    said = saiten("compare", "plain", "better", "--format", "md").out
    assert "leak is a check, not a competitor" in said


def test_more_than_two_runs_are_each_compared_with_the_first(saiten, three):
    """Each has a table, with p corrected over all; a system does not differ from itself."""
    tables = json.loads(saiten("compare", "plain", "better", "again", "--format", "json").out)
    assert {row["difference"] for row in tables["plain → again"]} == {0}
    two = json.loads(saiten("compare", "plain", "better", "--format", "json").out)
    for one, other in zip(tables["plain → better"], two["plain → better"], strict=True):
        assert one["p"] >= other["p"]
    assert saiten("compare", "plain").status == 2


def test_the_page_has_the_figure_of_the_paper(saiten, three):
    """One chart per score, one line per system, distinguished by dashes and marks; the table repeats the figures."""
    page = saiten("compare", "plain", "better", "--format", "html").out
    assert page.count('class="chart"') == 3
    assert page.count('stroke-dasharray="1,4"') == 6
    assert "lscore by group (lower is better)" in page
    assert "better · python:bot.py:better" in page


def test_runs_made_in_different_ways_are_pointed_out(saiten, data, three):
    """The difference may come from that, not from the system."""
    saiten("converse", "data.jsonl", "--system", "bot.py:better", "-o", "short", "--max-turns", "2", "-q")
    assert "the runs differ in max_turns (5, 2)" in saiten("compare", "plain", "short").err
    assert "the runs differ in max_turns (5, 2)" in saiten("compare", "plain", "short", "--format", "html").out
    saiten("converse", "data.jsonl", "--system", "bot.py:better", "-o", "paper", "--questioning", "published", "-q")
    assert "the runs differ in questioning (merged, published)" in saiten("compare", "plain", "paper").err
    manifest = Path("paper/manifest.json")
    manifest.write_text(manifest.read_text().replace('"questioning": "published",', ""))
    assert "the runs differ in questioning (merged, –)" in saiten("compare", "plain", "paper").err
    saiten("converse", "data.jsonl", "--system", "bot.py:better", "-o", "single", "--max-turns", "1", "-q")
    assert "differ in questioning" not in saiten("compare", "plain", "single").err  # nothing more is asked


def test_pairs_that_are_not_the_same_are_pointed_out(saiten, data, three):
    """ID and question are the same, reference or group differs: the difference may not be the system's."""
    rows = [row | {"reference": row["reference"] + " So it is.", "group": "MQ"} for row in pairs(12)]
    saiten("converse", data(rows), "--system", "bot.py:better", "-o", "others", "-q")
    said = saiten("compare", "plain", "others", "--format", "json")
    assert "12 pairs have a different reference" in said.err
    assert "12 pairs have a different group" in said.err
    groups = {row["group"] for row in json.loads(said.out)["Means by group"]}
    assert groups == {"all", "mean of 2 groups", "Db2", "分析基盤"}


def test_no_two_columns_have_one_name():
    """A folder's name may equal the name given to another's second mention."""
    assert _distinct(["run", "run", "run (2)", "n"]) == ["run", "run (2)", "run (2) (2)", "n (2)"]
