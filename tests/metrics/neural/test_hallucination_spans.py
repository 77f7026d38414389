"""Spans that a token classifier marks: right on a tiny trained one, in any batch, on any input, and in the commands."""

import asyncio
import random

import numpy as np
import pytest

import networks
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.neural.hallucination_spans import HallucinationSpans, marked_spans, share_unmarked
from saiten.metrics.neural.span_network import MarkedAnswer
from saiten.records import Sample, Scored
from saiten.trust.spans.marks import marks_of_run
from tiny_classifiers import THINGS, relabeled_tokens, tiny_span_marker
from tiny_models import tiny_bert

with_networks = networks.needed()


@pytest.fixture(scope="session")
def marker(tmp_path_factory):
    """The folder of a trained token classifier."""
    return tiny_span_marker(tmp_path_factory.mktemp("marker"))


def score(model, answer, *contexts, language="en", question="?", **settings):
    """The score of one answer; nobody is asked."""
    sample = Sample("1", question=question, answer=answer, contexts=contexts, language=language)
    return asyncio.run(HallucinationSpans(str(model), **settings).score(sample, None))


def texts(score):
    """What is marked."""
    return [span["text"] for span in score.details["spans"]]


@with_networks
@pytest.mark.witness
def test_what_no_context_has_is_marked(marker):
    """The value is the share of the characters, without white space, that is not marked; spans have their places."""
    answer = "the cat saw the moon. a dog slept."
    found = score(marker, answer, "the dog is there.", "a cat slept.")
    assert texts(found) == ["moon"]
    (span,) = found.details["spans"]
    assert answer[span["start"] : span["end"]] == span["text"]
    assert span["p"] > 0.9
    assert found.value == pytest.approx(1 - 4 / 27)
    assert found.expected == pytest.approx(found.value, abs=0.05)
    assert found.reason == "not supported: “moon”"
    clean = score(marker, "the dog slept.", "the dog is there.")
    assert (clean.value, texts(clean), clean.reason) == (1.0, [], "nothing is marked")


@with_networks
def test_japanese(marker):
    """Places are in characters."""
    found = score(marker, "猫が橋にいた。月の塔。", "橋の月。", "猫がいる。", language="ja")
    assert texts(found) == ["塔"]
    assert found.details["spans"][0]["start"] == 9


@with_networks
@pytest.mark.parametrize(
    ("labels", "rows", "support"),
    [
        (["hallucinated", "supported"], [1, 0], ""),
        (["O", "B-HAL"], [0, 1], ""),
        (["LABEL_0", "LABEL_1"], [0, 1], "0"),
        (["LABEL_0", "LABEL_1"], [0, 1], "label_0"),
    ],
)
def test_labels_are_found_or_given(marker, tmp_path, labels, rows, support):
    """By names, in any order, or by name or number of the one that means supported."""
    folder = relabeled_tokens(marker, tmp_path, labels, rows)
    assert texts(score(folder, "a cat saw the moon.", "the cat.", support=support)) == ["moon"]


@with_networks
def test_labels_without_names_are_refused(marker, tmp_path):
    """The error lists them and shows how to give one; so does a run, before anything is scored."""
    folder = relabeled_tokens(marker, tmp_path, ["LABEL_0", "LABEL_1"], [0, 1])
    with pytest.raises(ConfigurationError, match=r"0 = LABEL_0, 1 = LABEL_1.*hallucination_spans\[model=.*support="):
        HallucinationSpans(str(folder)).describe()


@with_networks
def test_any_window_of_the_contexts_can_support(marker):
    """Contexts ten windows long: what the first or the last window has is supported, what none has is not."""
    context = "The cat is there. " + "The river is there. " * 120 + "The bird saw the tower."
    found = score(marker, "the cat saw the tower. the moon.", context)
    assert texts(found) == ["moon"]
    assert found.details["windows"] > 10


@with_networks
def test_a_long_answer_is_read_as_a_whole(marker):
    """In parts; the places are those in the answer."""
    answer = "The cat is there. " * 40 + "The moon. " + "The cat slept. " * 40
    found = score(marker, answer, "a cat.")
    assert texts(found) == ["moon"]
    assert found.details["spans"][0]["start"] == answer.index("moon")
    assert found.details["windows"] > 5


@with_networks
def test_an_answer_does_not_depend_on_the_others(marker):
    """Fifty at once, in few passes, as one at a time."""
    import torch

    draw = random.Random(0)

    def words(most):
        return " ".join(draw.choices([*THINGS, "the", "."], k=draw.randint(1, most)))

    samples = [Sample(str(n), "?", words(40), (words(60), words(60))) for n in range(50)]
    passes = []

    def count(module, _given, made):
        if type(module).__name__ == "BertForTokenClassification":
            passes.append(len(made.logits))

    metric = HallucinationSpans(str(marker))

    async def ask(some):
        return await asyncio.gather(*(metric.score(sample, None) for sample in some))

    counting = torch.nn.modules.module.register_module_forward_hook(count)
    try:
        together = asyncio.run(ask(samples))
    finally:
        counting.remove()
    assert len(passes) < sum(passes) / 10
    for sample, found in zip(samples, together, strict=True):
        (alone,) = asyncio.run(ask([sample]))
        assert alone.expected == pytest.approx(found.expected, abs=2e-4)


@with_networks
@pytest.mark.parametrize(
    "text",
    [
        "\ud800 moon",
        "\x00\x1b[31mmoon",
        "\u202emoon",
        "[SEP] moon [CLS]",
        "##moon",
        "😀",
        "cat " * 500,
        "x" * 100_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_any_text_has_a_score(marker, text):
    """As answer, context and question: half characters, control characters, tokens in words, one endless word."""
    found = score(marker, text, text, question=text)
    assert found.status == "ok"
    assert 0 <= found.value <= 1


@with_networks
def test_text_that_the_tokenizer_drops_is_undefined(marker):
    """There is nothing to mark."""
    found = score(marker, "\x00\x01", "a cat.")
    assert (found.status, found.reason) == ("undefined", "the answer has no token that the model's tokenizer reads")


@with_networks
def test_a_template_is_the_form_that_the_network_reads(marker, tmp_path):
    """A file with the question and the contexts in their places; its digest is in the signature."""
    file = tmp_path / "form.txt"
    file.write_text("the moon. {question} {contexts} .", "utf-8")
    assert texts(score(marker, "the moon. the dog.", "a cat.", template=str(file))) == ["dog"]
    assert len(HallucinationSpans(str(marker), template=str(file)).describe()["template"]) == 12
    assert "template" not in HallucinationSpans(str(marker)).describe()
    file.write_text("{question}", "utf-8")
    for name, message in ((file, "{contexts} 0 times; expected it once"), (tmp_path / "gone", "cannot be read")):
        with pytest.raises(ConfigurationError, match=message):
            HallucinationSpans(str(marker), template=str(name)).describe()


@with_networks
def test_another_kind_of_model_is_refused(marker, tmp_path):
    """An encoder has no head for tokens; no model has none at all."""
    with pytest.raises(ConfigurationError, match="is no token classifier: there are no weights for classifier"):
        score(tiny_bert(tmp_path, layers=1), "the cat.", "the cat.", support="0")
    with pytest.raises(ConfigurationError, match="there is no such folder"):
        HallucinationSpans(str(tmp_path / "gone")).describe()


def test_a_model_has_to_be_named():
    """There is no default that would be downloaded."""
    with pytest.raises(ConfigurationError, match=r"none was named: hallucination_spans\[model=NAME_OR_FOLDER\]"):
        make_metric("hallucination_spans").describe()
    assert make_metric('hallucination_spans[model="a/b",support=0]').name == "hallucination_spans[model=a/b,support=0]"


@pytest.mark.parametrize(
    ("answer", "contexts", "status", "value"),
    [
        ("", ("the cat.",), "undefined", None),
        ("I don't know.", ("the cat.",), "declined", None),
        ("I don't know.", (), "declined", None),
        ("The cat is there.", (), "ok", 0.0),
        ("The cat is there.", (" ",), "ok", 0.0),
    ],
)
def test_no_network_is_needed_where_there_is_nothing_to_read(answer, contexts, status, value):
    """A blank answer, one that declines, and contexts that were not found: as in faithfulness."""
    found = score("a/b", answer, *contexts)
    assert (found.status, found.value) == (status, value)


@pytest.mark.parametrize(
    ("answer", "p", "expected"),
    [
        ("ab cd", [0.9, 0.6, np.nan, 0.7, 0.1], [(0, 4, "ab c", 0.9)]),
        ("ab cd", [0.9, 0.4, np.nan, 0.5, 0.1], [(0, 1, "a", 0.9), (3, 4, "c", 0.5)]),
        ("ab", [0.49, np.nan], []),
        ("ab", [np.nan, 1.0], [(1, 2, "b", 1.0)]),
    ],
)
def test_marks_become_spans(answer, p, expected):
    """White space does not separate them; other text does; p is the highest."""
    assert [tuple(span.values()) for span in marked_spans(answer, np.array(p))] == expected


def test_white_space_does_not_count():
    """Neither in the value nor in the expectation."""
    found = share_unmarked("a  b", MarkedAnswer(np.array([0.9, 0.9, 0.9, 0.1]), 1, cut=True))
    assert (found.value, found.expected) == (0.5, pytest.approx(0.5))
    assert found.reason.endswith("too long to be read to their end")


def test_a_runs_spans_are_those_of_a_judge():
    """By themselves, or with the units of gist, under the name of the run; two models are two judges."""
    spans = Scored("s", "hallucination_spans[model=a/b]", share_unmarked("ab", MarkedAnswer(np.array([0.9, 0.1]), 1, cut=False)))  # fmt: skip
    ((name, marks),) = marks_of_run([spans], "run").items()
    assert (name, marks["s", "hallucination"][0].text) == ("run", "a")
    other = Scored("s", "hallucination_spans[model=c]", spans.score)
    assert list(marks_of_run([spans, other], "run")) == [
        "run, hallucination_spans[model=a/b]",
        "run, hallucination_spans[model=c]",
    ]
