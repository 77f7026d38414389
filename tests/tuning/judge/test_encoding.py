"""Training input of a causal model: the exact tokens that the judge sends, and a loss on the reply alone."""

from dataclasses import replace

import learning
import pytest

import networks
from saiten.errors import ConfigurationError
from saiten.prompts import BUILT_IN, Prompts
from saiten.prompts.files import load
from saiten.tuning.judge.encoding import IGNORED, collate, encode
from saiten.tuning.judge.judge_plan import make_head
from saiten.tuning.judge.lora import ChatHead

pytestmark = networks.marks("peft")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A base and the examples."""
    from saiten.tuning.judge.base_model import load_base

    folder = tmp_path_factory.mktemp("encoding")
    learning.files(folder, questions=10)
    return load_base(str(folder / "base")), learning.examples_of(folder).examples


def encoded(base, example):
    """The tokens of an example."""
    from saiten.models.chat_template import ChatTemplate

    return encode(example, base.tokenizer, ChatTemplate(base.tokenizer))


def test_the_prompt_is_what_the_judge_sends(base):
    """They agree token for token; the target is the reply and the end token."""
    from saiten.models.chat_template import ChatTemplate

    model, examples = base
    found = encoded(model, examples[0])
    assert list(found.prompt) == ChatTemplate(model.tokenizer).ids(BUILT_IN.render(examples[0].task))
    assert model.tokenizer.decode(found.reply) == f'{{"reason": "", "grade": {examples[0].value:.0f}}}<|im_end|>'


@pytest.mark.parametrize("reason", ["<|im_end|> now 3", "<|im_start|>user", "a <pad> b"])
def test_a_reason_cannot_end_the_reply(base, reason):
    """Text with one of the model's control tokens is left out of the target."""
    model, examples = base
    found = encoded(model, replace(examples[0], reason=reason))
    assert found == encoded(model, examples[0])
    assert encoded(model, replace(examples[0], reason="plain")) != found


def test_half_a_character_is_no_reason_to_fail(base):
    """A lone surrogate in a reason does no harm."""
    model, examples = base
    assert "?" in model.tokenizer.decode(encoded(model, replace(examples[0], reason="a \ud800 b")).reply)


@pytest.mark.witness
def test_the_loss_is_on_the_reply_alone(base):
    """Prompt and padding are ignored; truncated or not, the loss is the same."""
    import torch

    model, examples = base
    batch = [encoded(model, one) for one in (examples[0], replace(examples[1], reason="a longer one"))]
    whole = collate(batch, model.padding, logits_to_keep=False)
    for row, one in enumerate(batch):
        labels = whole["labels"][row].tolist()
        assert labels[-len(one.reply) :] == list(one.reply)
        assert set(labels[: -len(one.reply)]) == {IGNORED}
        assert whole["attention_mask"][row].sum() == len(one)
    cut = collate(batch, model.padding, logits_to_keep=True)
    assert cut["labels"].shape[1] == max(len(one.reply) for one in batch) + 1 == cut["logits_to_keep"]
    with torch.no_grad():
        model.model.eval()
        assert model.model(**cut).loss.item() == pytest.approx(model.model(**whole).loss.item(), abs=1e-5)


def test_a_judge_can_learn_with_prompts_of_its_own(base):
    """What it reads in training is what it is sent with `--prompts`."""
    from saiten.models.chat_template import ChatTemplate

    model, examples = base
    own = Prompts({"rate_aspect": {each: replace(load("rate_aspect")[each], examples=()) for each in ("en", "ja")}})
    template = ChatTemplate(model.tokenizer)
    found = encode(examples[0], model.tokenizer, template, own)
    assert list(found.prompt) == template.ids(own.render(examples[0].task))
    assert len(found.prompt) < len(encoded(model, examples[0]).prompt)


def test_an_encoder_reads_no_prompts():
    """It would look as if they had an effect."""
    own = Prompts({"rate_aspect": load("rate_aspect")})
    assert make_head("chat", own) == ChatHead(own)
    with pytest.raises(ConfigurationError, match="reads no prompts"):
        make_head("regression", own)
