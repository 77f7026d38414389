"""Options and headers of models on the command line and in saiten.toml: sent, signed, cached, and never leaked."""

import json
from pathlib import Path

import pytest

import saiten as api
from saiten.errors import ConfigurationError
from saiten.options import read_pairs
from stand_ins.anthropic import AnthropicServer
from stand_ins.native import KEY
from stand_ins.shapes import NEEDS_LIBRARY

ROW = {"id": "a", "question": "Where?", "answer": "In Nagoya.", "reference": "In Nagoya.", "contexts": ["In Nagoya."]}
PLANTED = "planted-secret-value"


@pytest.fixture
def score(saiten, openai_server, somewhere):
    """`saiten score` of one row with a model, into a folder; no try is repeated."""
    Path("data.jsonl").write_text(json.dumps(ROW) + "\n")

    def call(*more, into="run", judge=True, metrics=("accuracy",)):
        named = ("--judge", f"openai:m@{openai_server.base_url}") if judge else ()
        chosen = [word for metric in metrics for word in ("-m", metric)]
        return saiten("score", "data.jsonl", *chosen, *named, "-o", into, "--retries", "0", *more)

    return call


def signature(folder="run", metric="accuracy"):
    """The signature of a metric in a run."""
    return json.loads((Path(folder) / "manifest.json").read_text())["signatures"][metric]


def leaks(folder="."):
    """The files with the planted secret."""
    found = [path for path in Path(folder).rglob("*") if path.is_file() and path.name != "saiten.toml"]
    return [path for path in found if PLANTED.encode() in path.read_bytes()]


# ------------------------------------------------------------------------------------------ what is typed


PAIRS = [
    (["top_k=5"], {"top_k": 5}),
    (["a=low"], {"a": "low"}),
    (["a=true", "b=null", "c=0.5"], {"a": True, "b": None, "c": 0.5}),
    (['a="5"'], {"a": "5"}),
    (["thinking.type=disabled"], {"thinking": {"type": "disabled"}}),
    (["a.b.c=1", "a.b.d=2", "a.e=3"], {"a": {"b": {"c": 1, "d": 2}, "e": 3}}),
    (['stop=["x", "y"]'], {"stop": ["x", "y"]}),
    (['a={"b": 1}', "a.c=2"], {"a": {"b": 1, "c": 2}}),
    (["a=x=y"], {"a": "x=y"}),
    (["a="], {"a": ""}),
    ([" a = 1 "], {"a": 1}),
    (["a=1", "a=2"], {"a": 2}),
]


@pytest.mark.parametrize(("typed", "read"), PAIRS)
def test_what_is_typed_is_read_as_json_if_it_is(typed, read):
    """Dots are paths, null takes a parameter away, everything else is text."""
    assert read_pairs(typed, "--judge-option", texts=False) == read


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--judge-option", "x", "--judge-option expects NAME=VALUE, for example reasoning_effort=low"),
        ("--judge-option", "=x", "--judge-option expects NAME=VALUE"),
        ("--judge-option", ".a=1", "--judge-option expects NAME=VALUE"),
        ("--judge-option", "a..b=1", "--judge-option expects NAME=VALUE"),
        ("--judge-header", "x", "--judge-header expects NAME=VALUE, for example X-Team=search"),
        ("--judge-header", "X Y=1", "'X Y' is no name of a header"),
        ("--judge-header", "X-Team=検索", "X-Team contains characters not allowed in a header"),
        ("--judge-header", "X-Team=env:NOT_SET", "the header X-Team is to have the value of NOT_SET, which is not set"),
        ("--embedder-option", "dimensions", "--embedder-option expects NAME=VALUE"),
        ("--embedder-header", "x", "--embedder-header expects NAME=VALUE"),
        ("--embedder-option", "dimensions=5", "builtin is an embedder in this process"),
    ],
)
def test_a_faulty_option_is_an_error(score, openai_server, option, value, said):
    """Before anything is sent."""
    found = score(option, value)
    assert found.status == 2
    assert said in found.err
    assert openai_server.requests == []


def test_a_value_is_no_object_and_a_text(score):
    """Two options that contradict each other."""
    found = score("--judge-option", "a=1", "--judge-option", "a.b=2")
    assert found.status == 2
    assert "--judge-option a.b: a already has a value of its own" in found.err


def test_the_offline_judge_takes_no_options(score):
    """It would not read them."""
    found = score("--judge-option", "a=1", judge=False)
    assert found.status == 2
    assert "sends no requests, so a has no effect" in found.err


# -------------------------------------------------------------------------------------------- what is sent


def test_options_and_headers_are_in_every_request(score, openai_server, monkeypatch):
    """The first small call, each task, and the embedder's, which has its own."""
    monkeypatch.setenv("TEAM", "search")
    found = score(
        *("--judge-option", "reasoning_effort=low", "--judge-option", "a.b=1", "--judge-option", "seed=null"),
        *("--judge-header", "X-Team=env:TEAM", "--embedder-header", "X-Team=other"),
        *("--embedder", f"openai:e@{openai_server.base_url}", "--embedder-option", "dimensions=8"),
        metrics=("accuracy", "answer_similarity"),
    )
    assert found.status == 0, found
    chats = [asked for asked in openai_server.requests if "messages" in asked.body]
    embeds = [asked for asked in openai_server.requests if "input" in asked.body]
    assert len(chats) == 2
    assert {(asked.body["reasoning_effort"], asked.body["a"]["b"], "seed" in asked.body) for asked in chats} == {
        ("low", 1, False)
    }
    assert {asked.headers["X-Team"] for asked in chats} == {"search"}
    assert {(asked.body["dimensions"], asked.headers["X-Team"]) for asked in embeds} == {(8, "other")}
    assert embeds


def test_options_are_in_the_signature(score):
    """A figure says what it was asked with."""
    assert score("--judge-option", "top_k=5", "--judge-option", "a.b=x").status == 0
    assert '|options:a={"b": "x"}, top_k=5|' in signature()


@NEEDS_LIBRARY
def test_a_refused_option_stops_the_run_with_its_name(saiten, score, monkeypatch):
    """It is not left out without a word."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with AnthropicServer() as server:
        found = score("--judge", f"anthropic:c@{server.root}", "--judge-option", "foo=1", judge=False)
    assert found.status == 2
    assert "change or leave out the option 'foo'" in found.err
    assert len(server.requests) == 1


def test_another_option_asks_again(score, openai_server):
    """Answers in a cache are those to the same options."""
    cache = ("--cache", "answers.sqlite")

    def asked(*more, into):
        before = len(openai_server.requests)
        assert score(*cache, *more, into=into).status == 0
        return len(openai_server.requests) - before

    first = asked("--judge-option", "top_k=5", into="one")
    assert first == 2
    assert asked("--judge-option", "top_k=5", into="two") == 1  # the first small call is never from the cache
    assert asked("--judge-option", "top_k=6", into="three") == 2
    assert asked(into="four") == 2
    assert asked("--judge-option", "top_k=6", "--judge-header", "X-Trace=2", into="five") == 1


@pytest.mark.parametrize("refuses", [{"temperature"}, {"seed", "temperature"}])
def test_a_run_is_resumed_although_a_parameter_was_refused(score, openai_server, refuses):
    """Its signature says what was refused, before and after, and whether or not anything is left to ask."""
    openai_server.refuses = refuses
    assert score("--max-calls", "1").status != 0  # only the first small call
    assert score().status == 0
    assert "|temperature:refused(0.0)|" in signature()
    asked = len(openai_server.requests)
    assert score().status == 0
    assert len(openai_server.requests) == asked


def test_a_run_is_not_resumed_with_other_options(score):
    """Its figures would be of two kinds."""
    assert score("--judge-option", "top_k=5").status == 0
    found = score("--judge-option", "top_k=6")
    assert found.status == 2
    assert "judge_options" in found.err
    assert score("--judge-option", "top_k=5").status == 0


def test_no_secret_is_written_or_shown(score, monkeypatch, openai_server):
    """Neither the value of a header, nor that of an option with a telling name, in any file or line."""
    monkeypatch.setenv("TRACE", PLANTED)
    typed = (
        *("--judge-option", f"metadata.api_key={PLANTED}", "--judge-option", f'extra={{"token": "{PLANTED}"}}'),
        *("--judge-option", f"webhook=https://me:{PLANTED}@far.example/x?sig={PLANTED}", "--judge-option", "top_k=5"),
        *("--judge-header", f"X-Trace={PLANTED}", "--judge-header", "X-Other=env:TRACE"),
        *("--embedder", f"openai:e@{openai_server.base_url}", "--embedder-option", f"auth_token={PLANTED}"),
        *("--embedder-header", f"X-Trace={PLANTED}"),
    )
    found = score(*typed, metrics=("accuracy", "answer_similarity"))
    assert found.status == 0, found
    sent = [f"{asked.headers} {asked.body}" for asked in openai_server.requests]
    assert all(PLANTED in each for each in sent)
    assert leaks() == []
    assert PLANTED not in found.out + found.err
    assert "top_k=5" in signature()
    assert score(*typed, metrics=("accuracy", "answer_similarity")).status == 0  # resumed


def test_a_secret_that_a_server_repeats_is_hidden(score, openai_server):
    """In an error, as everywhere."""
    openai_server.key = "another"
    openai_server.reply = lambda _: None
    found = score("--judge-header", f"Authorization=Bearer {PLANTED}")
    assert found.status == 2
    assert PLANTED not in found.err
    assert openai_server.requests[0].headers.getall("Authorization") == [f"Bearer {PLANTED}"]


# ------------------------------------------------------------------------------------------- saiten.toml


def test_a_table_names_the_judge_and_its_parameters(score, openai_server, monkeypatch):
    """`[judge]` has the name, options and headers; what is typed adds nothing to them but replaces them."""
    monkeypatch.setenv("TEAM", "search")
    Path("saiten.toml").write_text(
        f'[judge]\nname = "openai:m@{openai_server.base_url}"\noptions = {{ top_k = 5, a = {{ b = [1] }} }}\n'
        'headers = { X-Team = "env:TEAM" }\n'
        f'[embedder]\nname = "openai:e@{openai_server.base_url}"\noptions = {{ dimensions = 8 }}\n'
    )
    assert score(judge=False, metrics=("accuracy", "answer_similarity")).status == 0
    chat, embed = openai_server.requests[0], next(a for a in openai_server.requests if "input" in a.body)
    assert (chat.body["top_k"], chat.body["a"], chat.headers["X-Team"]) == (5, {"b": [1]}, "search")
    assert embed.body["dimensions"] == 8
    openai_server.requests.clear()
    assert score("--judge-option", "top_k=6", judge=False, into="other").status == 0
    assert (openai_server.requests[0].body["top_k"], "a" in openai_server.requests[0].body) == (6, False)


def test_a_table_s_options_and_headers_are_for_its_own_model(score, openai_server):
    """A model that is typed, or named in Python, gets neither: the headers may hold a gateway's key."""
    Path("saiten.toml").write_text(
        '[judge]\nname = "openai:other@http://gateway.example/v1"\noptions = { top_k = 5 }\n'
        f'headers = {{ X-Key = "{PLANTED}" }}\n'
    )
    assert score().status == 0
    named = f"openai:m@{openai_server.base_url}"
    assert api.evaluate([ROW], ["accuracy"], judge=named).scores[0].score.status == "ok"
    assert openai_server.requests
    for asked in openai_server.requests:
        assert "top_k" not in asked.body
        assert PLANTED not in str(asked.headers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('judge = "offline"\n[judge.options]\na = 1\n', "a model with options is a table: [judge], below it name ="),
        (
            '[judge]\nname = "offline"\noption = { a = 1 }\n',
            "unknown setting `judge.option`; did you mean `judge.options`?",
        ),
        ('[judge]\nname = "offline"\noptions = "a=1"\n', "`judge.options` must be a table, not 'a=1'"),
        ('[judge]\nname = "offline"\nheaders = { X = 1 }\n', "`judge.headers` must have a text in quotation marks"),
        ("[judge]\nname = 3\n", "`judge` must be str, not 3"),
        ("[judge.options]\na = 1\n", "[judge] needs the name of its model: name ="),
    ],
)
def test_a_faulty_table_is_an_error(score, text, said):
    """That says where, and what to write."""
    Path("saiten.toml").write_text(text)
    found = score(judge=False)
    assert found.status == 2
    assert said in " ".join(found.err.split())


# -------------------------------------------------------------------------------------------- in Python


def test_the_same_in_python(openai_server):
    """As keywords of `evaluate`."""
    result = api.evaluate(
        [ROW],
        ["accuracy"],
        judge=f"openai:m@{openai_server.base_url}",
        judge_options={"top_k": 5, "temperature": None},
        judge_headers={"X-Team": "search"},
    )
    assert [one.score.status for one in result.scores] == ["ok"]
    asked = openai_server.requests[-1]
    assert (asked.body["top_k"], "temperature" in asked.body, asked.headers["X-Team"]) == (5, False, "search")


def test_an_option_in_python_that_cannot_be_sent_is_an_error(openai_server):
    """Not a traceback out of a library."""
    with pytest.raises(ConfigurationError, match="judge_options"):
        api.evaluate([ROW], ["accuracy"], judge=f"openai:m@{openai_server.base_url}", judge_options={"a": object()})
