"""RAGAS: its data sets in memory, and the files that they write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import saiten
from saiten.data import BadRow, read_samples
from saiten.records import Sample, Turn

ragas = pytest.importorskip("ragas", reason="`make interop` installs RAGAS")
from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage  # noqa: E402
from ragas.testset.synthesizers import testset_schema as made  # noqa: E402

FULL = {
    "user_input": "橋はいつ開通しましたか。",
    "retrieved_contexts": ["この橋は1998年に開通した。", "長さは3.9 kmで、[1] 世界一だ。"],
    "reference_contexts": ["1998年4月5日開通。"],
    "response": "1998年です。",
    "reference": "1998年に開通した。",
}
SAMPLES = [
    ragas.SingleTurnSample(**FULL),
    ragas.SingleTurnSample(user_input='And its length, e.g. "3.9 km"?', response="3,911 m, it's\nlong", retrieved_contexts=[]),
]  # fmt: skip
EXPECTED = [
    Sample(
        "row-1",
        FULL["user_input"],
        FULL["response"],
        tuple(FULL["retrieved_contexts"]),
        FULL["reference"],
        evidence=tuple(FULL["reference_contexts"]),
        language="ja",
    ),
    Sample("row-2", 'And its length, e.g. "3.9 km"?', "3,911 m, it's\nlong", (), language="ja"),
]


def read(source, notes=None):
    """Everything read from the source; all Japanese, to compare whole samples."""
    notes = [] if notes is None else notes
    return list(read_samples(source, detect_language=lambda *_: "ja", notify=notes.append))


@pytest.mark.parametrize("shape", [list, ragas.EvaluationDataset, iter, tuple], ids=["list", "data set", "iterator", "tuple"])  # fmt: skip
def test_a_data_set_and_a_list_of_its_samples_are_read(shape):
    """Every field that saiten has is taken; an empty list of contexts stays one."""
    assert read(shape(SAMPLES)) == EXPECTED


def test_evaluate_scores_a_data_set():
    """As it scores a file with the same rows; one sample by itself is a data set, too."""
    result = saiten.evaluate(ragas.EvaluationDataset(SAMPLES), metrics=["token_f1", "context_overlap"], judge="offline")
    assert [(each.sample, each.metric, each.score.status) for each in result.scores] == [
        ("row-1", "token_f1", "ok"),
        ("row-1", "context_overlap", "ok"),
        ("row-2", "token_f1", "undefined"),
        ("row-2", "context_overlap", "ok"),  # nothing was found, which is 0
    ]
    assert saiten.evaluate(SAMPLES[0], metrics=["token_f1"]).scores[0].score == result.scores[0].score


@pytest.mark.parametrize("kind", ["csv", "jsonl", "hf", "pandas"])
def test_what_a_data_set_writes_is_read_as_the_data_set_is(kind, tmp_path):
    """`to_csv` writes Python's lists into cells; nothing is lost but the difference between no and empty contexts."""
    data = ragas.EvaluationDataset([SAMPLES[0], SAMPLES[1].model_copy(update={"retrieved_contexts": ["It's 3.9 km."]})])
    written = {
        "csv": lambda: data.to_csv(tmp_path / "d.csv") or tmp_path / "d.csv",
        "jsonl": lambda: data.to_jsonl(tmp_path / "d.jsonl") or tmp_path / "d.jsonl",
        "hf": data.to_hf_dataset,
        "pandas": data.to_pandas,
    }[kind]()
    prefix = 2 if kind == "csv" else 1  # the header is row 1
    found = read(written)
    assert [one.id for one in found] == [f"row-{number}" for number in range(prefix, prefix + 2)]
    assert [(one.question, one.answer, one.contexts, one.reference, one.evidence) for one in found] == [
        (one.question, one.answer, one.contexts, one.reference, one.evidence) for one in read(data)
    ]


def test_what_is_not_read_is_noted_once():
    """Rubrics are not used, and of several responses none is chosen."""
    rows = [ragas.SingleTurnSample(**FULL, rubrics={"score1": "bad"}, multi_responses=["a", "b"]) for _ in range(3)]
    notes = []
    assert len(read(rows, notes)) == 3
    assert sorted(notes) == [
        "input: multi_responses are not read; pass one sample per response",
        'input: rubrics are not used; a criterion of your own is a metric: "criterion[polite and brief, 1 to 5]"',
    ]


def test_the_name_of_a_data_set_is_in_messages():
    """With a bad row, it says which one."""
    (bad,) = read(ragas.EvaluationDataset([ragas.SingleTurnSample()], name="bridges"))
    assert bad == BadRow("bridges:1", "neither question nor answer", bad.raw)


def test_a_conversation_is_a_sample_per_answer():
    """With what was said before; what tools returned are contexts."""
    turns = [
        HumanMessage(content="Is it open?"),
        AIMessage(content="", tool_calls=[ToolCall(name="hours", args={})]),
        ToolMessage(content="Open 9-17."),
        AIMessage(content="Yes."),
        HumanMessage(content="Until when?"),
        AIMessage(content="17."),
    ]
    first, second = read(ragas.EvaluationDataset([ragas.MultiTurnSample(user_input=turns, reference="Until 17.")]))
    assert (first.question, first.answer, first.contexts) == ("Is it open?", "Yes.", ("Open 9-17.",))
    assert (second.id, second.history, second.reference) == ("row-1/turn-2", (Turn("Is it open?", "Yes."),), None)


def test_a_generated_test_set_gives_questions(tmp_path):
    """Without answers, for `saiten answer`; also with the name of the module and the set."""
    testset = made.Testset([made.TestsetSample(eval_sample=ragas.SingleTurnSample(user_input="q", reference="r"), synthesizer_name="s")])  # fmt: skip
    assert read(testset) == [Sample("row-1", "q", reference="r", language="ja")]
    (tmp_path / "my_eval.py").write_text(
        "import ragas\n"
        "print('loading')\n"
        f"dataset = ragas.EvaluationDataset([ragas.SingleTurnSample(**{FULL!r})])\n"
        "def answer(question): return '1998年'\n"
    )
    run = "import sys; from saiten.cli import main; main(sys.argv[1:])"
    for words in (["score", "my_eval.py:dataset", "-m", "token_f1", "--format", "json"], ["answer", "my_eval.py:dataset", "--system", "my_eval.py:answer", "-o", "a.jsonl"]):  # fmt: skip
        subprocess.run([sys.executable, "-c", run, *words], cwd=tmp_path, env=os.environ, check=True)
    assert '"answer":"1998年"' in Path(tmp_path / "a.jsonl").read_text("utf-8")
