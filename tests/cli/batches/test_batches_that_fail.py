"""Batches that expire, fail, are cancelled or answer only in part, and servers without batches."""

from orjson import dumps

from servers import refusal
from stand_ins.batches import expired, result


def test_requests_that_expired_are_sent_again(batched, server, scores):
    """What a batch answered before it expired is kept; the rest goes into the next one."""
    server.ends = lambda batch: "expired" if batch.number == 1 else "completed"
    server.fate = lambda batch, at: expired(batch.keys[at]) if batch.number == 1 and at % 2 else batch.said(at)
    said = batched(4)
    assert said.status == 0, said
    assert max(batched.sent().values()) == 2
    assert sum(batched.sent().values()) == 12 + 4
    assert len(server.batched) == 12
    assert {score.status for score in scores().values()} == {"ok"}
    assert batched.spent() == (17, 13)  # those that expired cost nothing


def test_a_request_that_expires_three_times_has_failed(batched, server, scores):
    """The score says so, and --retry-failed sends it again."""
    server.ends = lambda _: "expired"
    server.fate = lambda *_: None
    said = batched(1, "-m", "accuracy")
    assert said.status == 6, said
    assert len(server.batches) == 3
    assert "batch batch_3 expired before it came to this request (given up after 3 attempts)" in said.out + str(
        scores()
    )
    server.ends, server.fate = lambda _: "completed", lambda batch, at: batch.said(at)
    assert batched(1, "-m", "accuracy", "--retry-failed").status == 0


def test_lines_that_failed_are_told_apart(batched, server, scores, caplog):
    """Overload and missing lines are sent again; a refused request is a failed score, as without batches; lines that
    belong to nothing are ignored with a note.
    """

    def fate(batch, at):
        said = {
            0: result(batch.keys[at], 429, {"error": {"message": "Rate limit reached"}}),
            1: result(batch.keys[at], 500, {"error": {"message": "The server had an error"}}),
            2: None,
            3: b'{"custom_id": "cut o',
            4: dumps(result("0" * 64, 200, {"choices": []})),
            5: {"custom_id": batch.keys[at], "response": None, "error": {"code": "internal", "message": "?"}},
        }
        return batch.said(at) if batch.number > 1 or at not in said else said[at]

    server.fate = fate
    server.reply = lambda asked: (
        refusal(400, "The prompt is flagged by moderation")
        if "Question 7" in asked.text and "ok" not in asked.text
        else None
    )
    said = batched(8)
    assert said.status == 0, said
    assert sum(times - 1 for times in batched.sent().values()) == 6
    assert "1 lines of run/batches/001.output.jsonl cannot be read" in caplog.text
    assert "1 lines of run/batches belong to no request of their batch" in caplog.text
    found = scores()
    bad = [score.status for (sample, _), score in found.items() if sample == "q7"]
    assert bad == ["failed", "failed"]
    assert {score.status for (sample, _), score in found.items() if sample != "q7"} == {"ok"}
    assert "content filter refused the prompt" in found["q7", "accuracy"].reason


def test_a_parameter_that_is_refused_is_left_out_of_batches(batched, server, scores):
    """What the first small call finds out holds for the batch; what only the batch finds out, for the next one."""
    server.refuses = {"seed"}
    said = batched(2, "-m", "accuracy")
    assert said.status == 0, said
    assert all("seed" not in asked.body and "temperature" in asked.body for asked in server.batched)
    server.fate = lambda batch, at: (
        result(batch.keys[at], 400, {"error": {"message": "'temperature' is not supported", "param": "temperature"}})
        if "temperature" in batch.lines[at]["body"]
        else batch.said(at)
    )
    said = batched(4, "-m", "accuracy")
    assert said.status == 0, said
    assert {score.status for score in scores().values()} == {"ok"}


def test_a_batch_that_is_not_accepted_stops_the_run(batched, server):
    """The server's reason is shown; nothing counts as spent; the same command tries again."""
    server.ends = lambda _: "failed"
    said = batched(2)
    assert said.status == 2
    assert "did not accept batch batch_1: Enqueued token limit reached" in " ".join(said.err.split())
    assert batched.spent() == (1, 1)
    server.ends = lambda _: "completed"
    assert batched(2).status == 0


def test_a_batch_that_somebody_cancels_stops_the_run(batched, server, scores):
    """What it answered is kept; the rest is sent only when the command is run again."""
    server.ends = lambda batch: "cancelled" if batch.number == 1 else "completed"
    server.fate = lambda batch, at: None if batch.number == 1 and at % 2 else batch.said(at)
    said = batched(2)
    assert said.status == 3
    assert "batch_1 was cancelled; 2 of 4 replies came, and are kept" in " ".join(said.err.split())
    assert len(server.batches) == 1
    assert batched(2).status == 0
    assert len(server.batched) == 6
    assert max(len(batch.lines) for batch in server.batches[1:]) <= 4


def test_a_server_without_batches(batched, server):
    """Nothing is sent but the first small call, and the message says what else there is."""
    server.has_batches = False
    said = batched(2)
    assert said.status == 2
    assert "takes no batches" in said.err
    assert "--batch-files" in said.err
    assert batched.spent() == (1, 1)


def test_a_provider_whose_batches_are_of_another_form(saiten, data, monkeypatch):
    """The refusal comes before anything is sent."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    said = saiten("score", data(1), "-m", "accuracy", "--judge", "deepseek:x", "-o", "run", "--batch")
    assert said.status == 2
    assert "saiten cannot send batches to deepseek" in said.err


def test_judges_without_requests_have_no_batches(saiten, data):
    """The option would have no effect."""
    said = saiten("score", data(1), "-m", "accuracy", "-o", "run", "--batch")
    assert said.status == 2
    assert "--batch is for a model on a server, and offline sends no requests" in " ".join(said.err.split())
