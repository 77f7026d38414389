"""One model per role: composer, grader and questioner in dialogues, systems and generators, each with its own settings."""

import json
from collections import Counter
from pathlib import Path

import pytest

from saiten.runs import read_run
from saiten.runs.answers.answers_file import KIND, MADE_NAME, folder_of
from saiten.runs.manifest import read_manifest
from servers import OpenAIServer, instance, refusal

PAIRS = [
    {"id": "q1", "question": "What does the log show?", "reference": "The log shows the rows removed and the time."},
    {"id": "q2", "question": "何ができますか。", "reference": "重複した行を削除し、最初の行を残します。"},
]
BOT = 'def answer(question, history):\n    return "It shows some of it."\n'


@pytest.fixture
def three():
    """Three servers, one per role; the grader gives 3, the questioner has another question."""
    servers = [OpenAIServer() for _ in range(3)]

    def reply(asked):
        said = instance(asked.schema)
        said |= {"grade": 3} if "grade" in said else {}
        said |= {"question": f"And what else, number {asked.number}?"} if "question" in said else {}
        return json.dumps(said)

    for server in servers:
        server.reply = reply
        server.__enter__()
    yield servers
    for server in servers:
        server.close()


def fields(server):
    """Each set of fields requested from the server, except by the first small call, and how often."""
    found = Counter(frozenset((asked.schema or {}).get("properties", {})) for asked in server.requests)
    return {names: times for names, times in found.items() if names != {"ok"}}


def written_in(folder):
    """All that is written in a folder."""
    return "".join(file.read_text("utf-8", "replace") for file in Path(folder).rglob("*") if file.is_file())


def test_each_agent_asks_its_own_model(saiten, data, somewhere, three, monkeypatch):
    """With its own options, headers and key; the signature and the settings of the run name all three, without secrets."""
    (somewhere / "bot.py").write_text(BOT)
    grader, composer, questioner = three
    urls = [server.base_url for server in three]
    for name in ("JUDGE_KEY", "COMPOSER_KEY", "QUESTIONER_KEY"):
        monkeypatch.setenv(name, f"planted-{name.lower()}")
    (somewhere / "saiten.toml").write_text(
        f'[judge]\nname = "openai:grades@{urls[0]}"\noptions = {{ reasoning_effort = "low" }}\n'
        f'[questioner]\nname = "vllm:asks@{urls[2]}"\n'
        f'[key_env]\n"{urls[0]}" = "JUDGE_KEY"\n"{urls[1]}" = "COMPOSER_KEY"\n"{urls[2]}" = "QUESTIONER_KEY"\n'
    )
    how = ("--composer", f"ollama:composes@{urls[1]}", "--composer-option", "top_k=5", "--composer-header", "X-Team=planted-team")  # fmt: skip
    said = saiten("converse", data(PAIRS), "--system", "bot.py:answer", *how, "--max-turns", "2", "-o", "run")
    assert said.status == 0, said
    assert set(fields(grader)) == {frozenset({"feedback", "grade"})}
    assert set(fields(composer)) == {frozenset({"explanation", "answer"})}
    assert set(fields(questioner)) == {frozenset({"explanation", "needed", "question"})}
    assert {asked.body["model"] for server in three for asked in server.requests} == {"grades", "composes", "asks"}
    keys = [{asked.headers.get("Authorization") for asked in server.requests} for server in three]
    assert keys == [{f"Bearer planted-{role}_key"} for role in ("judge", "composer", "questioner")]
    assert {asked.body.get("reasoning_effort") for asked in grader.requests} == {"low"}
    assert {(asked.body.get("top_k"), asked.headers["X-Team"]) for asked in composer.requests} == {(5, "planted-team")}
    assert not any({"reasoning_effort", "top_k"} & asked.body.keys() for asked in questioner.requests)
    parts = read_run(Path("run")).manifest.made_by("wscore")
    assert parts["judge"].startswith("openai:grades@")
    assert parts["options"] == "reasoning_effort=low"
    assert parts["composer"].startswith("ollama:composes@")
    assert (parts["composer.options"], parts["composer.headers"]) == ("top_k=5", "X-Team=***")
    assert parts["questioner"].startswith("vllm:asks@")
    assert "questioner.prompts" in parts
    assert "planted" not in written_in("run")
    asked = sum(len(server.requests) for server in three)
    assert (
        saiten("converse", data(PAIRS), "--system", "bot.py:answer", *how, "--max-turns", "2", "-o", "run").status == 0
    )
    assert sum(len(server.requests) for server in three) == asked
    other = saiten("converse", data(PAIRS), "--system", "bot.py:answer", "--max-turns", "2", "-o", "run")
    assert other.status == 2
    assert "composer: was" in other.err


def test_by_default_one_model_plays_all_roles(saiten, data, somewhere, openai_server):
    """The signature is that of earlier versions, without roles."""
    (somewhere / "bot.py").write_text(BOT)
    judge = ("--judge", f"openai:m@{openai_server.base_url}")
    said = saiten("converse", data(PAIRS[:1]), "--system", "bot.py:answer", *judge, "--max-turns", "1", "-o", "run")
    assert said.status == 0, said
    assert not [part for part in read_run(Path("run")).manifest.made_by("wscore") if "composer" in part]


def test_a_dry_run_prices_each_role_with_its_model(saiten, data, somewhere):
    """The sum is known if all prices are."""
    (somewhere / "bot.py").write_text(BOT)
    (somewhere / "saiten.toml").write_text("[prices]\ndear = { prompt = 1000 }\nfree = { prompt = 0 }\n")
    command = ("converse", data(PAIRS), "--system", "bot.py:answer", "--dry-run", "--format", "json", "-o", "run")

    def costs(*roles):
        said = saiten(*command, *roles)
        assert said.status == 0, said
        (table,) = json.loads(said.out).values()
        return [row["cost (USD)"] for row in table]

    free, dear = "openai:free@http://localhost:1/v1", "openai:dear@http://localhost:1/v1"
    assert costs("--judge", free) == [0, 0]
    least, most = costs("--judge", free, "--composer", dear)
    all_least, all_most = costs("--judge", dear)
    assert 0 < least < all_least
    assert 0 < most < all_most
    assert costs("--judge", dear, "--questioner", "openai:what@http://localhost:1/v1")[1] == "unknown"


def test_options_of_a_role_need_its_model(saiten, data, somewhere):
    """They would have no effect."""
    (somewhere / "bot.py").write_text(BOT)
    said = saiten("converse", data(PAIRS), "--system", "bot.py:answer", "--composer-option", "a=1", "-o", "run")
    assert said.status == 2
    assert "need --composer MODEL" in " ".join(said.err.split())


def test_a_system_has_options_and_headers_and_says_what_its_server_refused(saiten, data, openai_server):
    """`temperature:refused(0.0)` in the settings of the answers; the file can be resumed all the same."""
    openai_server.reply = lambda asked: (
        refusal(400, "Unsupported value: 'temperature' does not support 0.0 with this model.", param="temperature")
        if "temperature" in asked.body
        else "An answer."
    )
    system = ("--system", f"openai:m@{openai_server.base_url}", "--system-option", "thinking.type=disabled", "--header", "X-Team=planted")  # fmt: skip
    said = saiten("answer", data(PAIRS[:1]), *system, "-o", "answers.jsonl")
    assert said.status == 0, said
    assert openai_server.requests[-1].body["thinking"] == {"type": "disabled"}
    assert openai_server.requests[-1].headers["X-Team"] == "planted"
    made = read_manifest(folder_of(Path("answers.jsonl").resolve()), MADE_NAME, KIND)
    assert made.settings["temperature"] == "refused(0.0)"
    assert made.settings["options"] == 'thinking={"type": "disabled"}'
    assert made.settings["headers"] == "X-Team=***"
    again = saiten("answer", data(PAIRS), *system, "-o", "answers.jsonl")
    assert again.status == 0, again
    assert len(Path("answers.jsonl").read_text().splitlines()) == 2
    assert saiten("answer", data(PAIRS), *system, "--temperature", "0.5", "-o", "answers.jsonl").status == 2
    assert "planted" not in written_in(".")


def test_a_refused_temperature_is_in_the_signature_even_of_a_run_that_was_stopped(saiten, data, openai_server):
    """It said `temperature:0.0` for a model that refused it."""
    openai_server.refuses = {"temperature", "seed"}
    rows = [{"question": "Where?", "answer": f"Here {n}.", "reference": "Here."} for n in range(4)]
    judge = ("-m", "accuracy", "--judge", f"openai:m@{openai_server.base_url}", "-o", "run")
    stopped = saiten("score", data(rows), *judge, "--max-calls", "5")
    assert stopped.status == 3, stopped
    signature = read_run(Path("run")).manifest.signatures["accuracy"]
    assert "|temperature:refused(0.0)|seed:refused(1)|" in signature
    ended = saiten("score", data(rows), *judge)
    assert ended.status == 0, ended
    assert read_run(Path("run")).manifest.signatures["accuracy"] == signature
    assert saiten("score", data(rows), *judge, "--seed", "2").status == 2


def test_an_experiment_has_generators_and_a_judge_with_their_own_options(saiten, somewhere, openai_server):
    """Two entries of one model that differ in an option are two systems; the plan is kept without secrets."""
    at = f"openai:m@{openai_server.base_url}"
    (somewhere / "grid.yaml").write_text(
        "data: [{demo: en, limit: 1}]\nchains: [stuff]\nmetrics: [accuracy]\n"
        f"models:\n  - {at}\n"
        f'  - {{name: "{at}", options: {{reasoning_effort: high}}, headers: {{X-Key: planted-secret}}}}\n'
        f'judge: {{name: "{at}", options: {{reasoning_effort: low}}}}\n'
    )
    said = saiten("experiment", "grid.yaml", "-o", "out", "--format", "json")
    assert said.status == 0, said
    efforts = Counter(
        (asked.schema is not None, asked.body.get("reasoning_effort")) for asked in openai_server.requests
    )
    assert efforts[False, None] == efforts[False, "high"] == 1
    assert set(efforts) == {(False, None), (False, "high"), (True, "low")}
    assert "reasoning_effort=high · stuff" in said.out
    assert "planted" not in written_in("out")
    assert saiten("experiment", "grid.yaml", "-o", "out", "--results").status == 0
