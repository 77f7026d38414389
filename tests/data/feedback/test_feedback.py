"""Scores go back to the trace and the span of their answer; those without a value with their status, never as 0."""

import json
from datetime import UTC, datetime

import pytest

from saiten.data.feedback import FORMATS, feedback_lines
from saiten.data.feedback.graded import FeedbackSource
from saiten.errors import BadInput
from saiten.records import Sample, Score, Trace

TRACE, SPAN = "a" * 32, f"{1:016x}"
SOURCE = FeedbackSource({"faithfulness": "openai:gpt-4o-mini"}, "runs/day", datetime(2026, 11, 28, 12, tzinfo=UTC))
SCORES = {
    "faithfulness": Score(0.0, reason="no statement is supported"),
    "token_f1": Score.undefined("there is no reference"),
    "correctness": Score(None, "unreadable", "the reply is no grade"),
}


def objects(name, graded, source=SOURCE, notes=None):
    """What the lines of a file contain."""
    found = feedback_lines(name, graded, source, (notes if notes is not None else []).append)
    return [json.loads(line) for line in found]


@pytest.fixture
def graded():
    """A sample with its scores."""
    return [(Sample(TRACE, "q", "a", trace=Trace(TRACE, SPAN)), SCORES)]


def attributes(record):
    """Attributes of an event."""
    return {pair["key"]: next(iter(pair["value"].values())) for pair in record["attributes"]}


def test_events_of_opentelemetry_belong_to_the_span(graded):
    """As the GenAI conventions have `gen_ai.evaluation.result`; a status is the label, and an error for failures."""
    found = objects("otlp", graded)
    records = [each["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0] for each in found]
    assert {(each["traceId"], each["spanId"], each["eventName"]) for each in records} == {
        (TRACE, SPAN, "gen_ai.evaluation.result")
    }
    assert records[0]["timeUnixNano"] == "1795867200000000000"
    first, second, third = map(attributes, records)
    assert first["gen_ai.evaluation.name"] == "faithfulness"
    assert first["gen_ai.evaluation.score.value"] == 0.0
    assert first["gen_ai.evaluation.explanation"] == "no statement is supported"
    assert (first["saiten.judge"], first["saiten.run"]) == ("openai:gpt-4o-mini", "runs/day")
    assert "gen_ai.evaluation.score.label" not in first
    assert (second["gen_ai.evaluation.score.label"], "error.type" in second) == ("undefined", False)
    assert (third["gen_ai.evaluation.score.label"], third["error.type"]) == ("unreadable", "unreadable")
    assert not any("gen_ai.evaluation.score.value" in each for each in (second, third))


def test_bodies_of_langfuse_replace_themselves(graded):
    """A number is NUMERIC and a status CATEGORICAL; the id is the same each time."""
    found = objects("langfuse", graded)
    assert [(each["traceId"], each["observationId"]) for each in found] == [(TRACE, SPAN)] * 3
    assert [(each["name"], each["value"], each["dataType"]) for each in found] == [
        ("faithfulness", 0.0, "NUMERIC"),
        ("token_f1", "undefined", "CATEGORICAL"),
        ("correctness", "unreadable", "CATEGORICAL"),
    ]
    assert found[0]["comment"] == "no statement is supported"
    assert found[0]["metadata"] == {"sample": TRACE, "judge": "openai:gpt-4o-mini", "run": "runs/day"}
    assert objects("langfuse", graded) == found
    assert len({each["id"] for each in found}) == 3
    assert found[0]["timestamp"] == "2026-11-28T12:00:00.000+00:00"
    other = objects("langfuse", graded, FeedbackSource(run="runs/other", time=SOURCE.time))
    assert not {each["id"] for each in other} & {each["id"] for each in found}
    (whole, *_) = objects("langfuse", [(Sample("t", trace=Trace("t")), SCORES)])
    assert "observationId" not in whole


def test_annotations_of_phoenix_are_of_the_span_or_of_the_trace(graded):
    """A score of a judge is by an LLM, any other by code."""
    found = objects("phoenix", graded)
    assert [(each["span_id"], each["name"], each["annotator_kind"]) for each in found] == [
        (SPAN, "faithfulness", "LLM"),
        (SPAN, "token_f1", "CODE"),
        (SPAN, "correctness", "CODE"),
    ]
    assert found[0]["result"] == {"score": 0.0, "explanation": "no statement is supported"}
    assert found[1]["result"] == {"label": "undefined", "explanation": "there is no reference"}
    (whole, *_) = objects("phoenix", [(Sample("t", trace=Trace("t")), SCORES)])
    assert (whole["trace_id"], "span_id" in whole) == ("t", False)


def test_assessments_of_mlflow_have_an_error_instead_of_a_value(graded):
    """Its code is the status."""
    found = objects("mlflow", graded)
    assert [each["feedback"] for each in found] == [
        {"value": 0.0},
        {"value": None, "error": {"error_code": "undefined", "error_message": "there is no reference"}},
        {"value": None, "error": {"error_code": "unreadable", "error_message": "the reply is no grade"}},
    ]
    assert found[0]["source"] == {"source_type": "LLM_JUDGE", "source_id": "openai:gpt-4o-mini"}
    assert found[1]["source"] == {"source_type": "CODE", "source_id": "saiten"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tr-" + "b" * 32, "b" * 32),
        ("bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb", "b" * 32),
        ("my trace", None),
    ],
)
def test_ids_of_other_tools_are_those_of_opentelemetry_if_they_contain_one(given, expected):
    """MLflow's and UUIDs do; any other id is an attribute, and the event belongs to no trace."""
    (each,) = objects("otlp", [(Sample(given, trace=Trace(given, "f" * 16)), {"m": Score(1.0)})])
    record = each["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    assert record.get("traceId") == expected
    assert record.get("spanId") == (None if expected is None else "f" * 16)
    assert attributes(record).get("saiten.trace") == (given if expected is None else None)


@pytest.mark.parametrize("name", FORMATS)
def test_samples_that_are_not_from_traces_are_counted(graded, name):
    """Their scores have nowhere to go; if all are such, that is an error."""
    notes = []
    assert len(objects(name, [*graded, (Sample("q1", "q"), SCORES)], notes=notes)) == 3
    assert notes == ["1 samples were not read from traces, and their scores are left out"]
    with pytest.raises(BadInput, match="no sample was read from a trace"):
        objects(name, [(Sample("q1", "q"), SCORES)])
