"""Files of results in the dialects of those who write them."""

from orjson import dumps

from saiten.models.batch.lines import results_in

BODY = {"choices": []}
LINES = {
    "OpenAI": (
        {"custom_id": "a", "response": {"status_code": 200, "request_id": "r", "body": BODY}, "error": None},
        200,
    ),
    "vLLM, a failure": (
        {
            "custom_id": "a",
            "response": {"status_code": 400, "request_id": "r", "body": None},
            "error": {"message": "long"},
        },
        400,
    ),
    "without HTTP": ({"custom_id": "a", "response": None, "error": {"code": "internal", "message": "?"}}, 500),
    "expired": ({"custom_id": "a", "response": None, "error": {"code": "batch_expired", "message": "?"}}, None),
}
ODD = [b"", b"null", b"[]", b"{", b'{"custom_id": 7, "response": {"status_code": 200}}', b'{"custom_id": "a"}', b"\xff\xfe",
       b'{"custom_id": "a", "response": {"status_code": "200"}, "error": null}', b"[" * 10_000]  # fmt: skip


def test_each_kind_of_line_is_read(tmp_path):
    """The status decides what becomes of a request; without one, it was not sent at all or failed on the way."""
    for name, (line, status) in LINES.items():
        file = tmp_path / "output.jsonl"
        file.write_bytes(dumps(line) + b"\n")
        (found,) = results_in(file, print)
        assert found.key == "a"
        assert (found.reply and found.reply.status) == status, name


def test_lines_that_are_none_are_counted(tmp_path):
    """Nothing that a file may contain stops the others from being read."""
    file, notes = tmp_path / "output.jsonl", []
    good = dumps(LINES["OpenAI"][0])
    file.write_bytes(b"\n".join([*ODD, good]))
    assert [line.key for line in results_in(file, notes.append)] == ["a"]
    assert notes == [f"{len(ODD) - 1} lines of {file} cannot be read; their requests count as not answered"]
