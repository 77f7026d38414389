"""Judges by name: which address, which key, which layers around the model, and the messages for a wrong name."""

import re

import pytest

from saiten.errors import BadInput, ConfigurationError
from saiten.judges.llm import LLMJudge
from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.statements import SplitStatements
from saiten.wiring import assemble_judge, read_address

KEY = {"OPENAI_API_KEY": "k"}
OPENAI = "https://api.openai.com/v1"
SPLIT = SplitStatements("q", "t", language="en")


@pytest.mark.parametrize(
    ("spec", "environ", "model", "url", "key"),
    [
        ("openai:gpt-4o", KEY, "gpt-4o", OPENAI, "k"),
        ("openai/gpt-4o", KEY, "gpt-4o", OPENAI, "k"),
        (" openai:gpt-4o ", KEY, "gpt-4o", OPENAI, "k"),
        ("openai:m", {"OPENAI_BASE_URL": "http://x/v1"}, "m", "http://x/v1", None),
        ("openai:m@http://y:8000/v1", {"OPENAI_BASE_URL": "http://x/v1"} | KEY, "m", "http://y:8000/v1", "k"),
        ("openai:org/m:7b@http://y/v1", {}, "org/m:7b", "http://y/v1", None),
        ("openai:m@v2@https://y/v1", {}, "m@v2", "https://y/v1", None),
        ("openai:claude@20240229", KEY, "claude@20240229", OPENAI, "k"),
        ("openai:m@http://y/v1", {"OPENAI_API_KEY": ""}, "m", "http://y/v1", None),
    ],
)
def test_a_name_is_a_model_and_an_address(spec, environ, model, url, key):
    """The URL in the name wins over the environment, which wins over OpenAI; an empty key counts as missing."""
    address = read_address(spec, environ)
    assert (address.model, address.url, address.source.value()) == (model, url, key)
    assert "'k'" not in repr(address)


@pytest.mark.parametrize(
    "spec",
    [
        "gpt-4o",
        "openai:",
        "openai",
        "",
        "gateway:m",
        "openai:m@ftp://x",
        "openai:m@localhost:8000/v1",
        "openai:m@10.0.0.1:80",
        "openai:m@host/v1",
        "openai:m x",
    ],
)
def test_a_name_of_another_form_is_refused_with_examples(spec):
    """The message has what came, and what is expected."""
    with pytest.raises(ConfigurationError, match=r"expected offline, PROVIDER:MODEL, PROVIDER:MODEL@URL, or hf:"):
        read_address(spec, KEY)


def test_openai_without_a_key_is_refused_with_three_ways_out():
    """Set the key, name another server, or judge offline."""
    with pytest.raises(
        ConfigurationError, match="set OPENAI_API_KEY; or name a model on a server of your own"
    ) as error:
        assemble_judge(JudgeSettings("openai:gpt-4o"), environ={})
    assert "offline" in str(error.value)


async def test_offline_needs_nothing():
    """No key, no network, no store on disk."""
    judge = assemble_judge(JudgeSettings(), CallSettings(), environ={})
    assert isinstance(judge, OfflineJudge)
    await judge.close()


async def test_votes_make_a_panel_with_a_seed_each():
    """Temperature 0.7 by default: at 0 all votes would be the same."""
    judge = assemble_judge(JudgeSettings("openai:m@http://127.0.0.1:9/v1", votes=3, seed=5), environ={})
    assert isinstance(judge, Panel)
    described = judge.describe([GradeAnswer])
    assert (described["seed"], described["votes"], described["temperature"]) == ("5,6,7", "3", "0.7")
    single = assemble_judge(JudgeSettings("openai:m@http://127.0.0.1:9/v1"), environ={})
    assert isinstance(single, LLMJudge)
    assert single.describe([GradeAnswer])["temperature"] == "0.0"
    for each in (judge, single):
        await each.close()


@pytest.mark.parametrize(
    ("settings", "calls", "said"),
    [
        ({"judge": "openai:m@http://x/v1", "calibration": ("c.json",)}, {}, "a calibration is for the offline judge"),
        ({"judge": "nli:model", "calibration": ("c.json",)}, {}, "a calibration is for the offline judge, not for nli"),
        ({"judge": "openai:m@http://x/v1"}, {"max_cost": 1.0}, "--max-cost needs the model's price"),
        ({"judge": "openai:m@http://x/v1", "votes": 0}, {}, "at least one"),
        ({"votes": 3}, {}, "always gives the same answer"),
        ({"embedder": "word2vec"}, {}, "unknown embedder 'word2vec'; expected builtin"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, calls, said):
    """This happens before anything is asked."""
    with pytest.raises(ConfigurationError, match=said):
        assemble_judge(JudgeSettings(**settings), CallSettings(**calls), environ={})


def test_a_calibration_that_is_not_there_is_named(tmp_path):
    """The message names the file, and says that it cannot be read."""
    with pytest.raises(BadInput, match=r"gone\.json"):
        assemble_judge(JudgeSettings(calibration=(tmp_path / "gone.json",)), environ={})


async def test_the_stack_keeps_answers_and_counts_calls(openai_server, tmp_path):
    """An answer is requested once, even across processes; the budget covers votes and embeddings together."""
    settings = JudgeSettings(f"openai:m@{openai_server.base_url}")
    for _ in range(2):
        judge = assemble_judge(settings, CallSettings(cache=str(tmp_path / "answers.sqlite"), retries=0), environ={})
        await judge.perform(SPLIT)
        await judge.close()
    assert len(openai_server.requests) == 1
    assert openai_server.requests[0].body["seed"] == 1


async def test_the_key_goes_to_the_server_that_was_named(openai_server):
    """None is sent without one."""
    for environ in (KEY, {}):
        judge = assemble_judge(JudgeSettings(f"openai:m@{openai_server.base_url}"), environ=environ)
        await judge.perform(SPLIT)
        await judge.close()
    assert [asked.headers.get("Authorization") for asked in openai_server.requests] == ["Bearer k", None]


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("gpt-4o-mini", "openai:gpt-4o-mini"),
        ("ofline", "did you mean offline?"),
        ("openai:qwen3@localhost:8000/v1", "openai:qwen3@http://localhost:8000/v1"),
        ("vllm:qwen3@gpu1:8000/v1", "vllm:qwen3@http://gpu1:8000/v1"),
        ("olama:qwen3", "did you mean ollama:qwen3?"),
        ("gateway:qwen3", "write openai:qwen3@URL"),
    ],
)
def test_a_mistyped_judge_gets_a_suggestion(spec, meant):
    """The suggestion can be pasted."""
    with pytest.raises(ConfigurationError, match=re.escape(meant)):
        read_address(spec, {})
