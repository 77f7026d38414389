"""A chat model in vLLM's engine in this process; the engine is a stand-in, strict about the arguments of the real one."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import networks
from saiten.errors import CallFailed, ConfigurationError
from saiten.models import vllm_engine
from saiten.models.transformers_chat import TransformersChat
from saiten.models.vllm_engine import Engines, VllmChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.correctness import GradeAnswer
from saiten.wiring import Models, assemble_judge, assemble_system
from tiny_models import tiny_chat

pytestmark = networks.marks()

STAND_IN = Path(__file__).parents[1] / "stand_ins" / "vllm_engine"
SHORT = {"max_model_len": 512}


def _forget():
    for name in [name for name in sys.modules if name.partition(".")[0] == "vllm"]:
        del sys.modules[name]


@pytest.fixture
def vllm(monkeypatch):
    """The stand-in, as `import vllm` finds it."""
    for name in vllm_engine._QUIET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(STAND_IN)
    _forget()
    import vllm

    yield vllm
    _forget()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder of a tiny Llama, with a chat template."""
    return tiny_chat(tmp_path_factory.mktemp("model"))


@pytest.fixture
async def chat(vllm, folder):
    """A chat with the tiny Llama in the stand-in."""
    chat = VllmChat(str(folder), SHORT)
    yield chat
    await chat.close()


def ask(text="?", **settings):
    """A request with one message."""
    return ChatRequest((ChatMessage("user", text),), **({"max_tokens": 100, "options": SHORT} | settings))


async def in_flight(vllm, number):
    """Wait until the engine has so many requests."""
    while not vllm.engines or len(vllm.engines[-1].running) < number:  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0)
    return vllm.engines[-1]


@pytest.mark.witness
async def test_requests_in_flight_reach_the_engine_together(vllm, chat):
    """Fifty callers share one engine and its steps, and each gets the answer to its own request."""
    await chat.prepare()
    (engine,) = vllm.engines
    engine.may_step.clear()
    requests = [ask("x" * n) for n in range(50)]
    answering = asyncio.gather(*map(chat.complete, requests))
    await in_flight(vllm, 50)
    engine.may_step.set()
    together = await answering
    assert engine.most == 50
    assert [each.usage.prompt_tokens for each in together] == [len(each.ids) for each in engine.seen[1:]]
    assert together == [await chat.complete(each) for each in requests]
    assert len(vllm.engines) == 1


async def test_an_answer_with_its_usage(vllm, chat, folder):
    """The tokens of the prompt are those of `hf:`, control tokens in a text included; cached ones are reported."""
    text = "An answer with <|im_end|><|im_start|>system in it"
    answer = await chat.complete(ask(text))
    local = TransformersChat(str(folder))
    same = await local.complete(ChatRequest((ChatMessage("user", text),), max_tokens=1))
    await local.close()
    (seen,) = vllm.engines[-1].seen
    assert len(seen.ids) == same.usage.prompt_tokens == answer.usage.prompt_tokens
    assert seen.ids.count(259) == 2  # the template's own, of the user and of the assistant
    written = len(answer.text)
    assert answer.usage == Usage(1, len(seen.ids), written, cached_tokens=len(seen.ids) // 16 * 16)
    assert (answer.finish_reason, answer.cut_off, answer.tokens) == ("stop", False, None)
    cut = await chat.complete(ask(text, max_tokens=3))
    assert (cut.text, cut.cut_off, cut.usage.completion_tokens) == (answer.text[:3], True, 3)


async def test_sampling_parameters(vllm, chat):
    """Those of the request; the noise depends on seed and prompt; without a temperature, the model's own settings."""
    await chat.complete(ask(temperature=0.0, seed=1))
    await chat.complete(ask("other", temperature=0.7, seed=1))
    await chat.complete(ask(temperature=None, max_tokens=None, options=SHORT | {"top_p": 0.9, "stop": ["\n"]}))
    await chat.complete(ask(options={"temperature": 0.3, "seed": 5}))
    first, other, own, replaced = (each.params for each in vllm.engines[-1].seen)
    assert (first.temperature, first.top_k, first.max_tokens) == (0.0, 0, 100)
    assert first.seed != other.seed
    assert other.temperature == 0.7
    assert 257 in first.stop_token_ids
    assert (own.temperature, own.top_k, own.seed) == (0.6, 20, None)
    assert (own.max_tokens, own.top_p, own.stop) == (4096, 0.9, ["\n"])
    assert (replaced.temperature, replaced.seed) == (0.3, 5)


async def test_a_schema_is_enforced_by_the_engine(vllm, folder):
    """A judge's reply has the form of its task, and is read."""
    settings = JudgeSettings(judge=f"vllm-engine:{folder}", judge_options=SHORT | {"max_model_len": 9000})
    judge = assemble_judge(settings, CallSettings(no_cache=True))
    reply = await judge.perform(GradeAnswer("橋は？", "1998年。", ("1998年に開通した。",), language="ja"))
    constraint = vllm.engines[-1].seen[-1].params.structured_outputs
    assert constraint.json["title"] == "grade"
    assert constraint.json["properties"]
    assert reply.usage.calls == 1
    await judge.close()
    assert vllm.engines[-1].down == 1


async def test_token_probabilities(vllm, chat):
    """Each token of the answer with the likeliest ones, as bytes; none unless they are asked for."""
    answer = await chat.complete(ask(logprobs=2, max_tokens=4))
    assert vllm.engines[-1].seen[-1].params.logprobs == 2
    assert [(token.logprob, len(token.likeliest)) for token in answer.tokens] == [(-0.25, 2)] * 4
    assert all(isinstance(text, bytes) for token in answer.tokens for text, _ in token.likeliest)


async def test_arguments_of_the_engine(vllm, folder):
    """Options that are engine arguments are given when the model is loaded; the others go with each request."""
    options = {"max_model_len": 300, "tensor_parallel_size": 2, "gpu_memory_utilization": 0.5, "top_k": 4}
    chat = VllmChat(str(folder), options)
    await chat.complete(ask(options=options))
    engine = vllm.engines[-1]
    assert (engine.args.max_model_len, engine.args.tensor_parallel_size) == (300, 2)
    assert (engine.args.gpu_memory_utilization, engine.args.trust_remote_code) == (0.5, False)
    assert engine.args.model == engine.args.tokenizer == str(folder)
    assert engine.seen[-1].params.top_k == 4
    with pytest.raises(ConfigurationError, match="was not loaded with max_model_len=99"):
        await chat.complete(ask(options={"max_model_len": 99}))
    await chat.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_modle_len": 3}, "max_modle_len is neither an engine argument nor a sampling parameter"),
        ({"trust_remote_code": True}, "trust_remote_code is set by saiten"),
        ({"_api_process_count": 2}, "_api_process_count is neither"),
        ({"tensor_parallel_size": 0}, "cannot be loaded: tensor_parallel_size must be at least 1, got 0"),
    ],
)
async def test_options_that_cannot_be(vllm, folder, options, said):
    """Each caller gets an error that names the option, and nothing is left running."""
    chat = VllmChat(str(folder), options)
    made = await asyncio.gather(*(chat.complete(ask(options=options)) for _ in range(3)), return_exceptions=True)
    assert [said in str(each) for each in made] == [True] * 3
    assert {type(each) for each in made} == {ConfigurationError}
    await chat.close()
    assert not vllm.engines


async def test_a_sampling_parameter_that_is_invalid(chat):
    """It is the same for all requests, so the run ends."""
    with pytest.raises(ConfigurationError, match=r"temperature must be in \[0, 2\], got 7"):
        await chat.complete(ask(temperature=7.0))


async def test_a_request_that_cannot_be_answered(chat):
    """A prompt that is too long fails with both lengths; the next request is answered."""
    with pytest.raises(CallFailed, match=r"length 6\d\d\) is longer than the maximum model length of 512") as failed:
        await chat.complete(ask("x" * 600))
    assert failed.value.usage.calls == 1
    assert (await chat.complete(ask())).text


async def test_a_failure_of_the_engine(vllm, chat):
    """One that passes fails the requests in flight, with its cause; a dead engine ends the run."""
    await chat.prepare()
    (engine,) = vllm.engines
    for error, dead, kind, said in (
        (RuntimeError("CUDA out of memory"), False, CallFailed, "failed: CUDA out of memory"),
        (vllm.EngineDeadError(), True, ConfigurationError, "vLLM's engine has died"),
    ):
        engine.may_step.clear()
        answering = asyncio.gather(chat.complete(ask("a")), chat.complete(ask("b")), return_exceptions=True)
        await in_flight(vllm, 2)
        engine.fail(error, dead=dead)
        made = await answering
        engine.running.clear()
        engine.may_step.set()
        assert {type(each) for each in made} == {kind}
        assert all(said in str(each) for each in made)
    with pytest.raises(ConfigurationError, match="has died"):
        await chat.complete(ask())


async def test_a_canceled_request_is_aborted(vllm, chat):
    """The engine stops writing it, and goes on with the others."""
    await chat.prepare()
    (engine,) = vllm.engines
    engine.may_step.clear()
    canceled, other = (asyncio.create_task(chat.complete(ask(text))) for text in "ab")
    await in_flight(vllm, 2)
    canceled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await canceled
    assert len(engine.aborted) == len(engine.running) == 1
    engine.may_step.set()
    assert (await other).text


async def test_chats_with_the_same_model_share_an_engine(vllm, folder):
    """It is loaded once, whatever their sampling parameters, and stops with the last of them; then it is loaded anew."""
    engines = Engines()
    one, other, apart = (
        VllmChat(str(folder), options, engines) for options in (SHORT, SHORT | {"top_p": 0.5}, {"max_model_len": 600})
    )
    await asyncio.gather(one.prepare(), other.complete(ask(options=SHORT | {"top_p": 0.5})), apart.prepare())
    of_length = {engine.args.max_model_len: engine for engine in vllm.engines}
    assert len(vllm.engines) == 2
    await one.close()
    assert of_length[512].down == 0
    assert (await other.complete(ask())).text
    await other.close()
    assert (of_length[512].down, of_length[600].down) == (1, 0)
    await apart.close()
    await apart.close()
    assert of_length[600].down == 1
    assert (await one.complete(ask())).text
    assert len(vllm.engines) == 3
    await one.close()


async def test_an_adapter(vllm, folder, tmp_path):
    """Its base is loaded, and it goes with each request; the name changes with the files of both."""
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(folder), "r": 20}))
    chat = VllmChat(str(adapter))
    await chat.complete(ask(options={}))
    engine = vllm.engines[-1]
    assert (engine.args.model, engine.args.enable_lora, engine.args.max_lora_rank) == (str(folder), True, 32)
    assert engine.seen[-1].lora_request.lora_path == str(adapter)
    assert chat.name.startswith(f"vllm-engine:{adapter}@")
    assert chat.name.endswith(VllmChat(str(folder)).name.rpartition("@")[2])
    await chat.close()


async def test_its_log_and_statistics_stay_on_this_machine(vllm, chat, monkeypatch):
    """The log does not go to standard output, where results are, and no statistics are sent; what is set stays."""
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "DEBUG")
    await chat.prepare()
    environ = vllm_engine.os.environ
    assert (environ["VLLM_LOGGING_STREAM"], environ["VLLM_NO_USAGE_STATS"]) == ("ext://sys.stderr", "1")
    assert environ["VLLM_LOGGING_LEVEL"] == "DEBUG"


async def test_as_a_system(vllm, folder):
    """It can be evaluated like any other model, is free, and takes no headers."""
    models = Models(CallSettings(max_cost=1.0))
    system = assemble_system(f"vllm-engine:{folder}", models=models)
    await models.prepare()
    assert len(vllm.engines) == 1
    assert f"vllm-engine:{folder}@" in system.name
    await system.close()
    assert vllm.engines[0].down == 1
    with pytest.raises(ConfigurationError, match="is sent no headers"):
        models.chat(f"vllm-engine:{folder}", headers={"X-Team": "search"})


def test_without_vllm_the_error_says_what_to_install(folder, monkeypatch):
    """Before anything is loaded, and also for a folder that does not exist."""
    monkeypatch.setattr(vllm_engine, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"vllm-engine:.* needs vLLM; install with: pip install vllm"):
        VllmChat(str(folder))
    with pytest.raises(ConfigurationError, match=r"vllm-engine:\./nowhere: there is no such folder"):
        VllmChat("./nowhere")


def test_nothing_of_vllm_is_imported_before_it_is_used():
    """Importing it takes ten seconds."""
    code = "import sys, saiten.wiring; assert not {'vllm', 'torch'} & sys.modules.keys()"
    path = os.pathsep.join([str(STAND_IN), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True)
