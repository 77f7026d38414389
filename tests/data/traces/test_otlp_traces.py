"""OTLP JSON: one trace is one sample, whatever the spelling of its ids, its order and its conventions."""

import base64
import gzip
import json

import pytest

from otlp_traces import START, lines, pairs, rag, request, span
from saiten.data import read_samples
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Trace

TRACE = "a" * 32
UNRECORDED = "the recording of inputs and outputs may be turned off, or their names unknown"
CHECKS = "they have no call of a model, no retrieval, no input and no output, such as health checks"


def test_a_trace_is_one_sample_with_everything_that_it_shows(read):
    """Question and answer of the root, documents of the retriever, latency, tokens, session, and the service as system."""
    (sample,) = read([request(*rag())])
    assert (sample.id, sample.system) == (TRACE, "support-bot 1.4")
    assert (sample.question, sample.answer) == ("橋はいつ開通しましたか。", "1998年です。")
    assert sample.contexts == ("この橋は1998年に開通した。", "橋は赤い。")
    assert sample.trace == Trace(
        TRACE, f"{1:016x}", "2026-11-28T13:45:08.000+00:00", 1.5, prompt_tokens=120, completion_tokens=30, session="s1"
    )


def test_spans_of_a_trace_may_be_on_several_lines_children_first_and_in_several_files(read, tmp_path):
    """Exporters write a span when it ends, in batches; the collector starts a new file when one is full."""
    one, two = rag(), rag("b" * 32, "赤い橋ですか。", "はい。")
    together = read([request(*one), request(*two)])
    spread = [one[0], two[1], two[0], one[2], two[2], one[1]]
    assert sorted(read([request(each) for each in spread]), key=str) == sorted(together, key=str)
    for number, part in enumerate((spread[:3], spread[3:])):
        (tmp_path / f"part{number}.jsonl").write_text(lines(*(request(each) for each in part)))
    found = read_samples(tmp_path / "part*.jsonl", detect_language=lambda *_: "ja", notify=print)
    assert sorted(found, key=str) == sorted(together, key=str)


@pytest.mark.parametrize("name", ["traces.jsonl", "traces.json", "traces.log", "traces.jsonl.gz"])
def test_the_content_shows_that_a_file_has_traces(read, tmp_path, name):
    """As JSON lines, as one document over many lines, gzipped, and without a known extension."""
    text = json.dumps(request(*rag()), indent=2 if name.endswith("json") else None)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert [sample.id for sample in read(path)] == [TRACE]


def test_ids_in_base64_and_snake_case_are_the_same_trace(read):
    """Protobuf's own JSON has ids in Base64; Python's MessageToDict can have snake_case."""
    plain = rag()
    encoded = [
        each | {key: base64.b64encode(bytes.fromhex(each[key])).decode() for key in each if key.endswith("Id")} for each in plain
    ]  # fmt: skip
    snake = [
        {
            "trace_id": each["traceId"], "span_id": each["spanId"], "parent_span_id": each.get("parentSpanId", ""),
            "name": each["name"], "start_time_unix_nano": int(each["startTimeUnixNano"]),
            "end_time_unix_nano": int(each["endTimeUnixNano"]), "attributes": each["attributes"],
        } for each in plain
    ]  # fmt: skip
    wrapped = {
        "resource_spans": [{"resource": request()["resourceSpans"][0]["resource"], "scope_spans": [{"spans": snake}]}]
    }
    expected = read([request(*plain)])
    assert read([request(*encoded)]) == read([wrapped]) == expected
    (without_resource,) = read(snake)  # as Phoenix's API returns them
    assert (without_resource.answer, without_resource.system) == (expected[0].answer, None)


def test_attributes_may_be_structured(read):
    """`kvlistValue` and `arrayValue` hold what others write as JSON text."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": "何年?"}]}]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": "1998年"}], "finish_reason": "stop"}]
    structured = span(
        1, gen_ai__operation__name="chat", gen_ai__input__messages=messages, gen_ai__output__messages=answer
    )
    (sample,) = read([request(structured)])
    assert (sample.question, sample.answer) == ("何年?", "1998年")


def test_bad_lines_and_spans_are_reported_with_their_places(read):
    """The rest of the file is read."""
    broken = rag("c" * 32)[0] | {"traceId": ""}
    found = read(
        lines(request(*rag()), "{", request(broken), {"resourceSpans": [{"scopeSpans": 3}]}, {"question": "q"})
    )
    assert len(found) == 1
    assert [row.where for row in found.bad] == [f"traces.jsonl:{n}" for n in (2, 3, 4, 5)]
    reasons = [row.reason for row in found.bad]
    assert reasons[1] == "a span without the id of its trace"
    assert reasons[2] == "scopeSpans: expected objects, got 3"
    assert reasons[3] == "expected a trace or a span, as in other rows, got question"


def test_traces_without_question_or_answer_are_bad_rows_with_a_reason(read):
    """The error of the deepest span that failed is the likely reason; recording that is turned off, another."""
    failed = [
        span(1, name="rag", trace="b" * 32, openinference__span__kind="CHAIN", input__value="q", fault="see below"),
        span(2, 1, name="llm", trace="b" * 32, openinference__span__kind="LLM", fault="429 Too Many Requests"),
    ]
    silent = [span(1, name="chat gpt", trace="c" * 32, gen_ai__operation__name="chat", gen_ai__request__model="gpt")]
    found = read([request(*rag()), request(*failed), request(*silent)])
    assert len(found) == 1
    assert [row.reason for row in found.bad] == [
        f"trace {'b' * 32} (rag, 2 spans): no answer in its spans; llm failed: 429 Too Many Requests",
        f"trace {'c' * 32} (chat gpt, 1 spans): neither question nor answer in its spans; {UNRECORDED}",
    ]
    assert "traces.jsonl: traces without question or answer: 2; they count as rows that cannot be used" in found.notes


def test_health_checks_are_ignored_with_one_note(read):
    """They are most of the traces of many services, and say nothing about answers."""
    checks = [request(span(1, trace=f"{n:032x}", name="GET /health", http__route="/health")) for n in range(1, 101)]
    found = read([*checks, request(*rag())])
    assert (len(found), found.bad) == (1, [])
    assert found.notes[:2] == [
        "traces.jsonl: traces: 101, of which samples: 1",
        f"traces.jsonl: traces ignored: 100; {CHECKS}",
    ]
    with pytest.raises(BadInput, match=r"has no rows"):
        read(checks)


def test_logs_and_metrics_in_the_same_file_are_counted(read):
    """The collector's file exporter writes all signals to one file if told to."""
    found = read([{"resourceLogs": []}, request(*rag()), {"resourceMetrics": []}])
    assert len(found) == 1
    assert "traces.jsonl: rows with logs or metrics ignored: 2" in found.notes


def test_a_trace_without_its_root_is_read_from_its_outermost_spans(read):
    """The parent may be in another service, or still open; a note counts such traces."""
    retriever, model, root = rag()
    (sample,) = found = read([request(retriever, model)])
    assert (sample.question, sample.answer) == ("文書: … 橋はいつ開通しましたか。", "1998年です。")
    assert sample.trace.seconds == 1.3
    assert any("whose root span is not in the data: 1" in note for note in found.notes)
    (whole,) = read([request(retriever, model, root | {"parentSpanId": "f" * 16})])
    assert whole.question == "橋はいつ開通しましたか。"


def test_a_span_that_is_still_open_has_no_latency(read):
    """Its end is 0 or missing; a latency of minus fifty years would be wrong."""
    retriever, model, root = rag()
    (sample,) = read([request(retriever, model, root | {"endTimeUnixNano": "0"})])
    assert (sample.trace.seconds, sample.answer) == (None, "1998年です。")


def test_spans_delivered_twice_count_once(read):
    """A retry of the exporter repeats them; their tokens must not double."""
    (sample,) = read([request(*rag()), request(*rag())])
    assert (sample.trace.prompt_tokens, len(sample.contexts)) == (120, 2)


def test_ordinary_rows_are_untouched(read):
    """Rows with some of the same names are not traces, and a column `trace` of others says nothing."""
    rows = [
        {"id": "1", "timestamp": "2026-01-01", "input": "q", "output": "a", "trace": "t-1", "trace_id": "x"},
        {"id": "2", "timestamp": "2026-01-01", "input": "q", "output": "a", "trace": {"id": "t", "more": 1}},
    ]
    found = read(rows)
    assert [(sample.id, sample.trace) for sample in found] == [("1", None), ("2", None)]
    assert read(lines("{", "{", *rows)) == found


def test_a_format_can_be_asked_for(read):
    """Rows in another form are bad rows then."""
    found = read(lines({"question": "q", "answer": "a"}, request(*rag())), format="otlp")
    assert ([sample.id for sample in found], found.bad[0].where) == ([TRACE], "traces.jsonl:1")
    assert found.bad[0].reason == "expected a trace or a span of otlp, got question, answer"
    with pytest.raises(ConfigurationError, match=r"there are jsonl, .*, otlp, phoenix, mlflow, langfuse"):
        read([], format="otel")


def test_the_samples_of_a_run_keep_their_traces_when_they_are_read_again(read):
    """`RUN/samples.jsonl` is data like any other."""
    from saiten.runs import sample_to_json

    found = read([request(*rag())])
    assert read([sample_to_json(each) for each in found], name="samples.jsonl") == found


def test_numbers_and_flags_of_the_protocol_are_read_as_such(read):
    """64-bit integers are texts in Protobuf's JSON, and may be numbers in other encoders."""
    model = span(1, openinference__span__kind="LLM", input__value="q", output__value="a")
    for given in ({"intValue": "7"}, {"intValue": 7}, {"doubleValue": 7.0}):
        counted = model | {"attributes": [*model["attributes"], {"key": "llm.token_count.prompt", "value": given}]}
        assert read([request(counted)])[0].trace.prompt_tokens == 7
    start = model | {"startTimeUnixNano": START, "attributes": pairs({"input.value": "q", "output.value": "a"})}
    assert read([request(start)])[0].trace.start == "2026-11-28T13:45:08.000+00:00"
