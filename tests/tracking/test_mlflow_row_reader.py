"""What MLflow passes to a scorer becomes a sample: by the names that files may have, and never by guessing."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.mlflow.row_reader import RowReader


class Message(BaseModel):
    """A message of a client library."""

    content: str


class Completion(BaseModel):
    """A chat completion of a client library."""

    choices: list[dict[str, Message]]


@dataclass
class Reply:
    """What somebody's predict_fn may return."""

    answer: str
    contexts: list[str]


class Opaque:
    """An object without a known text."""


def read(inputs=None, outputs=None, expectations=None, trace=None, **how):
    """Read one row; `how`: columns, language."""
    return RowReader(how.get("columns", {}), how.get("language")).read(inputs, outputs, expectations, trace)


@pytest.mark.parametrize(
    ("inputs", "question"),
    [
        ({"question": "Where?"}, "Where?"),
        ({"query": "Where?", "k": 5}, "Where?"),
        ({"user_input": "どこ？"}, "どこ？"),
        ({"prompt": "Where?"}, "Where?"),
        ({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}]}, "Where?"),
        ({"input": [{"role": "user", "content": "Where?"}]}, "Where?"),
        ("Where?", "Where?"),
        ('{"question": "Where?"}', "Where?"),
    ],
)
def test_the_question_is_found_under_the_names_that_files_may_have(inputs, question):
    """A dict with a known name, a single text, a chat, or plain text."""
    assert read(inputs, "There.").question == question


@pytest.mark.parametrize(
    ("outputs", "answer"),
    [
        ("There.", "There."),
        ("", ""),
        (1998, "1998"),
        ({"answer": "There.", "model": "m"}, "There."),
        ({"response": "There."}, "There."),
        (["There."], "There."),
        ({"choices": [{"message": {"role": "assistant", "content": "There."}}]}, "There."),
        ({"messages": [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}]}, "There."),
        ({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "There."}]}]}, "There."),
        ({"output": [{"type": "function_call", "name": "f"}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "There."}]}]}, "There."),
        (Message(content="There."), "There."),
        (Completion(choices=[{"message": Message(content="There.")}]), "There."),
        (Reply("There.", ["A map."]), "There."),
    ],
)  # fmt: skip
def test_the_answer_is_found_in_what_predict_fn_may_return(outputs, answer):
    """Text, an object with a known name, a chat completion, OpenAI's responses, or an object of a client library."""
    assert read({"question": "Where?"}, outputs).answer == answer


@pytest.mark.parametrize(
    ("expectations", "references"),
    [
        ({"expected_response": "There."}, ("There.",)),
        ({"expected_output": "There."}, ("There.",)),
        ({"ground_truth": ["There.", "Over there."]}, ("There.", "Over there.")),
        ({"expected_facts": ["It is there.", "It is old."]}, ("It is there.\nIt is old.",)),
        ({"expected_facts": ["It is old."], "expected_response": "There."}, ("There.",)),
        ({"expected_facts": []}, ()),
        ({"guidelines": "Be brief."}, ()),
        (None, ()),
    ],
)
def test_the_reference_is_the_expected_response_or_all_expected_facts(expectations, references):
    """Facts are parts of one correct answer, so they are one reference; several ground truths are several."""
    assert read({"question": "Where?"}, "There.", expectations).references == references


def test_contexts_in_the_outputs_are_contexts_and_nothing_is_not_empty():
    """Contexts that were not given are unknown; an empty list means that nothing was found."""
    assert read({"question": "Where?"}, Reply("There.", ["A map."])).contexts == ("A map.",)
    assert read({"question": "Where?"}, {"answer": "There.", "contexts": []}).contexts == ()
    assert read({"question": "Where?"}, "There.").contexts is None


def test_the_language_is_detected_or_given():
    """Japanese is recognized by its letters."""
    assert read({"question": "どこですか。"}, "名古屋です。").language == "ja"
    assert read({"question": "どこですか。"}, "名古屋です。", language="en").language == "en"


def test_other_places_can_be_named():
    """A place named for a field counts, also instead of what would be recognized."""
    row = {"prompt": "Where?", "user": "u1", "notes": ["A map."]}
    found = read(row, "There.", columns={"question": "inputs.prompt", "contexts": "inputs.notes"})
    assert (found.question, found.contexts) == ("Where?", ("A map.",))
    facts = {"expected_facts": ["a"], "best": "There."}
    assert read(row, "There.", facts, columns={"question": "inputs.prompt", "reference": "expectations.best"}).references == ("There.",)  # fmt: skip
    with pytest.raises(ConfigurationError, match="there is no field 'prompt'"):
        RowReader({"prompt": "inputs.prompt"}, None)


@pytest.mark.parametrize(
    ("inputs", "outputs", "reason"),
    [
        (None, None, "neither question nor answer"),
        ({"prompt": "Where?", "user": "u1"}, "There.", "question: expected text, got an object with prompt, user"),
        ({"question": "Where?"}, Opaque(), "outputs: expected text, a dict or a chat completion, got an object of the type Opaque; let predict_fn return one of these"),
        ({"question": "Where?"}, ["There.", "Here."], "answer: expected one text, got a list of 2"),
        ({"question": "Where?"}, {"answer": "There.", "contexts": [{"id": 1}]}, "contexts: a context is an object with id; expected text in it"),
        ({"question": "\ud800"}, "There.", "question: half a character (a lone surrogate) at position 1"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_read_says_why(inputs, outputs, reason):
    """No text is invented: neither the name of an object's type nor its address in memory is graded."""
    found = read(inputs, outputs)
    assert isinstance(found, BadRow)
    assert found.reason == reason


def span(name, parent, kind, outputs, start):
    """A span as MLflow shows it to a scorer."""
    return SimpleNamespace(
        span_id=name, parent_id=parent, name=name, span_type=kind, inputs={"question": "Where?"}, outputs=outputs, start_time_ns=start
    )  # fmt: skip


def traced(*spans, expectations=()):
    """A trace whose root answers `There.`, with these spans below it."""
    root = span("root", None, "CHAIN", "There.", 0)
    logged = [SimpleNamespace(name=name, value=value) for name, value in expectations]
    return SimpleNamespace(
        info=SimpleNamespace(trace_id="tr-1"),
        data=SimpleNamespace(spans=[root, *spans]),
        search_assessments=lambda **_: logged,
    )


@pytest.mark.parametrize(
    ("spans", "contexts"),
    [
        ([], None),
        ([span("a", "root", "RETRIEVER", [{"page_content": "One."}, {"text": "Two."}, {"content": "Three."}], 1)], ("One.", "Two.", "Three.")),
        ([span("a", "root", "RETRIEVER", ["One.", "Two."], 1)], ("One.", "Two.")),
        ([span("a", "root", "RETRIEVER", '[{"page_content": "One."}]', 1)], ("One.",)),
        ([span("a", "root", "RETRIEVER", [], 1)], ()),
        ([span("a", "root", "RETRIEVER", None, 1)], None),
        ([span("a", "root", "RETRIEVER", None, 1), span("b", "root", "RETRIEVER", ["One."], 2)], ("One.",)),
        ([span("b", "root", "RETRIEVER", ["Two."], 2), span("a", "root", "RETRIEVER", ["One."], 1)], ("One.", "Two.")),
        ([span("a", "root", "RETRIEVER", ["One."], 1), span("b", "a", "RETRIEVER", ["All."], 2)], ("One.",)),
        ([span("a", "root", "RETRIEVER", ["One."], 1), span("b", "a", "LLM", "x", 2), span("c", "b", "RETRIEVER", ["All."], 3)], ("One.",)),
        ([span("a", "root", "TOOL", ["Tool."], 1)], None),
    ],
)  # fmt: skip
def test_contexts_are_what_the_outermost_retrievers_returned(spans, contexts):
    """As for MLflow's own scorers, in order of their start; a retriever inside another one is a step of it."""
    assert read({"question": "Where?"}, "There.", None, traced(*spans)).contexts == contexts


def test_contexts_of_the_row_come_before_those_of_its_trace():
    """What the system says that it used is more exact than all that it found."""
    trace = traced(span("a", "root", "RETRIEVER", ["One.", "Two."], 1))
    assert read({"question": "Where?"}, Reply("There.", ["Two."]), None, trace).contexts == ("Two.",)


def test_a_document_without_text_is_named_with_its_span():
    """The error says where to look."""
    found = read({"question": "Where?"}, "There.", None, traced(span("search", "root", "RETRIEVER", [{"id": 7}], 1)))
    assert found.reason == "contexts, from the retriever span 'search': a context is an object with id; expected text in it"  # fmt: skip


def test_what_is_not_passed_is_read_from_the_trace():
    """Inputs and outputs of its root span, and the expectations logged on it; its id is that of the sample."""
    found = read(trace=traced(expectations=[("expected_response", "There!")]))
    assert (found.id, found.question, found.answer, found.reference) == ("tr-1", "Where?", "There.", "There!")
    assert read(expectations={"ground_truth": "Here."}, trace=traced(expectations=[("expected_response", "x")])).references == ("Here.",)  # fmt: skip
