"""Test sets that saiten exports, read by RAGAS and DeepEval; and those that these write, read by saiten."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from museum_set import ITEMS, SINGLE, TALKS, write_set
from saiten.cli import main
from saiten.data import read_samples
from saiten.testsets.reading import items_of

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
ragas = pytest.importorskip("ragas", reason="`make interop` installs RAGAS")
pytest.importorskip("deepeval", reason="`make interop` installs DeepEval")
from deepeval.dataset import ConversationalGolden, EvaluationDataset, Golden  # noqa: E402
from ragas.messages import AIMessage, HumanMessage  # noqa: E402
from ragas.testset.synthesizers import testset_schema as made  # noqa: E402


@pytest.fixture(autouse=True)
def testset(tmp_path, monkeypatch):
    """The folder of a test set with questions of every kind, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_set()


def exported(*arguments):
    """The file that `saiten testset export testset ARGUMENTS` writes."""
    try:
        main(["testset", "export", "testset", *arguments])
    except SystemExit as end:
        assert not end.code  # noqa: PT017 - the command ends well
    return arguments[-1]


def as_read(path):
    """The items that saiten reads, and its notes."""
    notes = []
    return items_of(Path(path), notify=notes.append), notes


def texts(item):
    """The passages' texts; None for none."""
    return [passage.text for passage in item.passages] or None


@pytest.mark.parametrize("kind", [made.Testset, ragas.EvaluationDataset])
def test_ragas_loads_every_single_question(kind):
    """As a test set and as a data set to evaluate, with reference, passages, their places and the persona."""
    data = kind.from_jsonl(exported("--as", "ragas", "-o", "ragas.jsonl"))
    found = [getattr(sample, "eval_sample", sample) for sample in data]
    assert all(isinstance(sample, ragas.SingleTurnSample) for sample in found)
    for item, sample in zip(SINGLE, found, strict=True):
        assert (sample.user_input, sample.reference) == (item.question, item.reference)
        assert sample.reference_contexts == texts(item)
        places = [f"{each.source}:{each.start}-{each.end}" for each in item.passages]
        assert (sample.reference_context_ids, sample.persona_name) == (places, item.made.get("persona"))
        assert sample.response is sample.retrieved_contexts is None
    if kind is made.Testset:
        assert [sample.synthesizer_name for sample in data] == [item.kind for item in SINGLE]


@pytest.mark.parametrize("kind", [made.Testset, ragas.EvaluationDataset])
def test_ragas_loads_every_follow_up_question(kind):
    """As a conversation that ends with the question."""
    data = kind.from_jsonl(exported("--as", "ragas", "--follow-ups", "-o", "ragas.jsonl"))
    found = [getattr(sample, "eval_sample", sample) for sample in data]
    for item, sample in zip(TALKS, found, strict=True):
        (turn,) = item.history
        said = [
            HumanMessage(content=turn.question),
            AIMessage(content=turn.answer),
            HumanMessage(content=item.question),
        ]
        assert (sample.user_input, sample.reference) == (said, item.reference)


def test_ragas_loads_both_files_as_one_test_set():
    """Its test sets, unlike its data sets, hold both."""
    lines = "".join(Path(exported("--as", "ragas", *more, "-o", name)).read_text("utf-8") for more, name in [([], "a.jsonl"), (["--follow-ups"], "b.jsonl")])  # fmt: skip
    Path("both.jsonl").write_text(lines, "utf-8")
    assert [each.synthesizer_name for each in made.Testset.from_jsonl("both.jsonl")] == [
        item.kind for item in (*SINGLE, *TALKS)
    ]


def test_ragas_refuses_single_questions_and_conversations_in_one_data_set():
    """The reason for two files: if RAGAS takes both one day, this fails, and so may the rule."""
    rows = [{"user_input": "q"}, {"user_input": [{"content": "q", "type": "human"}]}]
    with pytest.raises(ValueError, match="user_input"):
        ragas.EvaluationDataset.from_list(rows)


def loaded(path):
    """The goldens of a file."""
    data = EvaluationDataset()
    add = data.add_goldens_from_jsonl_file if path.endswith("l") else data.add_goldens_from_json_file
    add(path)
    return data.goldens


@pytest.mark.parametrize("name", ["goldens.json", "goldens.jsonl"])
def test_deepeval_loads_every_single_question(name):
    """With expected output, context, source, and in the metadata everything that it has no field for."""
    goldens = loaded(exported("--as", "deepeval", "-o", name))
    for item, golden in zip(SINGLE, goldens, strict=True):
        assert isinstance(golden, Golden)
        assert (golden.input, golden.expected_output, golden.context) == (item.question, item.reference, texts(item))
        assert (golden.name, golden.actual_output, golden.retrieval_context) == (item.id, None, None)
        assert golden.source_file == (None if item.kind == "across" else item.passages[0].source)
        about = golden.additional_metadata
        assert (about["id"], about["kind"], about["language"]) == (item.id, item.kind, item.language)
        assert about.get("persona") == item.made.get("persona")
        assert about.get("difficulty") == item.made.get("difficulty")
        assert [each["source"] for each in about["sources"]] == [each.source for each in item.passages]
    verdicts = {golden.name: (golden.additional_metadata.get("verdict"), golden.additional_metadata.get("decided_by")) for golden in goldens}  # fmt: skip
    assert verdicts["single-1"] == ("approved", ["anna", "ben"])
    assert verdicts["across-1"] == ("edited", ["ben"])
    assert verdicts["several-1"] == (None, None)


@pytest.mark.parametrize("name", ["talks.json", "talks.jsonl"])
def test_deepeval_loads_every_follow_up_question(name):
    """As a conversation whose turns end with the question, with the persona."""
    goldens = loaded(exported("--as", "deepeval", "--follow-ups", "-o", name))
    for item, golden in zip(TALKS, goldens, strict=True):
        assert isinstance(golden, ConversationalGolden)
        (turn,) = item.history
        said = [("user", turn.question), ("assistant", turn.answer), ("user", item.question)]
        assert [(each.role, each.content) for each in golden.turns] == said
        assert (golden.scenario, golden.expected_outcome) == (item.question, item.reference)
        assert (golden.context, golden.name) == (texts(item), item.id)
        assert (golden.persona and golden.persona.characteristics) == item.made.get("persona")
        assert golden.additional_metadata["kind"] == "follow_up"


def test_deepeval_refuses_single_questions_and_conversations_in_one_data_set():
    """The reason for two files: if DeepEval takes both one day, this fails, and so may the rule."""
    data = EvaluationDataset([Golden(input="q")])
    with pytest.raises(TypeError, match="single-turn"):
        data.add_golden(ConversationalGolden(scenario="s"))


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_what_ragas_writes_of_a_test_set_is_read(ending):
    """Question, reference and reference contexts, in both languages, for test sets and as samples."""
    wanted = [replace(item, passages=item.passages or ()) for item in SINGLE]
    samples = [
        made.TestsetSample(
            eval_sample=ragas.SingleTurnSample(
                user_input=item.question, reference=item.reference, reference_contexts=texts(item)
            ),
            synthesizer_name="single_hop_specific_query_synthesizer",
        )
        for item in wanted
    ]
    data, path = made.Testset(samples), Path(f"ragas.{ending}")
    (data.to_jsonl if ending == "jsonl" else data.to_csv)(path)
    found, notes = as_read(path)
    assert notes == []
    assert [(item.question, item.reference, texts(item), item.language) for item in found] == [
        (item.question, item.reference, texts(item), item.language) for item in wanted
    ]
    assert {item.kind for item in found} == {""}
    read = list(read_samples(path, detect_language=lambda *_: "en", wished=("reference", "question")))
    assert [(one.question, one.reference, list(one.evidence or ())) for one in read] == [
        (item.question, item.reference, texts(item)) for item in wanted
    ]


def test_a_conversation_that_ragas_writes_is_a_follow_up_question():
    """What was said before is its history."""
    said = [
        HumanMessage(content="When in winter?"),
        AIMessage(content="At 16:00."),
        HumanMessage(content="And in summer?"),
    ]
    sample = ragas.MultiTurnSample(user_input=said, reference="At 18:00.")
    made.Testset([made.TestsetSample(eval_sample=sample, synthesizer_name="s")]).to_jsonl("talks.jsonl")
    ((item,), notes) = as_read("talks.jsonl")
    assert (item.question, item.reference, item.history[0].answer, notes) == (
        "And in summer?",
        "At 18:00.",
        "At 16:00.",
        [],
    )


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_what_deepeval_saves_is_read(ending, capsys):
    """Question, reference, context and the id in the metadata; joined contexts are split, with a note."""
    goldens = [
        Golden(
            input=item.question,
            expected_output=item.reference,
            context=texts(item),
            source_file="hours.md",
            additional_metadata={"id": item.id},
        )
        for item in SINGLE
    ]
    found, notes = as_read(EvaluationDataset(goldens).save_as(ending, ".", "saved"))
    assert [(item.id, item.question, item.reference, texts(item)) for item in found] == [
        (item.id, item.question, item.reference, texts(item)) for item in SINGLE
    ]
    assert [note.partition(" with which")[0] for note in notes] == (
        [] if ending == "json" else [f"saved.{ending}: contexts are split at |,"]
    )
    capsys.readouterr()


@pytest.mark.parametrize(("tool", "name"), [("ragas", "a.jsonl"), ("deepeval", "a.json"), ("deepeval", "a.jsonl")])
def test_an_export_is_read_back(tool, name):
    """By saiten itself: question, reference and passages; from DeepEval's form with ids."""
    found, notes = as_read(exported("--as", tool, "-o", name))
    assert notes == []
    assert [(item.question, item.reference, texts(item)) for item in found] == [
        (item.question, item.reference, texts(item)) for item in SINGLE
    ]
    if tool == "deepeval":
        assert [item.id for item in found] == [item.id for item in SINGLE]


def test_every_kind_of_question_is_tried():
    """A kind that is added to saiten must be in the set of these tests."""
    from saiten.choices import QuestionKind

    assert {item.kind for item in ITEMS} == set(QuestionKind.__args__)
    assert json.loads(Path("testset/questions.jsonl").read_text("utf-8").splitlines()[0])["kind"] == "single"
