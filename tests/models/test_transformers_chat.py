"""A chat model in this process: tiny random models, saved and loaded like real ones."""

import asyncio
import json
import shutil
from contextlib import aclosing
from dataclasses import replace

import pytest

import networks
from saiten.errors import BudgetSpent, CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.models.transformers_chat import TransformersChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from saiten.settings import CallSettings
from saiten.wiring import Models
from tiny_models import tiny_chat

pytestmark = networks.marks()

READS = 512


@pytest.fixture(scope="session")
def llama(tmp_path_factory):
    """The folder of a tiny Llama, with a chat template."""
    return tiny_chat(tmp_path_factory.mktemp("llama"), reads=READS)


@pytest.fixture(scope="session")
def gpt2(tmp_path_factory):
    """The folder of a tiny GPT-2 with learned positions, without a chat template."""
    return tiny_chat(tmp_path_factory.mktemp("gpt2"), kind="gpt2", template=None, reads=READS)


@pytest.fixture
async def chat(llama):
    """A chat with the tiny Llama."""
    chat = TransformersChat(str(llama))
    yield chat
    await chat.close()


def ask(text, **settings):
    """A request with one message."""
    return ChatRequest((ChatMessage("user", text),), **({"max_tokens": 24} | settings))


def sizes_of_batches(chat):
    """A list that gets the number of requests in each of the model's batches from now on."""
    sizes = []
    answers = chat._opened.network.answers

    def counted(requests, stop):
        sizes.append(len(requests))
        return answers(requests, stop)

    chat._opened.network.answers = counted
    return sizes


# ------------------------------------------------------------------------------------------------ what is answered


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
async def test_together_as_one_by_one(kind, request):
    """Eight requests of different lengths, limits and temperatures get the answers that each gets alone."""
    chat = TransformersChat(str(request.getfixturevalue(kind)))
    requests = [
        ask("橋はいつ開通しましたか。"),
        ask("a", max_tokens=1),
        ask("The bridge. " * 20, max_tokens=60),
        ask("b" * 450, max_tokens=None),  # only a few tokens fit after it, whatever the others still write
        ask("drawn", temperature=0.8, seed=1),
        ask("drawn", temperature=0.8, seed=2),
        ask("drawn", temperature=1e-9, seed=2),
        ask("c", max_tokens=READS * 2),
    ]
    together = await asyncio.gather(*map(chat.complete, requests))
    alone = [await chat.complete(each) for each in requests]
    await chat.close()
    assert together == alone
    assert [each.finish_reason for each in together[:3]] == ["length"] * 3
    assert [each.usage.completion_tokens for each in together[:3]] == [24, 1, 60]
    assert all(each.usage.prompt_tokens + each.usage.completion_tokens <= READS for each in together)
    assert together[4].text != together[5].text
    assert all(each.usage.calls == 1 and not each.usage.unpriced for each in together)


@pytest.mark.witness
async def test_the_likeliest_answer_is_the_librarys(llama, chat):
    """The library's greedy decoding of the template's tokens gives the same text."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    model = transformers.AutoModelForCausalLM.from_pretrained(llama)
    said = [{"role": "system", "content": "短く。"}, {"role": "user", "content": "橋は？"}]
    prompt = tokenizer.apply_chat_template(said, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    written = model.generate(**prompt, max_new_tokens=40, do_sample=False)[0, prompt.input_ids.shape[1] :]
    request = ChatRequest((ChatMessage("system", "短く。"), ChatMessage("user", "橋は？")), max_tokens=40)
    assert (await chat.complete(request)).text == tokenizer.decode(written, skip_special_tokens=True)


async def test_an_answer_that_comes_to_its_end(chat):
    """Among forty draws some end by themselves; their text does not contain the end token."""
    said = await asyncio.gather(*(chat.complete(ask("x", temperature=1.5, seed=n, max_tokens=99)) for n in range(40)))
    ended = [each for each in said if each.finish_reason == "stop"]
    assert ended
    assert all(each.usage.completion_tokens < 99 for each in ended)
    assert not any("<|im_end|>" in each.text for each in said)


async def test_temperature_none_draws_as_the_models_own_settings_say(llama, tmp_path):
    """Here only the likeliest token is left to draw from; then, without settings, greedy."""
    folder = shutil.copytree(llama, tmp_path / "own")
    own = {"do_sample": True, "temperature": 0.7, "top_k": 1, "top_p": 0.9, "eos_token_id": 257}
    (folder / "generation_config.json").write_text(json.dumps(own))
    drawing, greedy = TransformersChat(str(folder)), TransformersChat(str(llama))
    asked = [ask("x", temperature=None, seed=n) for n in range(3)]
    likeliest = await greedy.complete(ask("x"))
    assert [(await drawing.complete(each)).text for each in asked] == [likeliest.text] * 3
    assert [(await greedy.complete(each)).text for each in asked] == [likeliest.text] * 3
    drawn = await drawing.complete(ask("x", temperature=2.0, seed=1))
    assert drawn.text != likeliest.text  # an explicit temperature is all there is
    await drawing.close()
    await greedy.close()


async def test_what_does_not_fit_is_refused_with_numbers(chat):
    """It is never truncated; the others in the batch are answered."""
    long, short = await asyncio.gather(chat.complete(ask("橋" * 400)), chat.complete(ask("a")), return_exceptions=True)
    assert isinstance(long, CallFailed)
    assert f"the prompt has {1200 + 31 - 12} tokens" in str(long)
    assert f"the model takes {READS}" in str(long)
    assert short.usage.completion_tokens == 24


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": -1.0}, "a temperature must be a number of at least 0"),
        ({"temperature": float("nan")}, "a temperature must be a number of at least 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
    ],
)
async def test_settings_that_make_no_sense(chat, settings, expected):
    """They are refused as by a server."""
    with pytest.raises(ConfigurationError, match=expected):
        await chat.complete(ask("a", **settings))


# ------------------------------------------------------------------------------------------------ batches, and ends


async def test_samples_in_flight_fill_the_batches(llama):
    """64 samples of two calls each, through the whole stack and the executor: nearly all batches hold eight."""
    models = Models(CallSettings(concurrency=64))
    stacked = models.chat(f"hf:{llama}")
    await stacked.complete(ask("first", max_tokens=1))
    sizes = sizes_of_batches(stacked._inner)

    async def work(n):
        first = await stacked.complete(ask(f"{n}", max_tokens=2))
        return await stacked.complete(ask(f"{n} {first.text}", max_tokens=2))

    async with aclosing(LocalExecutor(64).run(work, range(64))) as results:
        assert len([each async for each in results]) == 64
    await stacked.close()
    assert sum(sizes) == 128
    assert sizes.count(8) >= 14


async def test_equal_requests_in_flight_are_one(chat):
    """Requested three times at once, written once."""
    await chat.complete(ask("first"))
    sizes = sizes_of_batches(chat)
    one, two, three = await asyncio.gather(*(chat.complete(ask("same")) for _ in range(3)))
    assert one == two == three
    assert sizes == [1]


async def test_closing_stops_what_is_being_written(tmp_path):
    """An answer of 100,000 tokens is abandoned; whoever waits for it gets an error; the next request loads anew."""
    long = TransformersChat(str(tiny_chat(tmp_path, reads=200_000, template="{{ messages[0]['content'] }}")))
    await long.complete(ask("a", max_tokens=1))
    network = long._opened.network
    waiting = asyncio.create_task(long.complete(ask("endless", max_tokens=100_000)))
    while not network._computing.locked():  # noqa: ASYNC110 - the thread tells nobody that it has begun
        await asyncio.sleep(0.001)
    await long.close()
    with pytest.raises(CallFailed, match="closed before the answer"):
        await waiting
    assert (await long.complete(ask("a", max_tokens=2))).usage.completion_tokens == 2
    await long.close()


async def test_a_batch_that_does_not_fit_into_memory_is_halved(chat):
    """If more than two run out of memory, all eight are answered; if even one does, the call fails."""
    import torch

    await chat.complete(ask("first"))
    largest = [2]

    def refuse(module, arguments, named):
        if named["input_ids"].shape[0] > largest[0]:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nand more")

    hook = chat._opened.network._model.register_forward_pre_hook(refuse, with_kwargs=True)
    said = await asyncio.gather(*(chat.complete(ask(f"q{n}")) for n in range(8)))
    assert [each.usage.completion_tokens for each in said] == [24] * 8
    largest[0] = 0
    with pytest.raises(CallFailed, match=r"failed: CUDA out of memory. Tried to allocate 2 GiB$"):
        await chat.complete(ask("other"))
    hook.remove()


async def test_two_chats_share_one_network(llama):
    """A judge and a generator with one name are not in memory twice; one may be closed before the other."""
    one, two = TransformersChat(str(llama)), TransformersChat(str(llama), batch=2)
    answers = await asyncio.gather(one.complete(ask("a")), two.complete(ask("a")))
    assert one._opened.network is two._opened.network
    await one.close()
    assert answers[0] == answers[1] == await two.complete(ask("a"))
    await two.close()


def test_two_event_loops_one_after_the_other(llama):
    """The Python API runs each evaluation in its own loop."""
    chat = TransformersChat(str(llama))
    assert asyncio.run(chat.complete(ask("a"))) == asyncio.run(chat.complete(ask("a")))
    asyncio.run(chat.close())


# ------------------------------------------------------------------------------------------------ its surroundings


async def test_a_model_that_was_trained_on_is_asked_anew(llama, tmp_path):
    """Its name changes with its files, so an answer on disk is never the previous model's."""
    folder = shutil.copytree(llama, tmp_path / "judge")
    models = Models(CallSettings(cache=str(tmp_path / "answers.sqlite")))
    before = models.chat(f"hf:{folder}")
    first = await before.complete(ask("a", max_tokens=8, temperature=1.5, seed=4))
    assert await before.complete(ask("a", max_tokens=8, temperature=1.5, seed=4)) == first  # truncated, so not kept
    ended = await _ended(before)
    assert (await before.complete(ended)).usage == Usage(reused=1)
    await before.close()
    tiny_chat(folder, reads=READS, seed=1)
    after = models.chat(f"hf:{folder}")
    assert after.name != before.name
    assert after.name.startswith(f"hf:{folder}@")
    assert (await after.complete(ended)).usage.calls == 1
    await after.close()


async def _ended(chat):
    """A request whose answer ends by itself, and so is kept."""
    for seed in range(200):
        request = ask("a", temperature=1.5, seed=seed, max_tokens=200)
        said = await chat.complete(request)
        if said.text and said.finish_reason == "stop":
            return request
    raise AssertionError("no answer ended")


async def test_a_model_that_changes_before_it_is_loaded(llama, tmp_path):
    """The name is already in signatures, so another model must not answer under it."""
    folder = shutil.copytree(llama, tmp_path / "judge")
    chat = TransformersChat(str(folder))
    tiny_chat(folder, reads=READS, seed=1)
    with pytest.raises(ConfigurationError, match="the files changed since the command started"):
        await chat.complete(ask("a"))
    await chat.close()


async def test_loading_is_no_part_of_the_first_latency(llama):
    """For measuring latencies the models are loaded beforehand; that is not a call, and no budget is touched."""
    models = Models(CallSettings(max_calls=1))
    chat = models.chat(f"hf:{llama}")
    await models.prepare()
    (local,) = models._local
    assert local._opened.network is not None
    assert (await chat.complete(ask("hello"))).usage.calls == 1
    await chat.close()


async def test_the_budget_of_calls(llama):
    """It holds as for any other chat; a bound on the cost does no harm, since there is no cost."""
    chat = Models(CallSettings(max_calls=2, max_cost=1.0)).chat(f"hf:{llama}")
    await chat.complete(ask("a", max_tokens=1))
    await chat.complete(ask("b", max_tokens=1))
    with pytest.raises(BudgetSpent):
        await chat.complete(ask("c", max_tokens=1))
    await chat.close()


# ------------------------------------------------------------------------------------------------ adapters


@pytest.fixture
def adapter(llama, tmp_path):
    """A LoRA adapter over a copy of the tiny Llama, both as saved by peft and transformers."""
    peft = pytest.importorskip("peft", reason="peft is not installed; the extra [train] brings it")
    import transformers

    base = shutil.copytree(llama, tmp_path / "base")
    model = transformers.AutoModelForCausalLM.from_pretrained(base)
    how = peft.LoraConfig(target_modules=["q_proj", "v_proj"], r=4, init_lora_weights=False, task_type="CAUSAL_LM")
    peft.get_peft_model(model, how).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


async def test_an_adapter_is_merged_into_its_base(adapter):
    """It answers as base and adapter together do, and not as the base alone does."""
    peft = pytest.importorskip("peft", reason="peft is not installed; the extra [train] brings it")
    import transformers

    base = adapter.parent / "base"
    chat, bare = TransformersChat(str(adapter)), TransformersChat(str(base))
    said = [(await each.complete(ask("橋は？"))).text for each in (chat, bare)]
    side_by_side = peft.PeftModel.from_pretrained(transformers.AutoModelForCausalLM.from_pretrained(base), adapter)
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "橋は？"}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    written = side_by_side.generate(**prompt, max_new_tokens=24, do_sample=False)[0, prompt.input_ids.shape[1] :]
    assert said[0] == tokenizer.decode(written, skip_special_tokens=True)
    assert said[0] != said[1]
    await chat.close()
    await bare.close()


def test_an_adapter_has_another_name_over_another_base(adapter):
    """Its answers depend on both."""
    before = TransformersChat(str(adapter)).name
    tiny_chat(adapter.parent / "base", reads=READS, seed=1)
    assert TransformersChat(str(adapter)).name != before


def test_an_adapter_whose_base_is_gone(adapter):
    """The error says which it was, and where to write the new location; a base next to the adapter is found."""
    base = adapter.parent / "base"
    base.rename(adapter.parent / "moved")
    with pytest.raises(ConfigurationError, match=rf"trained on the model in {base}, which is missing; put it back"):
        TransformersChat(str(adapter))
    settings = json.loads((adapter / "adapter_config.json").read_text())
    settings["base_model_name_or_path"] = "../moved"
    (adapter / "adapter_config.json").write_text(json.dumps(settings))
    assert TransformersChat(str(adapter)).name.startswith(f"hf:{adapter}@")
    (adapter / "adapter_config.json").write_text('{"base_model_name_or_path": null}')
    with pytest.raises(ConfigurationError, match="should name the model that the adapter was trained on, got None"):
        TransformersChat(str(adapter))
    (adapter / "adapter_config.json").write_text("[")
    with pytest.raises(ConfigurationError, match=r"adapter_config.json cannot be read"):
        TransformersChat(str(adapter))


# ------------------------------------------------------------------------------------------------ a wrong set-up


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "hf: needs a model"),
        ("   ", "hf: needs a model"),
        ("./nowhere", "there is no such folder"),
        ("/no/where", "there is no such folder"),
        ("~nobody-of-this-name/x", "there is no such folder"),
        ("a/b/c", "there is no such folder"),
        ("judge/", "there is no such folder"),
        ("x" * 5_000 + "/", "there is no such folder"),
        ("../\0", "there is no such folder"),
    ],
)
def test_a_folder_that_is_not_there(name, expected):
    """This is found before anything is loaded or searched for in the network."""
    with pytest.raises(ConfigurationError, match=expected):
        Models().chat(f"hf:{name}")


def test_a_folder_without_a_model(tmp_path):
    """The error says what was expected in it."""
    with pytest.raises(ConfigurationError, match=r"holds no model; expected config\.json"):
        Models().chat(f"hf:{tmp_path}")


@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "model.safetensors"])
async def test_a_damaged_folder(llama, tmp_path, broken):
    """The first request says that it cannot be loaded; nobody gets an answer made of noise."""
    folder = shutil.copytree(llama, tmp_path / "damaged")
    (folder / broken).write_bytes(b'{"half')
    chat = TransformersChat(str(folder))
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        await chat.complete(ask("a"))
    await chat.close()


async def test_a_tokenizer_of_another_model(llama, tmp_path):
    """A token unknown to the model is reported as such."""
    import transformers

    folder = shutil.copytree(llama, tmp_path / "other")
    small = transformers.LlamaConfig(
        vocab_size=200, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1
    )
    transformers.LlamaForCausalLM(small).save_pretrained(folder)
    chat = TransformersChat(str(folder))
    with pytest.raises(ConfigurationError, match="they do not belong together"):
        await chat.complete(ask("a"))
    await chat.close()


async def test_weights_that_are_no_numbers(llama, tmp_path):
    """An overtrained model full of NaN is detected at its first token."""
    import torch
    import transformers

    folder = shutil.copytree(llama, tmp_path / "nan")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.lm_head.weight.fill_(torch.nan)
    model.save_pretrained(folder)
    chat = TransformersChat(str(folder))
    with pytest.raises(ConfigurationError, match="its weights are damaged"):
        await chat.complete(ask("a"))
    await chat.close()


async def test_no_code_of_a_model_is_run(llama, tmp_path):
    """A folder with its own code is refused, and the code never runs."""
    folder = shutil.copytree(llama, tmp_path / "code")
    settings = json.loads((folder / "config.json").read_text())
    settings |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    chat = TransformersChat(str(folder))
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        await chat.complete(ask("a"))
    assert not (tmp_path / "ran").exists()
    await chat.close()


async def test_an_attention_from_the_hub_is_not_fetched(llama, tmp_path):
    """A folder whose settings name a kernel in somebody's repository is refused before transformers would run it."""
    folder = shutil.copytree(llama, tmp_path / "kernel")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"attn_implementation": "somebody/attention"}))
    chat = TransformersChat(str(folder))
    with pytest.raises(
        ConfigurationError, match=r"requires code from the hub \(somebody/attention\), which saiten never runs"
    ):
        await chat.complete(ask("a"))
    await chat.close()


def test_the_request_is_what_an_answer_depends_on(llama):
    """A schema is part of it: two requests that differ only in that are two."""
    request = ask("a")
    assert replace(request, schema={"title": "t"}) != request
    assert repr(TransformersChat(str(llama))).startswith("TransformersChat('hf:")
