"""Which spans say what, in each convention: questions, answers, documents, tokens."""

import json

import pytest

from otlp_traces import request, span

CHAT = '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}]'
PARTS = json.dumps(
    [
        {"role": "user", "parts": [{"type": "text", "content": "old"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "name": "search"}]},
        {"role": "user", "parts": [{"type": "text", "content": "q"}]},
    ]
)
REPLY = json.dumps(
    [{"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "a"}]}]
)

MODELS = {
    "GenAI": {
        "gen_ai.operation.name": "chat", "gen_ai.input.messages": PARTS, "gen_ai.output.messages": REPLY,
        "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 2,
    },
    "GenAI before 1.37": {
        "gen_ai.system": "openai", "gen_ai.prompt": CHAT, "gen_ai.completion": '[{"role": "assistant", "content": "a"}]',
        "gen_ai.usage.prompt_tokens": 9, "gen_ai.usage.completion_tokens": 2,
    },
    "OpenLLMetry": {
        "llm.request.type": "chat", "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
        "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "q", "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "a", "gen_ai.usage.prompt_tokens": 9, "gen_ai.usage.completion_tokens": 2,
    },
    "OpenInference": {
        "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "q",
        "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "a",
        "llm.token_count.prompt": 9, "llm.token_count.completion": 2,
    },
    "MLflow": {
        "mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": json.dumps({"messages": json.loads(CHAT)}),
        "mlflow.spanOutputs": '{"choices": [{"message": {"role": "assistant", "content": "a"}}]}',
        "mlflow.chat.tokenUsage": '{"input_tokens": 9, "output_tokens": 2}',
    },
    "Langfuse": {
        "langfuse.observation.type": "generation", "langfuse.observation.input": CHAT,
        "langfuse.observation.output": '{"role": "assistant", "content": "a"}',
        "langfuse.observation.usage_details": '{"input": 9, "output": 2}',
    },
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_single_call_of_a_model_is_a_trace_in_each_convention(read, name):
    """The question is what the user said last, not the instructions; reasoning is not the answer."""
    (sample,) = read([request(span(1, **MODELS[name]))])
    trace = sample.trace
    assert (sample.question, sample.answer, trace.prompt_tokens, trace.completion_tokens) == ("q", "a", 9, 2)
    assert sample.contexts is None


EVENTS = {
    "one per message": [
        ("gen_ai.system.message", {"content": "Be brief."}),
        ("gen_ai.user.message", {"content": "q"}),
        ("gen_ai.choice", {"index": 0, "message": '{"content": "a"}'}),
    ],
    "content": [
        ("gen_ai.content.prompt", {"gen_ai.prompt": CHAT}),
        ("gen_ai.content.completion", {"gen_ai.completion": '[{"role": "assistant", "content": "a"}]'}),
    ],
    "details": [
        (
            "gen_ai.client.inference.operation.details",
            {"gen_ai.input.messages": PARTS, "gen_ai.output.messages": REPLY},
        )
    ],
}


@pytest.mark.parametrize("name", EVENTS)
def test_messages_may_be_events_of_the_span(read, name):
    """As the conventions had it before they allowed attributes, and as some still do."""
    (sample,) = read([request(span(1, gen_ai__operation__name="chat", events=EVENTS[name]))])
    assert (sample.question, sample.answer) == ("q", "a")


RETRIEVERS = {
    "GenAI": {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": '[{"id": "1", "score": 1, "content": "x"}, {"id": "2", "content": "y"}]'},
    "OpenInference": {"openinference.span.kind": "RETRIEVER", "retrieval.documents.10.document.content": "y", "retrieval.documents.9.document.content": "x"},
    "OpenInference, in the output": {"openinference.span.kind": "RETRIEVER", "output.value": '{"documents": [{"page_content": "x"}, {"page_content": "y"}]}'},
    "LangChain's JSON": {"openinference.span.kind": "RETRIEVER", "output.value": '[{"lc": 1, "kwargs": {"page_content": "x"}}, {"lc": 1, "kwargs": {"page_content": "y"}}]'},
    "LlamaIndex's nodes": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": '[{"node": {"text": "x"}, "score": 1}, {"node": {"text": "y"}}]'},
    "MLflow": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": '[{"page_content": "x", "id": "1"}, {"page_content": "y"}]'},
    "Langfuse": {"langfuse.observation.type": "retriever", "langfuse.observation.output": '["x", "y"]'},
    "a tool": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": '[{"title": "t", "content": "x"}, {"title": "u", "content": "y"}]'},
}  # fmt: skip


@pytest.mark.parametrize("name", RETRIEVERS)
def test_documents_are_the_contexts_in_rank_order(read, name):
    """By number, not by the order of the attributes or their names."""
    root = span(1, openinference__span__kind="CHAIN", input__value="q", output__value="a")
    (sample,) = read([request(root, span(2, 1, **RETRIEVERS[name]))])
    assert sample.contexts == ("x", "y")


def test_documents_of_a_vector_database_are_in_events(read):
    """OpenLLMetry has one event per result."""
    events = [("db.query.result", {"db.query.result.document": text}) for text in ("x", "y")]
    root = span(1, traceloop__span__kind="workflow", traceloop__entity__input='{"kwargs": {"question": "q"}}', traceloop__entity__output='"a"')  # fmt: skip
    (sample,) = read([request(root, span(2, 1, db__system="chroma", events=events))])
    assert (sample.question, sample.answer, sample.contexts) == ("q", "a", ("x", "y"))


def test_documents_without_text_are_counted_and_not_contexts(read):
    """GenAI requires only ids and scores; contexts are then unknown, not empty."""
    root = span(1, openinference__span__kind="CHAIN", input__value="q", output__value="a")
    ids = span(2, 1, gen_ai__operation__name="retrieval", gen_ai__retrieval__documents='[{"id": "d1", "score": 0.9}]')
    found = read([request(root, ids)])
    assert found[0].contexts is None
    assert any("retrieved documents without a text: 1" in note for note in found.notes)
    none = span(2, 1, gen_ai__operation__name="retrieval", gen_ai__retrieval__documents="[]")
    assert read([request(root, none)])[0].contexts == ()


def document_spans(*kinds):
    """Spans with a document each: `(number, parent, kind)`."""
    for number, parent, kind in kinds:
        name = "reranker.output_documents" if kind == "RERANKER" else "retrieval.documents"
        attributes = {"openinference.span.kind": kind, f"{name}.0.document.content": f"d{number}"}
        yield span(number, parent, begin=number / 10, **attributes)


@pytest.mark.parametrize(
    ("kinds", "contexts"),
    [
        ([(2, 1, "RETRIEVER"), (3, 1, "RETRIEVER")], ("d2", "d3")),
        ([(2, 1, "RETRIEVER"), (3, 2, "RETRIEVER")], ("d2",)),
        ([(2, 1, "RETRIEVER"), (3, 1, "RERANKER")], ("d3",)),
        ([(2, 1, "RETRIEVER"), (3, 2, "RERANKER")], ("d3",)),
    ],
    ids=["several retrievers", "one inside another", "reranker", "reranker inside a retriever"],
)
def test_what_the_model_saw_is_what_came_last(read, kinds, contexts):
    """Rerankers win over retrievers, and outer retrievers over those that they use."""
    root = span(1, openinference__span__kind="CHAIN", input__value="q", output__value="a", seconds=9.0)
    assert read([request(root, *document_spans(*kinds))])[0].contexts == contexts


def test_tokens_of_a_call_inside_another_count_once(read):
    """An agent repeats the totals of its calls, and a framework's span those of the client below it."""
    agent = span(
        1, gen_ai__operation__name="invoke_agent", gen_ai__usage__input_tokens=30, gen_ai__usage__output_tokens=3
    )
    outer = span(2, 1, **MODELS["OpenInference"])
    inner = span(3, 2, **MODELS["GenAI"])
    other = span(4, 1, begin=0.5, **MODELS["GenAI"])
    embedding = span(5, 1, gen_ai__operation__name="embeddings", gen_ai__usage__input_tokens=1000)
    trace = read([request(agent, outer, inner, other, embedding)])[0].trace
    assert (trace.prompt_tokens, trace.completion_tokens) == (18, 4)


def test_a_check_does_not_answer(read):
    """The verdict of an evaluator or a guardrail is the last reply of a model, but not the application's."""
    root = span(1, openinference__span__kind="CHAIN", input__value="q", seconds=9.0)
    model = span(2, 1, **MODELS["OpenInference"])
    check = span(3, 1, openinference__span__kind="EVALUATOR", begin=2.0, output__value="pass")
    verdict = span(4, 3, begin=2.0, openinference__span__kind="LLM", input__value="Is it right?", output__value="pass")
    assert read([request(root, model, check, verdict)])[0].answer == "a"


def test_a_search_without_a_model_has_no_answer(read):
    """It can be graded by the metrics of retrieval."""
    (sample,) = read([request(*document_spans((1, None, "RETRIEVER")), span(2, 1, input__value="q"))])
    assert (sample.question, sample.answer, sample.contexts) == ("q", None, ("d1",))


@pytest.mark.parametrize(
    ("given", "question"),
    [
        ("q", "q"),
        ('{"question": "q", "top_k": 5}', "q"),
        ('{"input": {"query": "q"}, "user": "anna"}', "q"),
        ('{"messages": [[{"lc": 1, "id": ["langchain", "HumanMessage"], "kwargs": {"content": "q"}}]]}', "q"),
        ('{"messages": [{"type": "human", "content": "q"}, {"type": "ai", "content": "a"}]}', "q"),
        ('{"args": ["q"], "kwargs": {"k": 5}}', "q"),
        ('{"text_of_the_customer": "q", "id": 7}', "q"),
        ('{"contents": [{"role": "user", "parts": [{"text": "q"}]}]}', "q"),
        ("{not JSON} q", "{not JSON} q"),
        ("[1] says q", "[1] says q"),
    ],
)  # fmt: skip
def test_the_question_is_found_in_what_applications_record(read, given, question):
    """Known names first, then the only text."""
    root = span(1, openinference__span__kind="CHAIN", input__value=given, output__value="a")
    assert read([request(root)])[0].question == question


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("a", "a"),
        ("", ""),
        ('{"answer": "a", "question": "q"}', "a"),
        ('{"answer": "a", "source_documents": [{"page_content": "x"}]}', "a"),
        ('{"generations": [[{"text": "a"}]]}', "a"),
        ('{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}', "a"),
        ('{"replies": ["a"]}', "a"),
        ('{"final": "a"}', "a"),
        ('{"candidates": [{"content": {"parts": [{"text": "a"}], "role": "model"}}]}', "a"),
        ("42", "42"),
        ('{"answer": 42}', "42"),
    ],
)
def test_the_answer_is_found_in_what_applications_record(read, given, answer):
    """An empty answer is an answer."""
    root = span(1, openinference__span__kind="CHAIN", input__value="q", output__value=given)
    assert read([request(root)])[0].answer == answer


def test_several_roots_are_one_conversation_step(read):
    """The question of the first and the answer of the last; the latency spans both."""
    first = span(1, openinference__span__kind="CHAIN", input__value="q", output__value="let me look")
    last = span(2, begin=2.0, openinference__span__kind="CHAIN", input__value="go on", output__value="a")
    (sample,) = read([request(last, first)])
    assert (sample.question, sample.answer, sample.trace.seconds) == ("q", "a", 3.0)


def test_spans_that_contain_each_other_end_nothing(read):
    """A damaged trace is read as far as possible."""
    one = span(1, 2, openinference__span__kind="CHAIN", input__value="q", output__value="a")
    two = span(2, 1, **MODELS["GenAI"])
    assert read([request(one, two, span(3, 3, name="itself"))])[0].answer == "a"


def test_the_agent_names_the_system_if_the_service_does_not(read):
    """SDKs call a service without a name `unknown_service`."""
    agent = span(1, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="helper", gen_ai__input__messages=PARTS, gen_ai__output__messages=REPLY)  # fmt: skip
    assert read([request(agent, service="unknown_service:python")])[0].system == "helper"
    assert read([request(agent, version="")])[0].system == "support-bot"
