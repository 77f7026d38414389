"""Perplexity, on tiny random networks made here and loaded the real way."""

import asyncio
import json
import math
import random
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import networks
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.neural.perplexity import FORMS, Perplexity, perplexity
from saiten.metrics.neural.perplexity_network import Surprisal, windows
from saiten.metrics.neural.random_questions import read_questions
from saiten.records import Sample
from tiny_models import tiny_bert, tiny_gpt2

"""The same examples on every run, and no clock."""

READS = 32
"""Tokens that the tiny networks read; each byte is one."""

SAMPLE = Sample("q1", "How old?", "It is 12 years.")
LONG = Sample("q2", "橋はいつ開通しましたか。", "1998年に開通しました。それから何年も使われています。", language="ja")

with_networks = networks.needed()


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A tiny GPT-2 with a start token, and one without."""
    return {start: tiny_gpt2(tmp_path_factory.mktemp("gpt2"), reads=READS, start=start) for start in (True, False)}


@pytest.fixture
def folder(folders):
    """The one with a start token."""
    return folders[True]


def nats(folder, before, token):
    """-ln p(token | tokens before), by one forward pass over just these."""
    import torch
    from transformers import AutoModelForCausalLM

    if folder not in _KEPT:
        _KEPT[folder] = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)
    with torch.inference_mode():
        return -float(_KEPT[folder](torch.tensor([before])).logits[0, -1].log_softmax(0)[token])


_KEPT = {}


def bytes_of(folder, text):
    """The tokens of a text, by the library alone."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False)["input_ids"]


def one_by_one(folder, before, answer, stride=READS // 2):
    """(tokens counted, sum of nats), token by token, following the documentation of windows."""
    start = [0] if "bos_token" in json.loads((folder / "tokenizer_config.json").read_text()) else []
    question, counted = bytes_of(folder, before) if before else [], bytes_of(folder, answer)
    tokens = question + counted
    first = max(len(question), 1 - len(start))
    total, end = 0.0, first
    for at in range(first, len(tokens)):
        if at >= end:  # a new window
            end = min(len(tokens), max(READS + 1 - len(start), at + stride))
        begin = max(0, end - (READS + 1 - len(start)))
        total += nats(folder, start + tokens[begin:at], tokens[at])
    return len(tokens) - first, total


@with_networks
@pytest.mark.parametrize("start", [True, False], ids=["start token", "none"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("sample", "stride"), [(SAMPLE, 0), (LONG, 0), (LONG, 3), (LONG, 1)], ids=["fits", "long", "by 3", "by 1"]
)
async def test_every_form_is_what_token_by_token_gives(folders, form, start, sample, stride):
    """The exponential of the mean over the answer's tokens, each measured once, for texts that fit and in windows."""
    metric = Perplexity(form, model=str(folders[start]), stride=stride)
    score = await metric.score(sample, None)
    question = {"A": "", "QA": sample.question, "RQA": score.details.get("question")}[form]
    tokens, surprise = one_by_one(folders[start], question + "\n" if question else "", sample.answer, stride or 16)
    assert score.details["tokens"] == tokens
    assert score.details["nll"] == pytest.approx(surprise, rel=1e-5)
    assert score.value == pytest.approx(math.exp(surprise / tokens), rel=1e-4)
    assert metric.bounds[0] <= score.value < metric.bounds[1]


@pytest.mark.witness
@with_networks
async def test_the_details_say_what_was_counted(folders):
    """Bits per byte are given if all of the answer was measured; an unmeasured first token is reported."""
    with_start, without = [await Perplexity(model=str(folders[start])).score(LONG, None) for start in (True, False)]
    length = len(LONG.answer.encode())
    assert with_start.details["tokens"] == length
    assert with_start.details["begins_with"] == "start token"
    assert with_start.details["bits_per_byte"] == pytest.approx(with_start.details["nll"] / math.log(2) / length)
    assert with_start.details["windows"] > 1
    assert "uncounted" not in with_start.details
    assert without.details["tokens"] == length - 1
    assert without.details["begins_with"] == "nothing"
    assert without.details["uncounted"] == 1
    assert "bits_per_byte" not in without.details


@with_networks
async def test_what_else_is_measured_at_the_same_time_changes_nothing(folder):
    """Alone, or among forty answers of other lengths in any order: equal to 1e-4, and blank ones do no harm."""
    texts = [
        "a",
        "It is 12 years.",
        "橋",
        "x" * 200,
        " ",
        "日本の首都は東京です。" * 9,
        *("y" * n for n in range(1, 35)),
    ]
    random.Random(4).shuffle(texts)
    samples = [Sample(str(number), f"Q{number}?", text) for number, text in enumerate(texts)]
    metrics = [Perplexity(form, model=str(folder)) for form in FORMS]
    together = await asyncio.gather(*(metric.score(sample, None) for sample in samples for metric in metrics))
    alone = [await metric.score(sample, None) for sample in samples for metric in metrics]
    assert [score.status for score in together] == [score.status for score in alone]
    measured = [(one.value, other.value) for one, other in zip(together, alone, strict=True) if one.status == "ok"]
    assert len(measured) == 3 * (len(texts) - 1)
    for one, other in measured:
        assert one == pytest.approx(other, rel=1e-4)
    assert len({id(metric.network) for metric in metrics}) == 1


@pytest.mark.parametrize("answer", ["", " \n\t", "　"])
async def test_a_blank_answer_is_undefined(answer):
    """There is nothing to measure; no network is loaded."""
    score = await Perplexity(model="nowhere").score(Sample("1", "Q?", answer), None)
    assert (score.value, score.status, score.reason) == (None, "undefined", "the answer is empty")


@with_networks
async def test_a_single_token_with_nothing_before_it_is_undefined(folders):
    """Without a start token the only token of an answer alone cannot be measured; after a question it can."""
    sample = Sample("1", "Q?", "a")
    alone, after = [await Perplexity(form, model=str(folders[False])).score(sample, None) for form in ("A", "QA")]
    assert alone.status == "undefined"
    assert "before it" in alone.reason
    assert after.details["tokens"] == 1


@with_networks
async def test_the_answers_text_cannot_be_a_special_token(folder):
    """`<s>` in an answer is three characters, not the start token; surrounding white space is left out."""
    metric = Perplexity(model=str(folder))
    score = await metric.score(Sample("1", "", " a<s>b\n"), None)
    assert score.details["tokens"] == 5
    assert (await metric.score(Sample("2", "", "a<s>b"), None)).value == score.value


@with_networks
async def test_a_network_that_scales_its_logits_is_asked_for_all_of_them(tmp_path):
    """Using the output layer alone would be wrong here; the figure is that of token by token."""
    import torch
    from transformers import GraniteConfig, GraniteForCausalLM

    tiny_gpt2(tmp_path, reads=READS)
    small = GraniteConfig(
        vocab_size=257, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=READS, logits_scaling=0.1, initializer_range=0.4,
    )  # fmt: skip
    torch.manual_seed(0)
    GraniteForCausalLM(small).save_pretrained(tmp_path)
    score = await Perplexity("QA", model=str(tmp_path)).score(LONG, None)
    tokens, surprise = one_by_one(tmp_path, LONG.question + "\n", LONG.answer)
    assert score.value == pytest.approx(math.exp(surprise / tokens), rel=1e-4)


@given(st.data())
def test_every_token_is_measured_once_with_enough_before_it(data):
    """The windows partition the counted tokens, fit, and show each at least `stride` earlier tokens, or all of them."""
    room = data.draw(st.integers(1, 40))
    stride = data.draw(st.integers(1, max(1, room // 2)))
    total = data.draw(st.integers(0, 200))
    first = data.draw(st.integers(0, total))
    found = list(windows(first, total, room=room, stride=stride))
    assert [at for window in found for at in range(window.counted, window.end)] == list(range(first, total))
    for window in found:
        assert 0 <= window.begin <= window.counted < window.end <= window.begin + room
        assert window.counted - window.begin >= min(room - stride, window.counted)
    assert len(found) == (total > first) or total > room


@given(st.integers(0, 99), st.permutations(range(30)))
def test_a_draw_depends_on_the_sample_and_the_seed_alone(seed, order):
    """In any order of samples the same question is drawn, never a sample's own, and in its language."""
    pool = read_questions()
    samples = [Sample(f"s{n}", pool.by_language["ja"][n].replace("。", " 。"), language="ja") for n in range(30)]
    samples += [Sample(f"e{n}", pool.by_language["en"][n].upper()) for n in range(30)]
    drawn = {sample.id: pool.draw(sample, seed) for sample in samples}
    assert all(pool.draw(samples[at], seed) == drawn[samples[at].id] for at in order)
    for sample in samples:
        assert drawn[sample.id] in pool.by_language[sample.language]
        assert drawn[sample.id].casefold() != sample.question.casefold().replace(" 。", "。")
    assert len(set(drawn.values())) > 20


def test_draws_are_even_and_change_with_the_seed():
    """Over many samples each of the other questions is drawn about equally often."""
    pool = read_questions()
    own = pool.by_language["en"][7]
    drawn = Counter(pool.draw(Sample(str(n), own), 1) for n in range(9900))
    assert len(drawn) == 99
    assert own not in drawn
    assert sum((count - 100) ** 2 / 100 for count in drawn.values()) < 99 + 5 * math.sqrt(2 * 99)
    assert [pool.draw(Sample(str(n), own), 2) for n in range(50)] != [
        pool.draw(Sample(str(n), own), 1) for n in range(50)
    ]


def test_the_shipped_questions():
    """There are a hundred in each language, each once, with the language recognizable by its letters."""
    by_language = read_questions().by_language
    assert {language: len(questions) for language, questions in by_language.items()} == {"en": 100, "ja": 100}
    assert all(question.isascii() for question in by_language["en"])
    assert not any(question.isascii() for question in by_language["ja"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.jsonl", '{"question": "A?", "answer": "x"}\n{"question": "B?"}\n{"question": " "}\n{"question": "a？"}\n'),
        ("d.csv", "user_input,response\nA?,x\nB?,y\n,z\n"),
        ("d.json", '[{"id": 1, "query": "A?"}, {"id": 1, "query": "B?"}, {"id": 2, "query": null}]'),
    ],
)
def test_questions_come_from_any_file_that_samples_are_read_from(tmp_path, name, text):
    """The data file itself works: answers, repeated questions and IDs, rows without a question do no harm."""
    (tmp_path / name).write_text(text, "utf-8")
    pool = read_questions(str(tmp_path / name))
    assert pool.by_language == {"en": ("A?", "B?")}
    assert pool.draw(Sample("1", "a?"), 0) == "B?"
    assert pool.draw(Sample("1", "日本?", language="ja"), 0) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "d.jsonl"),
        ('{"question": "A?"}\n{"question": \n', "d.jsonl:2"),
        ('{"question": "A?"}\n{"question": ["A?", "B?"]}\n', "d.jsonl:2: .*expected one text"),
        ('{"question": "A?", "language": "fr"}\n', "d.jsonl:1: .*'fr' is not one of ja, en"),
        ('{"text": "A?"}\n', "no column for question"),
        ('{"question": " "}\n', "there is no question"),
        (None, "there is no file"),
    ],
)
def test_a_file_of_questions_that_cannot_be_used_is_named_with_its_line(tmp_path, text, message):
    """This happens before anything is scored: the inputs of a figure are described first."""
    file = tmp_path / "d.jsonl"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=message):
        _ = Perplexity("RQA", model="m", questions=str(file)).pool


async def test_a_pool_without_another_question_is_no_draw(tmp_path):
    """The score is undefined, and the reason names file and language."""
    (tmp_path / "d.jsonl").write_text('{"question": "Why?"}\n')
    metric = Perplexity("RQA", model="nowhere", questions=str(tmp_path / "d.jsonl"))
    score = await metric.score(Sample("1", " why? ", "So."), None)
    assert score.status == "undefined"
    assert "d.jsonl" in score.reason
    assert "(en)" in score.reason


def test_the_bare_name_means_three_figures():
    """`perplexity[model=…]` is A, QA and RQA; each name recreates its metric, and A needs no question."""
    metrics = make_metrics(["perplexity[model=some/model,stride=8]"])
    assert [metric.name for metric in metrics] == [f"perplexity[{form},model=some/model,stride=8]" for form in FORMS]
    assert [make_metric(metric.name) for metric in metrics] == list(metrics)
    assert [metric.needs for metric in metrics] == [("answer",), ("question", "answer"), ("answer",)]
    assert not any(metric.higher_is_better for metric in metrics)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perplexity[qa]", "form takes A | QA | RQA"),
        ("perplexity[model=m,stride=-1]", "stride is a number of tokens"),
        ("perplexity[model=m,dtype=int8]", "dtype takes float32"),
    ],
)
def test_settings_that_do_not_exist_are_refused(name, message):
    """The message lists the valid ones."""
    with pytest.raises(ConfigurationError) as error:
        make_metrics([name])
    assert message in str(error.value)


@with_networks
async def test_without_a_model_it_says_how_to_name_one():
    """This happens when the run is described, before anything is scored, and at the score."""
    with pytest.raises(ConfigurationError, match="NAME_OR_FOLDER"):
        make_metric("perplexity").describe()
    with pytest.raises(ConfigurationError, match="NAME_OR_FOLDER"):
        await make_metric("perplexity").score(SAMPLE, None)


@pytest.mark.skipif(find_spec("torch") is not None, reason="the extra `neural` is installed")
def test_without_the_extra_it_says_what_to_install():
    """This happens before anything is scored."""
    with pytest.raises(ConfigurationError, match=r"saiten\[neural\]"):
        Perplexity(model="m").describe()


def no_model(folder):
    """A folder with something else in it."""
    (folder / "readme.txt").write_text("nothing")


def encoder(folder):
    """A BERT without a head."""
    tiny_bert(folder, layers=1)


def whole_masked(folder):
    """All weights are there, but a token's prediction depends on later tokens."""
    from transformers import BertForMaskedLM

    tiny_bert(folder, layers=1)
    BertForMaskedLM.from_pretrained(folder).save_pretrained(folder)


def translator(folder):
    """An encoder and a decoder."""
    from transformers import BartConfig, BartForConditionalGeneration

    tiny_gpt2(folder)
    small = {
        f"{side}_{what}": 1 for side in ("encoder", "decoder") for what in ("layers", "attention_heads", "ffn_dim")
    }
    BartForConditionalGeneration(BartConfig(vocab_size=257, d_model=8, **small)).save_pretrained(folder)


def cut_off(folder):
    """An interrupted download."""
    tiny_gpt2(folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])


def no_tokenizer(folder):
    """An unreadable tokenizer."""
    tiny_gpt2(folder)
    (folder / "tokenizer.json").write_text("{")


def other_tokenizer(folder):
    """A tokenizer with tokens that the network lacks."""
    from transformers import GPT2Config, GPT2LMHeadModel

    tiny_gpt2(folder)
    GPT2LMHeadModel(GPT2Config(vocab_size=20, n_embd=8, n_layer=1, n_head=1)).save_pretrained(folder)


def its_own_code(folder):
    """A model with its own code."""
    tiny_gpt2(folder)
    (folder / "evil.py").write_text("raise SystemExit('code of the model was run')")
    settings = {
        "model_type": "evil",
        "auto_map": dict.fromkeys(("AutoConfig", "AutoModelForCausalLM"), "evil.Evil"),
    }
    (folder / "config.json").write_text(json.dumps(settings))


def code_from_the_hub(folder):
    """A model that requests an attention implementation from the hub."""
    tiny_gpt2(folder)
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"attn_implementation": "somebody/attention"}))


def not_numbers(folder):
    """Weights ruined by training."""
    from transformers import GPT2LMHeadModel

    tiny_gpt2(folder)
    network = GPT2LMHeadModel.from_pretrained(folder)
    network.transformer.ln_f.bias.data[0] = math.nan
    network.save_pretrained(folder)


@with_networks
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (no_model, "cannot be loaded"),
        (encoder, "no causal language model: there are no weights for cls"),
        (whole_masked, "depends on those after it"),
        (translator, "no causal language model"),
        (cut_off, "cannot be loaded"),
        (no_tokenizer, "cannot be loaded"),
        (other_tokenizer, "do not belong together"),
        (its_own_code, "cannot be loaded"),
        (code_from_the_hub, "never runs"),
        (not_numbers, "not numbers"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_what_is_no_causal_language_model_is_refused(tmp_path, make, message):
    """Untrained heads, networks that look ahead, damaged files, a model's own code: never a figure."""
    make(tmp_path)
    with pytest.raises(ConfigurationError, match=message) as error:
        await Perplexity(model=str(tmp_path)).score(SAMPLE, None)
    assert str(tmp_path) in str(error.value)


@with_networks
async def test_a_stride_that_leaves_too_little_before_a_token_is_refused(folder):
    """A stride above half of the model's input length; the error gives that limit."""
    with pytest.raises(ConfigurationError, match="1 to 16"):
        await Perplexity(model=str(folder), stride=17).score(SAMPLE, None)


@with_networks
async def test_a_figure_that_is_no_number_fails_alone(tmp_path):
    """A network breaks down on long texts: those scores fail with a reason, the others in the batch are valid."""
    from transformers import GPT2LMHeadModel

    tiny_gpt2(tmp_path, reads=READS)
    network = GPT2LMHeadModel.from_pretrained(tmp_path)
    network.transformer.wpe.weight.data[20] = math.nan
    network.save_pretrained(tmp_path)
    metric = Perplexity(model=str(tmp_path))
    answers = ("It is.", "It is a long answer, as it happens.", "Yes.")
    scores = await asyncio.gather(*(metric.score(Sample("1", "Q?", answer), None) for answer in answers))
    assert [score.status for score in scores] == ["ok", "failed", "ok"]
    assert scores[1].value is None
    assert "nan" in scores[1].reason
    json.dumps(scores[1].details, allow_nan=False)


@with_networks
async def test_what_nobody_waits_for_any_more_is_given_up(folder):
    """After a cancellation the thread ends with the current forward pass, and the next answer is measured."""
    metric = Perplexity(model=str(folder), stride=1)
    expected = await metric.score(SAMPLE, None)
    endless = asyncio.create_task(metric.score(Sample("1", "Q?", "x" * 200_000), None))
    await asyncio.sleep(0.1)
    endless.cancel()
    assert await metric.score(SAMPLE, None) == expected


@pytest.mark.parametrize(("nll", "status"), [(0.0, "ok"), (1400.0, "ok"), (1420.0, "failed"), (math.inf, "failed")])
def test_a_perplexity_is_finite_or_none(nll, status):
    """The exponential of 710 is too large for a float; the reason says so instead of writing infinity."""
    score = perplexity(Surprisal(nll, 2, 0, 0, 1, start=True), {"nll": nll})
    assert score.status == status
    assert score.value is None or 1 <= score.value < math.inf
    json.dumps(score.details, allow_nan=False)


@with_networks
def test_the_signature_changes_with_weights_and_questions(folders, tmp_path):
    """The signature has everything a figure depends on."""
    (tmp_path / "q.jsonl").write_text('{"question": "A?"}\n{"question": "B?"}\n')
    one, other = (Perplexity(model=str(folders[start])).describe() for start in (True, False))
    assert one["fingerprint"] != other["fingerprint"]
    assert "questions" not in one
    pools = ("", str(tmp_path / "q.jsonl"))
    described = [Perplexity("RQA", model=str(folders[True]), questions=pool).describe() for pool in pools]
    assert described[0]["questions"] != described[1]["questions"]


@with_networks
def test_a_run_that_was_cut_off_draws_the_same(folder, tmp_path, monkeypatch, capsys):
    """`saiten score` over three samples, then over all, in another order: the same scores."""
    from saiten.cli import main
    from saiten.runs import read_run

    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"q{n}", "question": f"Q{n}?", "answer": f"Answer {n}. 答えは{n}です。"} for n in range(8)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("turned.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))

    def score(data, out, *more):
        with pytest.raises(SystemExit) as end:
            main(["score", data, "-m", f"perplexity[model={folder}]", "-o", out, *more])
        assert not end.value.code
        return {(one.sample, one.metric): one.score for one in read_run(Path(out)).scores()}

    part = score("d.jsonl", "run", "--limit", "3")
    kept = Path("run/scores.jsonl").read_bytes()
    Path("run/scores.jsonl").write_bytes(kept[: len(kept) - 40])  # killed while writing
    resumed, turned = score("d.jsonl", "run"), score("turned.jsonl", "turned")
    assert len(part) == 9
    assert len(resumed) == 24
    assert "perplexity[RQA" in capsys.readouterr().out
    assert set(resumed) == set(turned)
    for key, one in resumed.items():
        assert one.status == "ok"
        assert one.value == pytest.approx(turned[key].value, rel=1e-4)
        assert one.details.get("question") == turned[key].details.get("question")
        assert one.value == pytest.approx(part.get(key, one).value, rel=1e-4)
