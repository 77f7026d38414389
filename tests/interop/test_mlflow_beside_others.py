"""saiten's scorers in one `mlflow.genai.evaluate` with those that MLflow makes of RAGAS and DeepEval."""

import pytest

from saiten.mlflow import scorers
from saiten.mlflow.row_reader import RowReader

pytest.importorskip("ragas", reason="`make interop` installs RAGAS")
pytest.importorskip("deepeval", reason="`make interop` installs DeepEval")
mlflow = pytest.importorskip("mlflow", reason="`make interop` installs MLflow")

pytestmark = pytest.mark.xdist_group("mlflow")

ROWS = [
    {"inputs": {"question": "橋はいつ開通しましたか。"}, "outputs": "1998年です。", "expectations": {"expected_output": "1998年です。"}},
    {"inputs": {"question": "When was it opened?"}, "outputs": "In 1998.", "expectations": {"expected_output": "In 1999."}},
]  # fmt: skip


@pytest.fixture(autouse=True)
def experiment(tmp_path, monkeypatch):
    """An empty store."""
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/tracked.db")
    mlflow.set_experiment("answers")
    yield
    mlflow.set_tracking_uri(None)


def test_scorers_of_three_tools_are_used_in_one_evaluation():
    """They read the same rows, agree on what an exact match is, and their figures have names of their own."""
    from mlflow.genai.scorers.deepeval import get_scorer as of_deepeval
    from mlflow.genai.scorers.ragas import get_scorer as of_ragas

    made = [
        of_ragas("ExactMatch"),
        of_deepeval("PatternMatch", pattern=".*1998.*"),
        *scorers(["exact_match", "token_f1"]),
    ]
    result = mlflow.genai.evaluate(data=ROWS, scorers=made)
    assert result.metrics["ExactMatch/mean"] == result.metrics["exact_match/mean"] == 0.5
    assert result.metrics["PatternMatch/mean"] == 1.0
    assert 0.5 < result.metrics["token_f1/mean"] < 1
    frameworks = {
        one.name: one.metadata["mlflow.scorer.framework"]
        for trace in mlflow.search_traces(run_id=result.run_id, return_type="list")
        for one in trace.info.assessments
        if one.feedback is not None
    }
    assert frameworks == {"ExactMatch": "ragas", "PatternMatch": "deepeval", "exact_match": "saiten", "token_f1": "saiten"}  # fmt: skip


def test_contexts_of_a_trace_are_those_that_mlflow_finds():
    """Of real traces: nested and repeated retrievers, and the keys of documents that MLflow knows."""
    from mlflow.genai.utils.trace_utils import extract_retrieval_context_from_trace

    @mlflow.trace(span_type="RETRIEVER")
    def inner(query):
        return [{"page_content": "inner"}]

    @mlflow.trace(span_type="RETRIEVER")
    def search(query):
        inner(query)
        return [
            {"page_content": f"{query}, first"},
            {"content": "橋の資料", "metadata": {"doc_uri": "b.md"}},
            {"text": "x"},
        ]

    @mlflow.trace
    def system(question):
        search(question)
        search(f"{question} again")
        return "In 1998."

    system(question="When?")
    trace_id = mlflow.get_last_active_trace_id()
    mlflow.flush_trace_async_logging()
    trace = mlflow.get_trace(trace_id)
    theirs = [each["content"] for found in extract_retrieval_context_from_trace(trace).values() for each in found]
    ours = RowReader({}, None).read(None, None, None, trace)
    assert list(ours.contexts) == theirs
    assert (ours.id, ours.question, ours.answer, len(theirs)) == (trace_id, "When?", "In 1998.", 6)
