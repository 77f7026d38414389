"""Token probabilities of a model in this process, with tiny random networks."""

import asyncio
from math import exp

import pytest

import networks
from saiten.judges.llm import LLMJudge
from saiten.models.token_watch import token_texts
from saiten.models.transformers_chat import TransformersChat
from saiten.protocols import ChatMessage, ChatRequest
from tiny_models import tiny_chat

with_networks = networks.needed()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tiny Llama with one token per byte."""
    return tiny_chat(tmp_path_factory.mktemp("llama"), reads=512)


def ask(text, **settings):
    """A request with one message."""
    return ChatRequest((ChatMessage("user", text),), **({"max_tokens": 12} | settings))


@with_networks
async def test_the_probabilities_are_those_of_the_library(folder):
    """The first step's likeliest tokens are the largest of the softmax of the library's logits."""
    import torch
    import transformers

    chat = TransformersChat(str(folder))
    answer = await chat.complete(ask("橋は？", logprobs=5))
    await chat.close()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "橋は？"}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    with torch.inference_mode():
        expected = torch.log_softmax(model(**prompt).logits[0, -1].float(), dim=-1).topk(5)
    found = answer.tokens[0]
    assert [p for _, p in found.likeliest] == pytest.approx(expected.values.tolist(), abs=1e-4)
    assert (found.text, found.logprob) == found.likeliest[0]
    assert b"".join(token.text for token in answer.tokens).decode("utf-8", "replace") == answer.text
    assert all(0 < sum(exp(p) for _, p in token.likeliest) <= 1.0001 for token in answer.tokens)


@with_networks
async def test_each_request_of_a_batch_gets_what_it_asked_for(folder):
    """Rows with more, fewer or no alternatives, greedy or drawn, as each gets alone; answers do not change."""
    chat = TransformersChat(str(folder))
    requests = [
        ask("a", logprobs=5),
        ask("bb"),
        ask("ccc", logprobs=2, temperature=1.0, seed=1),
        ask("d", max_tokens=3),
    ]
    together = await asyncio.gather(*map(chat.complete, requests))
    alone = [await chat.complete(each) for each in requests]
    plain = await chat.complete(ask("a"))
    await chat.close()
    assert [each.text for each in together] == [each.text for each in alone]
    assert plain.text == together[0].text
    assert [each.tokens is None for each in together] == [False, True, False, True]
    assert {len(token.likeliest) for token in together[2].tokens} == {2}
    assert [token.text for token in together[0].tokens] == [token.text for token in alone[0].tokens]
    assert [token.logprob for token in together[0].tokens] == pytest.approx(
        [token.logprob for token in alone[0].tokens], abs=1e-3
    )


@with_networks
async def test_a_judge_over_it_is_not_told_that_there_are_none(folder):
    """The preflight finds probabilities, so no note is given."""
    said = []
    judge = LLMJudge(TransformersChat(str(folder)), first_max_tokens=8, logprobs=5, notify=said.append)
    await judge.preflight()
    await judge.close()
    assert said == []


class Vocabulary:
    """The parts of a tokenizer that are used."""

    def __init__(self, *pieces):
        self.pieces = pieces
        self.all_special_ids = [0]

    def get_vocab(self):
        return {piece: number for number, piece in enumerate(self.pieces)}


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["<s>", "Ġ", "Ġtrue", "ãģ¯", "ãģ", "4}", "Ċ"], [b"", b" ", b" true", "は".encode(), "は".encode()[:2], b"4}", b"\n"]),
        (["<s>", "▁true", "▁", "は", "<0xE3>", "é", "<0xzz>"], [b"", b" true", b" ", "は".encode(), b"\xe3", "é".encode(), b"<0xzz>"]),
    ],
    ids=["byte-level", "sentencepiece"],
)  # fmt: skip
def test_the_text_of_a_token_is_its_bytes(pieces, expected):
    """Both kinds of vocabularies; special tokens have no text, and unknown numbers neither."""
    text_of = token_texts(Vocabulary(*pieces))
    assert [text_of(number) for number in range(len(pieces))] == expected
    assert text_of(999) == b""
