"""`saiten export RUN --as otlp`: the scores of traces for the tools that recorded these."""

import json
from pathlib import Path

import pytest

from otlp_traces import lines, rag, request


@pytest.fixture
def run(saiten):
    """A run of two traces."""
    Path("traces.jsonl").write_text(lines(request(*rag()), request(*rag("b" * 32))))
    assert saiten("score", "traces.jsonl", "-m", "faithfulness", "-m", "token_f1", "-o", "run").status == 0
    return "run"


@pytest.mark.parametrize("tool", ["otlp", "langfuse", "phoenix", "mlflow"])
def test_scores_of_traces_are_exported_for_a_tool(saiten, run, tool):
    """One line per score, the same each time; replaced by a later export, which a file of something else is not."""
    for _ in range(2):
        said = saiten("export", run, "--as", tool, "-o", "scores.jsonl")
        assert said.status == 0, said
    first = Path("scores.jsonl").read_text()
    assert len(first.splitlines()) == 4
    assert all(json.loads(line) for line in first.splitlines())
    assert ("a" * 32 in first, "b" * 32 in first, "undefined" in first) == (True, True, True)
    Path("other.jsonl").write_text('{"id": 1}\n')
    assert saiten("export", run, "--as", tool, "-o", "other.jsonl").status == 2


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet", "scores.xlsx"])
def test_exports_have_latency_and_tokens_of_traces(saiten, run, name):
    """As columns after the fields; a later export replaces the file."""
    for _ in range(2):
        said = saiten("export", run, "-o", name)
        assert said.status == 0, said
    if name.endswith("csv"):
        header, first, *_ = Path(name).read_text().splitlines()
        assert "trace_seconds,trace_prompt_tokens,trace_completion_tokens" in header
        assert "1.5,120.0,30.0" in first


def test_a_run_without_traces_says_what_is_missing(saiten):
    """There is nothing that the scores belong to."""
    Path("a.jsonl").write_text('{"question": "q", "answer": "a", "reference": "a"}\n')
    saiten("score", "a.jsonl", "-m", "exact_match", "-o", "plain")
    said = saiten("export", "plain", "--as", "otlp")
    assert (said.status, "no sample was read from a trace" in said.err) == (2, True), said
