"""DeepEval: test cases, goldens and data sets in memory, and the files that it saves."""

import json
import os
import subprocess
import sys

import pytest

import saiten
from saiten.data import read_samples
from saiten.errors import BadInput
from saiten.records import Sample

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
deepeval = pytest.importorskip("deepeval", reason="`make interop` installs DeepEval")
from deepeval.dataset import EvaluationDataset, Golden  # noqa: E402
from deepeval.test_case import ConversationalTestCase, LLMTestCase, RetrievedContextData, Turn  # noqa: E402

CASES = [
    LLMTestCase(
        input="When was it opened?",
        actual_output="In 1998.",
        expected_output="1998",
        retrieval_context=["Opened in 1998.", RetrievedContextData(context="It is\n3.9 km long.", source="a.md")],
        context=["1998-04-05", "Ideal"],
        metadata={"id": "bridge-1", "system": "hasty"},
        name="case",
    ),
    LLMTestCase(input="How long is it?", actual_output="", retrieval_context=[]),
]
EXPECTED = [
    Sample(
        "bridge-1",
        "When was it opened?",
        "In 1998.",
        ("Opened in 1998.", "It is\n3.9 km long."),
        "1998",
        evidence=("1998-04-05", "Ideal"),
    ),
    Sample("row-2", "How long is it?", "", ()),
]


def read(source, notes=None, **settings):
    """Everything read from the source."""
    notes = [] if notes is None else notes
    return list(read_samples(source, detect_language=lambda *_: "en", notify=notes.append, **settings))


def data_set(*cases, goldens=()):
    """A data set with these test cases."""
    made = EvaluationDataset(goldens=list(goldens))
    for case in cases:
        made.add_test_case(case)
    return made


def test_test_cases_are_read_from_a_list_and_a_data_set():
    """A context with its source gives the context, and the id is the one in the metadata."""
    assert read(CASES) == read(data_set(*CASES)) == EXPECTED
    assert read(data_set(*CASES, goldens=[Golden(input="unasked")])) == EXPECTED  # the answers are in the test cases
    assert read(CASES[:1], columns={"system": "metadata.system"})[0].system == "hasty"


def test_evaluate_scores_test_cases():
    """With thresholds and figures as for a file."""
    result = saiten.evaluate(data_set(*CASES), metrics=["exact_match", "token_f1"], judge="offline")
    assert result.summary.overall("token_f1").n == 1
    assert [one.score.status for one in result.scores if one.sample == "row-2"] == ["undefined"] * 2


def test_goldens_alone_have_nothing_to_grade():
    """The error says how to get answers; they are questions for `saiten answer`; a golden may have an answer, too."""
    goldens = [Golden(input="q", expected_output="r", context=["e"])]
    for source in (data_set(goldens=goldens), goldens, tuple(goldens)):
        with pytest.raises(BadInput, match=r"1 DeepEval goldens without an answer.*saiten answer FILE\.py:NAME"):
            saiten.evaluate(source, metrics=["token_f1"])
        assert read(source) == [Sample("row-1", "q", reference="r", evidence=("e",))]
    answered = [Golden(input="q", expected_output="r", actual_output="r", id="g1")]
    assert saiten.evaluate(data_set(goldens=answered), metrics=["exact_match"]).scores[0].sample == "g1"


def test_a_conversation_is_a_sample_per_answer():
    """With the contexts of its turn and what was said before; the other rows are read."""
    turns = [
        Turn(role="user", content="Is it open?"),
        Turn(role="assistant", content="Yes.", retrieval_context=["Open 9-17."]),
        Turn(role="user", content="Until when?"),
        Turn(role="assistant", content="17."),
    ]
    good, first, second = read([CASES[0], ConversationalTestCase(turns=turns, context=["Open from 9 to 17."])])
    assert good == EXPECTED[0]
    assert (first.question, first.answer, first.contexts) == ("Is it open?", "Yes.", ("Open 9-17.",))
    assert (second.contexts, second.evidence) == (None, ("Open from 9 to 17.",))
    assert [(turn.question, turn.answer) for turn in second.history] == [("Is it open?", "Yes.")]


def test_images_are_noted():
    """A case with an image is read without it, which the user should know."""
    notes = []
    read([LLMTestCase(input="what is this?", actual_output="a", multimodal=True)] * 2, notes)
    assert notes == ["input: images of multimodal test cases are not read"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_a_saved_data_set_is_read_as_it_was(kind, tmp_path, capsys):
    """CSV and JSON lines join contexts with a bar, which a note says; JSON keeps lists."""
    data = data_set(CASES[0], LLMTestCase(input="q", actual_output="a", retrieval_context=["one"]))
    path = data.save_as(kind, str(tmp_path), "saved", include_test_cases=True)
    notes = []
    first, second = read(path, notes)
    assert (first.question, first.answer, first.reference) == ("When was it opened?", "In 1998.", "1998")
    assert first.contexts == EXPECTED[0].contexts
    assert first.evidence == EXPECTED[0].evidence
    assert second.contexts == ("one",)
    said = (
        f"saved.{kind}: contexts are split at |, with which DeepEval joins them in its files; to keep a | in a text, "
        "save the data set as JSON, or write the contexts as a JSON list"
    )
    assert [note for note in notes if "|" in note] == ([] if kind == "json" else [said])
    capsys.readouterr()


def test_a_command_reads_test_cases_in_a_python_file(tmp_path):
    """`FILE.py:NAME`, also a function that returns them; thresholds work as for a file."""
    (tmp_path / "my_eval.py").write_text(
        "from deepeval.test_case import LLMTestCase\n"
        "def cases():\n"
        "    return [LLMTestCase(input='q', actual_output='a', expected_output='a')]\n"
    )
    run = "import sys; from saiten.cli import main; main(sys.argv[1:])"
    words = ["score", "my_eval.py:cases", "-m", "exact_match", "--fail-under", "exact_match=1", "--format", "json"]
    done = subprocess.run([sys.executable, "-c", run, *words], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)
