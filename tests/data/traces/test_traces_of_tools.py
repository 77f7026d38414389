"""Exports of Langfuse, Phoenix and MLflow, after their documentation; `tests/interop` has those of the real packages."""

import csv
import io
import json

import pytest

from saiten.records import Trace

TIME = "2026-11-28T13:45:08.000Z"
DOCUMENTS = [
    {"page_content": "この橋は1998年に開通した。", "metadata": {"source": "a"}},
    {"page_content": "橋は赤い。"},
]
CONTEXTS = ("この橋は1998年に開通した。", "橋は赤い。")
QUESTION, ANSWER = "橋はいつ開通しましたか。", "1998年です。"


def observation(identity, kind, parent=None, **more):
    """An observation as `GET /api/public/observations` has it."""
    return {
        "id": identity, "traceId": "t1", "type": kind, "name": kind.lower(), "startTime": TIME,
        "endTime": "2026-11-28T13:45:09.500Z", "parentObservationId": parent, "level": "DEFAULT", "statusMessage": None,
        "model": None, "metadata": {}, "usageDetails": {}, "costDetails": {}, "input": None, "output": None, **more,
    }  # fmt: skip


OBSERVATIONS = [
    observation("o2", "RETRIEVER", "o1", input=QUESTION, output=DOCUMENTS),
    observation(
        "o3", "GENERATION", "o1", input=[{"role": "user", "content": f"文書 {QUESTION}"}],
        output={"role": "assistant", "content": ANSWER}, usageDetails={"input": 120, "output": 30, "total": 150},
    ),
    observation("o1", "SPAN", input={"question": QUESTION}, output={"answer": ANSWER}),
]  # fmt: skip
TRACE = {
    "id": "t1", "timestamp": TIME, "name": "rag", "input": {"question": QUESTION}, "output": {"answer": ANSWER},
    "sessionId": "s1", "userId": "u", "release": "2026.11", "version": None, "tags": ["prod"], "public": False,
    "environment": "default", "htmlPath": "/project/p/traces/t1", "latency": 1.5, "totalCost": 0.001, "scores": [],
}  # fmt: skip


def test_a_langfuse_trace_with_its_observations(read):
    """The trace itself has question, answer and latency; its observations have documents and tokens."""
    (sample,) = read([{**TRACE, "observations": OBSERVATIONS}])
    assert (sample.id, sample.question, sample.answer, sample.contexts) == ("t1", QUESTION, ANSWER, CONTEXTS)
    assert sample.system == "rag 2026.11"
    assert sample.trace == Trace("t1", None, "2026-11-28T13:45:08.000+00:00", 1.5, 120, 30, "s1")


def test_langfuse_traces_alone(read):
    """The list of traces has only the ids of observations, and pages of the API have it under `data`."""
    (sample,) = read([{**TRACE, "observations": ["o1", "o2"]}])
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, None)
    assert sample.trace.prompt_tokens is None
    page = json.dumps({"data": [{**TRACE, "observations": ["o1"]}], "meta": {"page": 1}}, indent=1)
    assert read(page, name="page.json") == [sample]


def test_langfuse_observations_alone(read):
    """One row each, in any order; the span is the root observation. As version 5 of the API has them."""
    rows = [{**each, "traceName": "rag", "sessionId": "s1", "release": "2026.11"} for each in OBSERVATIONS]
    (sample,) = found = read(rows)
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, CONTEXTS)
    assert (sample.system, sample.trace.span, sample.trace.session) == ("rag 2026.11", "o1", "s1")
    assert sample.conversation == "s1"  # with which the answers of the session are resampled
    assert not any("root span" in note for note in found.notes)
    snake = [
        {"trace_id": each["traceId"], "start_time": each["startTime"], "end_time": each["endTime"],
         "parent_observation_id": each["parentObservationId"], "usage_details": each["usageDetails"],
         **{key: each[key] for key in ("id", "type", "name", "input", "output")}} for each in OBSERVATIONS
    ]  # fmt: skip
    assert read(snake)[0].contexts == CONTEXTS
    with_trace = read([*rows, {**TRACE, "observations": [each["id"] for each in rows]}])[0]
    assert (with_trace.trace.span, with_trace.contexts, with_trace.trace.seconds) == (None, CONTEXTS, 1.5)


def test_a_langfuse_error_is_the_reason_for_a_missing_answer(read):
    """The level ERROR, with its message."""
    failed = observation("o1", "SPAN", input=QUESTION, level="ERROR", statusMessage="rate limit")
    assert read([failed]).bad[0].reason == "trace t1 (span, 1 spans): no answer in its spans; span failed: rate limit"


def phoenix_rows():
    """Rows of `get_spans_dataframe()`."""
    common = {"start_time": "2026-11-28 13:45:08+00:00", "end_time": "2026-11-28 13:45:09.500000+00:00"}
    documents = [{"document.content": text, "document.score": 0.5, "document.id": "d"} for text in CONTEXTS]
    root = {
        "context.span_id": "00000000000000a1", "context.trace_id": "a" * 32, "parent_id": None, "name": "rag",
        "span_kind": "CHAIN", "status_code": "OK", "status_message": "", "attributes.input.value": QUESTION,
        "attributes.output.value": ANSWER, "attributes.session.id": "s1", "attributes.retrieval.documents": None, **common,
    }  # fmt: skip
    model = {
        "attributes.llm.token_count.prompt": 120.0, "attributes.llm.token_count.completion": 30.0,
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": ANSWER}],
    }  # fmt: skip
    child = {**root, "parent_id": "00000000000000a1", "attributes.session.id": None}
    return [
        {**child, "context.span_id": "00000000000000a2", "name": "llm", "span_kind": "LLM", **model},
        {**child, "context.span_id": "00000000000000a3", "name": "search", "span_kind": "RETRIEVER",
         "attributes.output.value": None, "attributes.retrieval.documents": documents},
        root,
    ]  # fmt: skip


def as_csv(rows):
    """A CSV as pandas writes it: lists as Python shows them, nothing for null."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([["" if row.get(key) is None else row[key] for key in columns] for row in rows])
    return out.getvalue()


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_phoenix_data_frame_in_any_form(read, tmp_path, form):
    """One row per span, one column per attribute; columns without a value in some rows are NaN or empty."""
    rows, path = phoenix_rows(), tmp_path / f"spans.{form}"
    if form == "parquet":
        pd = pytest.importorskip("pandas")
        pd.DataFrame(rows).to_parquet(path)
    else:
        path.write_text(as_csv(rows) if form == "csv" else "".join(json.dumps(row) + "\n" for row in rows))
    (sample,) = read(path)
    assert (sample.id, sample.question, sample.answer, sample.contexts) == ("a" * 32, QUESTION, ANSWER, CONTEXTS)
    assert sample.trace == Trace("a" * 32, "00000000000000a1", "2026-11-28T13:45:08.000+00:00", 1.5, 120, 30, "s1")


def test_phoenix_spans_of_the_rest_api(read):
    """`GET /v1/projects/NAME/spans`, and `Client().spans.get_spans()`."""
    rows = [
        {
            "name": row["name"], "context": {"trace_id": row["context.trace_id"], "span_id": row["context.span_id"]},
            "span_kind": row["span_kind"], "parent_id": row["parent_id"], "start_time": TIME,
            "end_time": "2026-11-28T13:45:09.500Z", "status_code": "OK",
            "attributes": {key.removeprefix("attributes."): value for key, value in row.items() if key.startswith("attributes.") and value is not None},
        } for row in phoenix_rows()
    ]  # fmt: skip
    (sample,) = read(json.dumps({"data": rows, "next_cursor": None}), name="spans.json")
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, CONTEXTS)


def test_a_phoenix_frame_without_its_index_says_how_to_save_it(read):
    """`to_json(orient="records")` leaves out the index, which has the ids of the spans."""
    rows = [{key: value for key, value in row.items() if key != "context.span_id"} for row in phoenix_rows()]
    assert read(rows).bad[0].reason.endswith("save the frame with its index, df.reset_index()")


MLFLOW = {
    "info": {
        "trace_id": "tr-" + "a" * 32, "request_time": TIME, "state": "OK", "execution_duration_ms": 1500,
        "trace_metadata": {"mlflow.trace.session": "s1"}, "tags": {"mlflow.traceName": "rag"},
    },
    "data": {"spans": [
        {
            "trace_id": "qqqqqqqqqqqqqqqqqqqqqg==", "span_id": "AAAAAAAAAKI=", "parent_span_id": "AAAAAAAAAKE=", "name": "search",
            "start_time_unix_nano": 1795873508100000000, "end_time_unix_nano": 1795873508200000000,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanInputs": json.dumps({"query": QUESTION}), "mlflow.spanOutputs": json.dumps(DOCUMENTS)},
        },
        {
            "trace_id": "qqqqqqqqqqqqqqqqqqqqqg==", "span_id": "AAAAAAAAAKE=", "parent_span_id": None, "name": "rag",
            "start_time_unix_nano": 1795873508000000000, "end_time_unix_nano": 1795873509500000000,
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION}), "mlflow.spanOutputs": json.dumps(ANSWER)},
        },
    ]},
}  # fmt: skip


def test_an_mlflow_trace_and_the_rows_of_its_data_frame(read):
    """`Trace.to_json()`, a row of `search_traces()` with it, and one with the columns of its parts."""
    (sample,) = read([MLFLOW])
    assert (sample.id, sample.system) == ("tr-" + "a" * 32, "rag")
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, CONTEXTS)
    assert sample.trace == Trace(sample.id, f"{0xA1:016x}", "2026-11-28T13:45:08.000+00:00", 1.5, session="s1")
    info, spans = MLFLOW["info"], MLFLOW["data"]["spans"]
    row = {"trace_id": info["trace_id"], "trace_metadata": info["trace_metadata"], "tags": info["tags"], "spans": spans}
    assert read([row]) == read([{**row, "trace": json.dumps(MLFLOW)}]) == [sample]
    assert read(as_csv([{**row, "trace": json.dumps(MLFLOW)}]), name="traces.csv") == [sample]
    assert read(json.dumps(MLFLOW, indent=1), name="trace.json") == [sample]


def test_an_mlflow_trace_without_spans_says_what_is_expected(read):
    """For example `trace.info` alone."""
    broken = {"info": {"trace_id": "tr-1"}, "data": {"spans": None}}
    assert read([MLFLOW, broken]).bad[0].reason == "expected a trace with `info` and `data.spans`, as Trace.to_json() writes it"  # fmt: skip
