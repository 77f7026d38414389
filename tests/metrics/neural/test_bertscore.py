"""BERTScore on a tiny random network: compared with the reference implementation, in any batch, on any input."""

import asyncio
import json
import sys

import pytest

import networks
from saiten.cli import main
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.neural.bertscore import BertScore, figure
from saiten.metrics.neural.bertscore_network import Match
from saiten.records import Sample
from tiny_models import tiny_bert

pytestmark = networks.marks()

JUDGE = None
"""Nobody is asked."""

PAIRS = [
    ("The cat sat on the bridge.", "A dog sat in the capital."),
    ("橋は1998年に開通しました。", "この橋は1998年に開通した。"),
    ("東京は日本の首都です。 Tokyo is the capital of Japan.", "日本の首都は東京"),
    ("yes", "The capital of Japan is Tokyo, and the bridge opened in 1998, in the month of the dog."),
    ("カタカナとひらがな、「引用」。", "x"),
    ("a", "a"),
    ("the dog sat " * 40, "the dog sat on the bridge " * 3),
    ("  spaces \n around\tit ", "spaces around it"),
]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a tiny model with four layers that reads 64 tokens."""
    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def reference(model):
    """`reference(layer, answers, references)`: the figures of bert_score, shape (pairs, 3)."""
    bert_score = pytest.importorskip("bert_score", reason="the reference implementation is not installed")
    import torch

    def score(layer, answers, references):
        scorer = bert_score.BERTScorer(model_type=str(model), num_layers=layer, device="cpu")
        return torch.stack(scorer.score(answers, references), dim=1).tolist()

    return score


def figures(model, samples, **settings):
    """Precision, recall and F1 of each sample, all requested at once."""

    async def ask():
        metrics = [BertScore(which, str(model), **settings) for which in BertScore.parts]
        return await asyncio.gather(*(metric.score(sample, JUDGE) for sample in samples for metric in metrics))

    values = [score.value for score in asyncio.run(ask())]
    return [values[at : at + 3] for at in range(0, len(values), 3)]


def score_of(model, answer, *references, **settings):
    """The score of one sample."""
    sample = Sample("1", answer=answer, reference=references[0], alternatives=references[1:])
    return asyncio.run(BertScore(model=str(model), **settings).score(sample, JUDGE))


@pytest.mark.parametrize("layer", [0, 2, 4])
def test_equal_to_the_reference_implementation(model, reference, layer):
    """Japanese, English, both, of all lengths: precision, recall and F1 as bert_score 0.3.13 gives them."""
    samples = [Sample(str(at), answer=answer, reference=other) for at, (answer, other) in enumerate(PAIRS)]
    expected = reference(layer, *map(list, zip(*PAIRS, strict=True)))
    for ours, theirs in zip(figures(model, samples, layer=layer), expected, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)


def test_of_several_references_the_best_counts_for_each_figure(model, reference):
    """As in bert_score; the details give the index of the best among all references, including blank ones."""
    answers = [answer for answer, _ in PAIRS]
    others = [[text for _, text in PAIRS[: 1 + at]] for at in range(len(PAIRS))]
    samples = [
        Sample(str(at), answer=answer, reference=texts[0], alternatives=tuple(texts[1:]))
        for at, (answer, texts) in enumerate(zip(answers, others, strict=True))
    ]
    for ours, theirs in zip(figures(model, samples), reference(4, answers, others), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)
    assert score_of(model, "the cat", " ", "a dog", "the cat").details["best_reference"] == 2
    many = [f"the bridge opened in {year}" for year in range(40)]
    assert score_of(model, many[37], *many).details["best_reference"] == 37


@pytest.mark.parametrize("batch", [1, 3, 32])
def test_a_figure_does_not_depend_on_what_else_is_in_the_batch(model, batch):
    """Alone, a few at a time, all at once: the same to 1e-5, and identical on repetition."""
    samples = [Sample(str(at), answer=a, reference=b) for at, (a, b) in enumerate(PAIRS)]
    together = figures(model, samples, batch=batch)
    assert together == figures(model, samples, batch=batch)
    for sample, found in zip(samples, together, strict=True):
        assert figures(model, [sample]) == [pytest.approx(found, abs=1e-5)]


@pytest.mark.witness
def test_three_figures_share_one_network_and_one_pass(model):
    """Twelve texts, requested three times, go through the network once, and equal texts only once."""
    import torch

    passes = []

    def count(module, _given, made):
        if type(module).__name__ == "BertModel":
            passes.append(made[0].shape[0])

    counting = torch.nn.modules.module.register_module_forward_hook(count)
    metrics = make_metrics([f'bertscore[model="{model}"]'])
    samples = [Sample(str(n), answer=f"the cat {n}", reference=f"the dog {n % 2}") for n in range(10)]

    async def ask():
        return await asyncio.gather(*(metric.score(sample, JUDGE) for sample in samples for metric in metrics))

    try:
        scores = asyncio.run(ask())
    finally:
        counting.remove()
    assert [metric.name.split(",")[0] for metric in metrics] == [f"bertscore[{which}" for which in BertScore.parts]
    assert len({id(metric.network) for metric in metrics}) == 1
    assert passes == [12]
    assert {score.status for score in scores} == {"ok"}


@pytest.mark.parametrize(
    ("answer", "references", "message"),
    [
        ("", ["the cat"], "the answer is empty"),
        (" \n　", ["the cat"], "the answer is empty"),
        ("the cat", [""], "no reference has a word in it"),
        ("the cat", [" ", "\t"], "no reference has a word in it"),
        ("\u200b", ["the cat"], "the answer has no token that the model's tokenizer reads"),
        ("the cat", ["\u200b"], "the reference has no token that the model's tokenizer reads"),
        ("ελληνικά", ["the cat"], "the answer has no token that the model knows: take a model of its language"),
        ("the cat", ["ελληνικά"], "the reference has no token that the model knows: take a model of its language"),
    ],
)
def test_what_cannot_be_measured_is_undefined(model, answer, references, message):
    """There is a reason, and no invented number."""
    score = score_of(model, answer, *references)
    assert (score.value, score.status, score.reason) == (None, "undefined", message)


def test_no_number_is_made_of_a_precision_that_is_not_above_0():
    """The harmonic mean is not defined if one number is negative."""
    assert figure("f1", Match(0.5, -0.4)) is None
    assert figure("recall", Match(0.5, -0.4)) == -0.4
    assert figure("f1", Match(0.5, 1.0)) == pytest.approx(2 / 3)


def test_a_text_longer_than_the_model_reads_is_not_cut_in_silence(model):
    """The network reads the first 62 tokens; details and reason say what was left out."""
    score = score_of(model, "cat " * 70, "dog " * 65)
    assert score.details["left_out"] == {"answer": 8, "reference": 3}
    assert score.details["tokens"] == {"answer": 62, "reference": 62}
    assert score.reason == "the model had no room for 8 tokens of the answer and 3 tokens of the reference"
    assert score.value == pytest.approx(score_of(model, "cat " * 62, "dog " * 62).value, abs=1e-6)
    assert score_of(model, "cat", "dog").reason is None


def test_what_the_model_does_not_know_is_counted(model):
    """Words outside its vocabulary are one token each, all equal."""
    assert score_of(model, "the cat ελληνικά", "the cat").details["unknown"] == {"answer": 1, "reference": 0}


@pytest.mark.parametrize(
    "odd", ["[SEP] [CLS]", "the \ud800 cat", "\x00\x1b[2J cat", "<pad>", "🙂 cat", "the " + "x" * 5000]
)
def test_odd_texts_get_a_figure(model, odd):
    """What looks like a special token is text; half characters and control characters do no harm."""
    score = score_of(model, odd, odd)
    assert score.value == pytest.approx(1, abs=1e-6)
    assert score.details["tokens"]["answer"] > 0


def test_the_signature_says_which_network_and_layer(model, tmp_path):
    """Model, fingerprint and layer; the layer is the one recommended for a model with this name, else the last."""
    made = BertScore(model=str(model)).describe()
    assert made["model"] == str(model)
    assert made["layer"] == "4"
    assert len(made["fingerprint"]) == 12
    known = tiny_bert(tmp_path / "bert-base-multilingual-cased", layers=10, seed=1)
    assert BertScore(model=str(known)).describe()["layer"] == "9"
    assert BertScore(model=str(known), layer=3).describe()["layer"] == "3"
    assert BertScore(model=str(known)).describe()["fingerprint"] != made["fingerprint"]
    short = tiny_bert(tmp_path / "other" / "roberta-large", layers=2)
    assert BertScore(model=str(short)).describe()["layer"] == "2"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("bertscore", "bertscore[f1]"),
        ("bertscore[recall]", "bertscore[recall]"),
        ("bert_score[which=precision,batch=4]", "bertscore[precision]"),
        ("bertscore[model=bert-base-multilingual-cased]", "bertscore[f1]"),
        ('bertscore[model="a, b/c",layer=7]', 'bertscore[f1,model="a, b/c",layer=7]'),
    ],
)
def test_a_name_makes_the_metric_again(typed, name):
    """The batch size is not part of it, since the figures do not depend on it."""
    metric = make_metric(typed)
    assert metric.name == name
    assert make_metric(metric.name) == metric


def folder_without_weights(folder, model):
    """The configuration alone."""
    (folder / "config.json").write_text((model / "config.json").read_text())


def folder_of_something_else(folder, model):
    """Not a model at all."""
    (folder / "readme.txt").write_text("nothing")


def folder_with_broken_weights(folder, model):
    """A truncated file."""
    copied(folder, model)
    (folder / "model.safetensors").write_bytes((model / "model.safetensors").read_bytes()[:5000])


def folder_with_missing_weights(folder, model):
    """The weights of one layer are missing, and would be random."""
    from safetensors.torch import load_file, save_file

    copied(folder, model)
    weights = load_file(model / "model.safetensors")
    kept = {name: values for name, values in weights.items() if "layer.1." not in name}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


def folder_with_weights_that_are_no_numbers(folder, model):
    """One weight is NaN."""
    from safetensors.torch import load_file, save_file

    copied(folder, model)
    weights = load_file(model / "model.safetensors")
    weights["embeddings.LayerNorm.bias"][3] = float("nan")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def folder_with_anothers_tokenizer(folder, model):
    """A tokenizer with more tokens than the network."""
    import transformers

    copied(folder, model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["answer"])
    tokenizer.save_pretrained(folder)


def copied(folder, model):
    """Copy all files of the model."""
    for file in model.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (folder_of_something_else, "expected a folder with an encoder and its tokenizer"),
        (folder_without_weights, "cannot be loaded"),
        (folder_with_broken_weights, "cannot be loaded"),
        (folder_with_missing_weights, "has no weights for encoder.layer.1"),
        (folder_with_weights_that_are_no_numbers, "it is damaged"),
        (folder_with_anothers_tokenizer, "they do not belong together"),
    ],
)
def test_a_folder_that_is_no_model_stops_the_run(model, tmp_path, make, message):
    """A ConfigurationError says what was expected, instead of thousands of failed scores."""
    make(tmp_path, model)
    with pytest.raises(ConfigurationError, match=message):
        score_of(tmp_path, "the answer", "the cat")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layer": 5}, "has no layer 5; it has 1 to 4"),
        ({"layer": -1}, "a layer of 0 or more"),
        ({"batch": 0}, "a batch of 1 or more"),
        ({"which": "f2"}, "which is one of precision, recall, f1"),
        ({"model": " "}, "takes a model"),
        ({"model": "/no/such/folder"}, "cannot be loaded"),
    ],
)
def test_settings_that_do_not_exist_are_refused(model, settings, message):
    """They are refused before anything is scored, with the valid ones."""
    with pytest.raises(ConfigurationError, match=message):
        BertScore(**{"model": str(model)} | settings).describe()


def test_no_code_out_of_a_models_folder_is_run(model, tmp_path):
    """This holds whatever the configuration requests."""
    copied(tmp_path, model)
    settings = json.loads((model / "config.json").read_text())
    for kind in ("bert", "mine"):
        changed = settings | {"model_type": kind, "auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Model"}}
        (tmp_path / "config.json").write_text(json.dumps(changed))
        (tmp_path / "evil.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Evil: pass\nclass Model: pass\n"
        )
        if kind == "bert":
            assert score_of(tmp_path, "cat", "cat").value == pytest.approx(1, abs=1e-6)
        else:
            with pytest.raises(ConfigurationError, match="cannot be loaded"):
                score_of(tmp_path, "cat", "cat")
    assert not (tmp_path / "ran").exists()


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    """This happens before anything is scored; explaining the metric still works."""
    monkeypatch.setitem(sys.modules, "torch", None)
    metric = make_metric("bertscore")
    with pytest.raises(
        ConfigurationError, match=r'bertscore needs torch; install with: pip install "saiten\[neural\]"'
    ):
        metric.describe()
    with pytest.raises(ConfigurationError, match=r"saiten\[neural\]"):
        asyncio.run(metric.score(Sample("1", answer="cat", reference="cat"), JUDGE))
    with pytest.raises(SystemExit, match="0"):
        main(["metrics", "bertscore"])
    output = capsys.readouterr().out
    assert "Zhang et al. 2020" in output
    assert "[layer=…]" in output
