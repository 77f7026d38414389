"""Chat logs on the command line: `score` with a judge that sees the history, and `converse --system recorded`."""

import json
import signal
import time
from collections import Counter
from pathlib import Path
from zlib import crc32

import orjson
import pytest

from saiten.runs import read_run
from servers import instance

REFERENCE = "UNION eliminates duplicate rows from the result, UNION ALL keeps them."


def conversation(n, *, turns=2, reference=True):
    """A recorded conversation whose answers say more with each turn."""
    said = [("What is the difference between UNION and UNION ALL?", f"Both combine the results of {n} queries.")]
    said += [(f"And what else, {turn}?", f"Detail {turn} of {n}.") for turn in range(1, turns)]
    messages = [
        {"role": role, "content": text} for pair in said for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return {"id": f"c{n}", "messages": messages} | ({"reference": REFERENCE} if reference else {})


@pytest.fixture
def log(somewhere):
    """A file with conversations."""

    def write(rows, name="log.jsonl"):
        Path(name).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
        return name

    return write


def judged(asked):
    """A judge that grades by what the answer says, and composes another answer of each history."""
    reply = instance(asked.schema)
    complete = "Detail 2" in asked.body["messages"][-1]["content"]
    changed = {
        "grade": 5 if complete else 2,
        "answer": "Detail 2" if complete else f"Little: {crc32(asked.text.encode())}",
    }
    return json.dumps(reply | {name: value for name, value in changed.items() if name in reply})


def lines(name, folder="run"):
    """The objects in a file of the run."""
    return [json.loads(line) for line in (Path(folder) / name).read_text(encoding="utf-8").splitlines()]


def tasks(server):
    """How often each kind of reply was requested, without the preflight."""
    asked = [each.schema["properties"] for each in server.requests if '{"ok": true}' not in each.text]
    return Counter("".join(name for name in ("answer", "grade", "question") if name in fields) for fields in asked)


def test_each_answer_is_graded_in_its_history(saiten, log, openai_server):
    """Samples keep history and conversation; the judge sees them; the signature says so; turns are one cluster."""
    rows = [conversation(n, turns=3, reference=False) for n in range(3)]
    command = (
        "score",
        log(rows),
        "-m",
        "aspect_critique",
        "--judge",
        f"openai:m@{openai_server.base_url}",
        "-o",
        "run",
    )
    assert saiten(*command).status == 0
    asked = [each.text for each in openai_server.requests if '{"ok": true}' not in each.text]
    assert sorted(text.count("<user>") for text in asked) == [0] * 3 + [1] * 3 + [2] * 3
    run = read_run("run")
    found = {sample.id: sample for sample in run.samples()}
    assert len(found["c1/turn-3"].history) == 2
    assert found["c1/turn-3"].conversation == "c1"
    (signature,) = run.manifest.signatures.values()
    assert "|history:shown|" in signature
    before = len(openai_server.requests)
    again = saiten(*command, "--format", "json")
    assert len(openai_server.requests) == before
    (row,) = json.loads(again.out)["Scores"]
    assert (row["n"], row["questions"]) == (9, 3)
    shown = saiten("show", "run", "--sample", "c1/turn-2").out
    assert "Both combine the results of 1 queries." in shown
    assert shown.index("turn 1, before the question") < shown.index("And what else, 1?")


def test_a_log_of_rows_is_the_same_run_as_a_log_of_conversations(saiten, log, openai_server):
    """Equal requests, and so equal replies: a second run from rows asks nothing new."""
    rows = [conversation(n, reference=False) for n in range(2)]
    judge = ("-m", "aspect_critique", "--judge", f"openai:m@{openai_server.base_url}", "--cache", "replies.db")
    assert saiten("score", log(rows), *judge, "-o", "run").status == 0
    before = len(openai_server.requests)
    turns = zip(*(row["messages"] for row in rows), strict=True)
    messages = [{"conversation_id": row["id"], **each} for turn in turns for row, each in zip(rows, turn, strict=True)]
    interleaved = log(messages, "rows.jsonl")
    assert saiten("score", interleaved, *judge, "-o", "rows").status == 0
    assert len(openai_server.requests) == before + 1  # to try the server
    assert Path("rows/samples.jsonl").read_bytes() == Path("run/samples.jsonl").read_bytes()


def test_systems_are_asked_with_the_recorded_history(saiten, log, somewhere):
    """`answer` asks each question again after what was said before it, and keeps the history for `score`."""
    (somewhere / "bot.py").write_text("def answer(question, history):\n    return f'{len(history)} turns before'\n")
    assert saiten("answer", log([conversation(1, turns=3)]), "--system", "bot.py:answer", "-o", "new.jsonl").status == 0
    found = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
    assert {(row["id"], row["answer"]) for row in found} == {
        (f"c1/turn-{n + 1}", f"{n} turns before") for n in range(3)
    }
    assert saiten("score", "new.jsonl", "-m", "length", "-o", "run").status == 0
    assert {len(sample.history) for sample in read_run("run").samples()} == {0, 1, 2}


def test_a_replay_asks_composer_and_grader_alone(saiten, log, openai_server):
    """Two calls per turn until a grade of 5; the scores are those of dialogues with the same grades."""
    rows = [conversation(1, turns=4), conversation(2, turns=2), conversation(3, reference=False)]
    judge = f"openai:m@{openai_server.base_url}"
    openai_server.reply = judged
    command = ("converse", log(rows), "--system", "recorded", "--judge", judge, "-o", "run", "--max-turns", "3")
    said = saiten(*command)
    assert said.status == 0, said
    assert tasks(openai_server) == {"answer": 5, "grade": 5}
    assert "the replay of a conversation needs a reference" in said.err
    first, second = sorted(lines("dialogues.jsonl"), key=lambda line: line["id"])
    assert (first["grades"], first["ended"], first["wscore"]) == ([2, 2, 5], "grade 5", (3 * 2 + 2 * 2 + 5) / 6)
    assert (second["grades"], second["ended"], second["lscore"]) == ([2, 2], "end of the log", 2)
    assert {step["agent"] for step in first["steps"]} == {"system", "composer", "grader"}
    text = saiten("show", "run", "--dialogue", "c1").out
    assert [part in text for part in ("And what else, 2?", "Detail 2 of 1.", "And what else, 3?")] == [
        True,
        True,
        False,
    ]
    before = len(openai_server.requests)
    assert saiten(*command).status == 0
    assert len(openai_server.requests) == before


def test_a_replay_is_compared_with_another_and_its_dry_run_counts_the_log(saiten, log, openai_server):
    """`compare` pairs conversations by id; the dry run asks nobody and knows how long each conversation is."""
    dry = saiten("converse", log([conversation(n, turns=n + 1) for n in range(3)]), "--system", "recorded", "--judge",
                 f"openai:m@{openai_server.base_url}", "-o", "run", "--dry-run", "--format", "json")  # fmt: skip
    (table,) = json.loads(dry.out).values()
    assert [(row["questions to the system"], row["calls"]) for row in table] == [(0, 3 * 2), (0, (1 + 2 + 3) * 2)]
    assert openai_server.requests == []
    for name in ("a", "b"):
        rows = log([conversation(n) for n in range(3)], f"{name}.jsonl")
        assert saiten("converse", rows, "--system", "recorded", "-o", name, "-q").status == 0
    assert "wscore" in saiten("compare", "a", "b").out


def test_a_killed_replay_is_resumed(process, log, openai_server):
    """SIGKILL in the middle: replies that had come are in the store, and each conversation ends once."""
    openai_server.reply, openai_server.latency = judged, 0.02
    rows = log([conversation(n, turns=3) for n in range(12)])
    command = ("converse", rows, "--system", "recorded", "--judge", f"openai:m@{openai_server.base_url}", "-o", "run", "-q",
               "--concurrency", "2")  # fmt: skip
    running = process(*command)
    while len(openai_server.requests) < 20 and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert process(*command).wait() == 0
    found = lines("dialogues.jsonl")
    assert sorted(line["id"] for line in found) == sorted(f"c{n}" for n in range(12))
    assert {tuple(line["grades"]) for line in found} == {(2, 2, 5)}
    requests = Counter(orjson.dumps(asked.body) for asked in openai_server.requests if '{"ok": true}' not in asked.text)
    # What was in flight, and replies on their way into the store while the next calls were sent.
    assert sum(requests.values()) - len(requests) <= 2 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("converse", "log.jsonl", "--system", "file:x.jsonl", "-o", "r"), "use --system recorded"),
        (("converse", "log.jsonl", "--system", "recorded", "--questioner", "openai:m", "-o", "r"), "on record"),
        (("answer", "log.jsonl", "--system", "recorded", "-o", "r.jsonl"), "`saiten score` grades them"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(saiten, log, arguments, said):
    """Status 2, before anything is written."""
    log([conversation(1)])
    ended = saiten(*arguments)
    assert ended.status == 2
    assert said in ended.err
    assert not Path("r").exists()


def test_an_export_of_a_chat_run_is_read_again(saiten, log):
    """Conversation and history have columns, and the file is data with the same samples."""
    assert saiten("score", log([conversation(1), conversation(2)]), "-m", "length", "-o", "run").status == 0
    before = {sample.id: (sample.history, sample.conversation) for sample in read_run("run").samples()}
    for name in ("answers.jsonl", "answers.csv", "answers.xlsx"):
        assert saiten("export", "run", "-o", name).status == 0
        assert saiten("score", name, "-m", "length", "-o", name.replace(".", "-")).status == 0
        again = read_run(name.replace(".", "-")).samples()
        assert {sample.id: (sample.history, sample.conversation) for sample in again} == before


def test_a_system_under_test_is_asked_the_first_question_of_a_log_alone(saiten, log, somewhere):
    """What another system said after it is no history of the question; a history before a question is."""
    Path("bot.py").write_text(
        "def answer(question, history):\n"
        "    with open('asked.txt', 'a') as file:\n"
        "        file.write(f'{question} {len(history)}\\n')\n"
        "    return 'Nobody knows.'\n"
    )
    Path("history.jsonl").write_text(
        '{"id": "h", "question": "And in winter?", "reference": "At 16:00.", "history": [["When?", "At 18:00."]]}\n'
    )
    for data in (log([conversation(1)]), "history.jsonl"):
        said = saiten("converse", data, "--system", "bot.py:answer", "--max-turns", "1", "-o", f"run-{data}", "-q")
        assert said.status == 0, said
    first, follow_up = Path("asked.txt").read_text().splitlines()
    assert (first, follow_up) == ("What is the difference between UNION and UNION ALL? 0", "And in winter? 1")
