"""Traces recorded by the real SDKs, and scores read by the real clients."""

import json
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from saiten.data import BadRow, read_samples
from saiten.data.feedback import feedback_lines
from saiten.data.feedback.graded import FeedbackSource
from saiten.records import Sample, Score, Trace

QUESTION, ANSWER = "橋はいつ開通しましたか。", "1998年です。"
DOCUMENTS = ("この橋は1998年に開通した。", "橋は赤い。")
SCORES = {"faithfulness": Score(0.5, reason="half"), "token_f1": Score.undefined("there is no reference")}


def samples_in(path, **settings):
    """The samples of a file, without bad rows."""
    rows = list(read_samples(path, detect_language=lambda *_: "ja", notify=lambda _: None, **settings))
    assert not [row for row in rows if isinstance(row, BadRow)]
    return rows


def lines_of(name, *samples):
    """The scores of samples as objects for a tool."""
    source = FeedbackSource({"faithfulness": "openai:gpt-4o-mini"}, "run", datetime(2026, 11, 28, tzinfo=UTC))
    found = feedback_lines(name, [(sample, SCORES) for sample in samples], source, lambda _: None)
    return [line.decode() for line in found]


@pytest.fixture
def recorder():
    """A tracer provider, and the spans that it has ended."""
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="`make interop` installs opentelemetry-sdk")
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    memory = InMemorySpanExporter()
    resource = Resource.create({"service.name": "support-bot", "service.version": "1.4"})
    provider = trace.TracerProvider(resource=resource)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    return provider, memory


def rag_in_openinference(tracer):
    """Record a question and its answer with the names of the real package."""
    semconv = pytest.importorskip("openinference.semconv.trace", reason="`make interop` installs it")
    names, kinds, documents = semconv.SpanAttributes, semconv.OpenInferenceSpanKindValues, semconv.DocumentAttributes
    messages = semconv.MessageAttributes
    with tracer.start_as_current_span("rag") as root:
        root.set_attribute(names.OPENINFERENCE_SPAN_KIND, kinds.CHAIN.value)
        root.set_attribute(names.INPUT_VALUE, json.dumps({"question": QUESTION}, ensure_ascii=False))
        root.set_attribute(names.SESSION_ID, "s1")
        with tracer.start_as_current_span("search") as search:
            search.set_attribute(names.OPENINFERENCE_SPAN_KIND, kinds.RETRIEVER.value)
            for number, text in enumerate(DOCUMENTS):
                prefix = f"{names.RETRIEVAL_DOCUMENTS}.{number}."
                search.set_attribute(prefix + documents.DOCUMENT_CONTENT, text)
                search.set_attribute(prefix + documents.DOCUMENT_SCORE, 0.5)
        with tracer.start_as_current_span("llm") as model:
            model.set_attribute(names.OPENINFERENCE_SPAN_KIND, kinds.LLM.value)
            model.set_attribute(f"{names.LLM_INPUT_MESSAGES}.0.{messages.MESSAGE_ROLE}", "user")
            model.set_attribute(f"{names.LLM_INPUT_MESSAGES}.0.{messages.MESSAGE_CONTENT}", QUESTION)
            model.set_attribute(f"{names.LLM_OUTPUT_MESSAGES}.0.{messages.MESSAGE_CONTENT}", ANSWER)
            model.set_attribute(names.LLM_TOKEN_COUNT_PROMPT, 120)
            model.set_attribute(names.LLM_TOKEN_COUNT_COMPLETION, 30)
        root.set_attribute(names.OUTPUT_VALUE, ANSWER)


def rag_in_genai(tracer):
    """Record the same with OpenTelemetry's own names."""
    names = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")

    def chat(role, text):
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    with tracer.start_as_current_span("invoke_agent bot") as root:
        root.set_attribute(names.GEN_AI_OPERATION_NAME, names.GenAiOperationNameValues.INVOKE_AGENT.value)
        root.set_attribute(names.GEN_AI_INPUT_MESSAGES, chat("user", QUESTION))
        root.set_attribute(names.GEN_AI_CONVERSATION_ID, "s1")
        with tracer.start_as_current_span("retrieval") as search:
            search.set_attribute(names.GEN_AI_OPERATION_NAME, "retrieval")
            found = [{"id": str(number), "score": 1.0, "content": text} for number, text in enumerate(DOCUMENTS)]
            search.set_attribute(names.GEN_AI_RETRIEVAL_DOCUMENTS, json.dumps(found))
        with tracer.start_as_current_span("chat") as model:
            model.set_attribute(names.GEN_AI_OPERATION_NAME, names.GenAiOperationNameValues.CHAT.value)
            model.set_attribute(names.GEN_AI_USAGE_INPUT_TOKENS, 120)
            model.set_attribute(names.GEN_AI_USAGE_OUTPUT_TOKENS, 30)
        root.set_attribute(names.GEN_AI_OUTPUT_MESSAGES, chat("assistant", ANSWER))


@pytest.mark.parametrize("record", [rag_in_openinference, rag_in_genai])
@pytest.mark.parametrize("form", ["protobuf", "console"])
def test_spans_of_the_real_sdk_are_samples(recorder, tmp_path, record, form):
    """As OTLP in Protobuf's JSON, and as `to_json()`, which `ConsoleSpanExporter` prints."""
    provider, memory = recorder
    record(provider.get_tracer("test"))
    spans = memory.get_finished_spans()
    path = tmp_path / "traces.jsonl"
    if form == "protobuf":
        encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.trace_encoder", reason="`make interop`")
        json_format = pytest.importorskip("google.protobuf.json_format")
        text = "".join(
            json_format.MessageToJson(encoder.encode_spans([each]), indent=None, ensure_ascii=False) + "\n"
            for each in spans
        )
    else:
        text = "".join(each.to_json(indent=None) + "\n" for each in spans)
    path.write_text(text, encoding="utf-8")
    (sample,) = samples_in(path)
    root = next(each for each in spans if each.parent is None)
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, DOCUMENTS)
    assert sample.system == "support-bot 1.4"
    assert sample.id == f"{root.context.trace_id:032x}"
    assert sample.trace.span == f"{root.context.span_id:016x}"
    assert (sample.trace.prompt_tokens, sample.trace.completion_tokens, sample.trace.session) == (120, 30, "s1")
    assert sample.trace.seconds == pytest.approx((root.end_time - root.start_time) / 1e9, abs=2e-6)


def test_events_of_scores_are_otlp(tmp_path):
    """The real messages of OpenTelemetry accept them, without a field that they do not know."""
    logs = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2", reason="`make interop`")
    json_format = pytest.importorskip("google.protobuf.json_format")
    sample = Sample("a" * 32, QUESTION, ANSWER, trace=Trace("a" * 32, "b" * 16))
    for line in lines_of("otlp", sample):
        message = json_format.Parse(line, logs.ExportLogsServiceRequest())
        (record,) = message.resource_logs[0].scope_logs[0].log_records
        assert record.event_name == "gen_ai.evaluation.result"
        given = json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
        assert (given["traceId"], given["spanId"]) == ("a" * 32, "b" * 16)  # hexadecimal, as OTLP wants it


def test_observations_of_the_real_langfuse_sdk(recorder, tmp_path):
    """As spans with Langfuse's attributes."""
    langfuse = pytest.importorskip("langfuse", reason="`make interop` installs langfuse")
    provider, memory = recorder
    client = langfuse.Langfuse(
        public_key="pk", secret_key="sk", host="http://127.0.0.1:9", tracer_provider=provider, span_exporter=memory
    )
    with client.start_as_current_observation(as_type="chain", name="rag", input={"question": QUESTION}) as root:
        found = [{"page_content": text} for text in DOCUMENTS]
        with client.start_as_current_observation(as_type="retriever", name="search", input=QUESTION, output=found):
            pass
        usage = {"input": 120, "output": 30}
        chat = [{"role": "user", "content": QUESTION}]
        with client.start_as_current_observation(
            as_type="generation", name="llm", model="m", input=chat, output=ANSWER, usage_details=usage
        ):
            pass
        root.update(output={"answer": ANSWER})
    client.flush()
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(each.to_json(indent=None) + "\n" for each in memory.get_finished_spans()))
    (sample,) = samples_in(path)
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, DOCUMENTS)
    assert (sample.trace.prompt_tokens, sample.trace.completion_tokens) == (120, 30)


@pytest.mark.parametrize("by_alias", [True, False])
def test_observations_of_langfuse_s_api_in_its_own_types(tmp_path, by_alias):
    """`ObservationV2` as the real client returns it, written with its names in Python or in JSON."""
    types = pytest.importorskip("langfuse.api.commons.types.observation_v2", reason="`make interop`")
    time = datetime(2026, 11, 28, 12, tzinfo=UTC)

    def observation(identity, kind, parent=None, **more):
        return types.ObservationV2(
            id=identity, trace_id="t1", start_time=time, end_time=datetime(2026, 11, 28, 12, 0, 2, tzinfo=UTC),
            project_id="p", parent_observation_id=parent, type=kind, name=kind, session_id="s1", trace_name="rag", **more,
        )  # fmt: skip

    rows = [
        observation("o2", "RETRIEVER", "o1", input=QUESTION, output=list(DOCUMENTS)),
        observation("o3", "GENERATION", "o1", output=ANSWER, usage_details={"input": 120, "output": 30}),
        observation("o1", "CHAIN", input={"question": QUESTION}, output={"answer": ANSWER}),
    ]
    path = tmp_path / "observations.jsonl"
    path.write_text("".join(each.model_dump_json(by_alias=by_alias) + "\n" for each in rows), encoding="utf-8")
    (sample,) = samples_in(path)
    assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, DOCUMENTS)
    assert (sample.system, sample.trace.span, sample.trace.seconds) == ("rag", "o1", 2.0)
    assert (sample.trace.prompt_tokens, sample.trace.completion_tokens, sample.trace.session) == (120, 30, "s1")


def test_scores_are_bodies_of_langfuse_s_api():
    """The real type takes each of them with no field left over."""
    types = pytest.importorskip("langfuse.api.scores.types.create_score_request", reason="`make interop`")
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    bodies = [json.loads(line) for line in lines_of("langfuse", Sample("t1", trace=Trace("t1", "o1")))]
    for body in bodies:
        request = parse_obj_as(types.CreateScoreRequest, body)
        assert (request.trace_id, request.observation_id, request.name) == ("t1", "o1", body["name"])
        assert not request.model_extra
    assert [body["value"] for body in bodies] == [0.5, "undefined"]


@pytest.fixture
def phoenix_server():
    """A server that keeps what is posted, and answers as Phoenix does."""
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            posted.append((self.path.split("?")[0], body))
            answer = json.dumps({"data": [{"id": str(n)} for n, _ in enumerate(body["data"])]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", posted
    server.shutdown()
    server.server_close()


def test_scores_are_annotations_that_the_real_phoenix_client_sends(phoenix_server):
    """As the requests of Phoenix, of spans and of traces; without a score there is a label."""
    phoenix = pytest.importorskip("phoenix.client", reason="`make interop` installs arize-phoenix-client")
    address, posted = phoenix_server
    client = phoenix.Client(base_url=address)
    of_spans, of_traces = (
        [json.loads(line) for line in lines_of("phoenix", Sample("t", trace=Trace("a" * 32, span)))]
        for span in ("0" * 15 + "1", None)
    )
    client.spans.log_span_annotations(span_annotations=of_spans)
    client.traces.log_trace_annotations(trace_annotations=of_traces)
    (spans, first), (traces, second) = posted
    assert (spans, traces) == ("/v1/span_annotations", "/v1/trace_annotations")
    measured, undefined = first["data"]
    assert (measured["span_id"], measured["name"], measured["annotator_kind"]) == (
        "0" * 15 + "1",
        "faithfulness",
        "LLM",
    )
    assert measured["result"] == {"score": 0.5, "explanation": "half"}
    assert undefined["result"] == {"label": "undefined", "explanation": "there is no reference"}
    assert [each["trace_id"] for each in second["data"]] == ["a" * 32] * 2


def test_traces_of_the_real_mlflow_and_its_assessments(tmp_path, monkeypatch):
    """Recorded, exported in each way, scored, and the scores logged to the same traces."""
    mlflow = pytest.importorskip("mlflow", reason="`make interop` installs mlflow-skinny")
    pytest.importorskip("sqlalchemy")
    from mlflow.entities import Assessment, Document, SpanType

    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("bot")

    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def search(query):
        return [Document(text, {"doc_uri": str(number)}) for number, text in enumerate(DOCUMENTS)]

    @mlflow.trace(span_type=SpanType.CHAT_MODEL)
    def chat(messages):
        usage = {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150}
        mlflow.get_current_active_span().set_attribute("mlflow.chat.tokenUsage", usage)
        return {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}

    @mlflow.trace(span_type=SpanType.CHAIN)
    def rag(question):
        mlflow.update_current_trace(metadata={"mlflow.trace.session": "s1"})
        search(question)
        return chat([{"role": "user", "content": question}])["choices"][0]["message"]["content"]

    assert rag(QUESTION) == ANSWER
    mlflow.flush_trace_async_logging()
    trace = mlflow.get_trace(mlflow.get_last_active_trace_id(), flush=True)
    frame = mlflow.search_traces()
    (tmp_path / "one.jsonl").write_text(trace.to_json() + "\n")
    (tmp_path / "pretty.json").write_text(trace.to_json(pretty=True))
    frame.to_json(tmp_path / "frame.jsonl", orient="records", lines=True)
    frame.to_csv(tmp_path / "frame.csv", index=False)
    frame[["trace_id", "trace", "tags", "spans"]].to_parquet(tmp_path / "frame.parquet")
    for name in ("one.jsonl", "pretty.json", "frame.jsonl", "frame.csv", "frame.parquet"):
        (sample,) = samples_in(tmp_path / name)
        assert (sample.question, sample.answer, sample.contexts) == (QUESTION, ANSWER, DOCUMENTS), name
        assert (sample.id, sample.system, sample.trace.session) == (trace.info.trace_id, "rag", "s1")
        assert (sample.trace.prompt_tokens, sample.trace.completion_tokens) == (120, 30)
        assert sample.trace.span == next(span.span_id for span in trace.data.spans if span.parent_id is None)
    for line in lines_of("mlflow", sample):
        mlflow.log_assessment(sample.trace.id, Assessment.from_dictionary(json.loads(line)))
    logged = {each.name: each for each in mlflow.get_trace(sample.trace.id).info.assessments}
    assert (logged["faithfulness"].feedback.value, logged["faithfulness"].span_id) == (0.5, sample.trace.span)
    assert logged["faithfulness"].source.source_type == "LLM_JUDGE"
    assert (logged["token_f1"].feedback.value, logged["token_f1"].feedback.error.error_code) == (None, "undefined")
