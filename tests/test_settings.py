"""Options are declared once: the command line, `saiten.toml` and Python's keywords come from the same fields."""

import subprocess
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest
import typer

import saiten
from saiten.api.keywords import Keywords
from saiten.cli import COMMANDS, app
from saiten.config_file import read_config
from saiten.errors import ConfigurationError
from saiten.options import Config, options_of, without_none
from saiten.settings import BATCHES, CallSettings, DataSettings, JudgeSettings, MetricSettings


def test_every_setting_is_read(tmp_path):
    """Lists become tuples, paths paths, prices stay a table; anything else has its default."""
    (tmp_path / "c.toml").write_text(
        'judge = "openai:gpt-4o-mini"\nmetrics = ["faithfulness", "gist"]\nmax_cost = 5\nvotes = 3\nlanguage = "ja"\n'
        'calibration = ["a.json"]\ncurrency = "JPY"\n[prices]\n"gpt-4o-mini" = { prompt = 0.15, completion = 0.6 }\n'
        '[key_env]\n"http://gpu1" = "GPU1_KEY"\n',
        encoding="utf-8",
    )
    config = read_config(tmp_path / "c.toml")
    judge = JudgeSettings("openai:gpt-4o-mini", votes=3, calibration=(Path("a.json"),))
    assert config.settings(JudgeSettings) == judge
    assert config.settings(MetricSettings).metrics == ("faithfulness", "gist")
    assert config.settings(DataSettings).language == "ja"
    assert config.settings(CallSettings) == CallSettings(
        max_cost=5,
        currency="JPY",
        prices={"gpt-4o-mini": {"prompt": 0.15, "completion": 0.6}},
        key_env={"http://gpu1": "GPU1_KEY"},
    )


def test_an_explicit_value_wins_over_the_file_and_the_file_over_the_default(tmp_path):
    """None is not explicit; zero is."""
    (tmp_path / "c.toml").write_text('seed = 7\nvotes = 2\ntemperature = 0.5\ncalibration = ["a.json"]\n')
    given = {"seed": 0, "votes": None, "calibration": None}
    expected = JudgeSettings(seed=0, votes=2, temperature=0.5, calibration=(Path("a.json"),))
    assert read_config(tmp_path / "c.toml").settings(JudgeSettings, given) == expected


def test_the_file_of_the_current_folder_is_the_default(tmp_path, monkeypatch):
    """Without a file, nothing is set."""
    monkeypatch.chdir(tmp_path)
    assert read_config() == Config()
    (tmp_path / "saiten.toml").write_text("seed = 7\n")
    assert read_config().settings(JudgeSettings).seed == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("juge = 'x'", r"unknown setting `juge`; did you mean `judge`\?"),
        ("xyzzy = 1", "known are judge, embedder"),
        ("no_cache = true", "unknown setting `no_cache`"),
        ("seed = 'x'", "`seed` must be int, not 'x'"),
        ("seed = true", "`seed` must be int, not True"),
        ("max_cost = '1'", "`max_cost` must be int or float"),
        ("cache = 1", "`cache` must be str, not 1"),
        ("concurrency = 1_000_000", "`concurrency` can be at most 10,000, not 1000000"),
        ("concurrency = 0", "`concurrency` must be at least 1, not 0"),
        ("votes = 101", "`votes` can be at most 100, not 101"),
        ("timeout = nan", "`timeout` must be at least 0.1, not nan"),
        ("metrics = 'faithfulness'", "`metrics` must be a list of texts"),
        ("metrics = [1]", "`metrics` must be a list of texts"),
        ("prices = 3", "`prices` must be a table"),
        ('[key_env]\n"http://x" = 3', "the name of an environment variable"),
        ("language = 'de'", "language is one of ja, en, not 'de'"),
        ("judge = ", "not a TOML file"),
        (b"judge = '\xff'", "not a TOML file"),
    ],
)
def test_a_wrong_setting_is_named_with_the_file(tmp_path, text, said):
    """The message has the file, the setting, what was expected and what came."""
    file = tmp_path / "c.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError, match=said) as error:
        read_config(file)
    assert str(file) in str(error.value)


def test_a_file_that_was_named_must_be_there(tmp_path):
    """A missing default file is ignored; a file named by the user must exist."""
    with pytest.raises(ConfigurationError, match="no such configuration file"):
        read_config(tmp_path / "gone.toml")


def test_pythons_keywords_are_the_fields():
    """A new field cannot be missing among the keywords; `judge` is in the signature itself."""
    names = [each.name for kind in (JudgeSettings, CallSettings) for each in fields(kind)]
    assert ["judge", *Keywords.__annotations__] == names
    assert {"judge", "metrics", "language"} <= signature(saiten.evaluate).parameters.keys()
    assert signature(saiten.evaluate) == signature(saiten.aevaluate)


def test_a_keyword_takes_what_the_field_takes():
    """Lists of texts for tuples of paths, texts for paths; otherwise the same type."""
    for kind in (JudgeSettings, CallSettings):
        for name, (_, hint, _) in options_of(kind).items():
            if name not in {"judge", "calibration", "cache", "prompts"}:
                assert Keywords.__annotations__[name] == hint, name
    assert without_none(options_of(CallSettings)["cache"][1]) in get_args(Keywords.__annotations__["cache"])
    assert without_none(options_of(JudgeSettings)["prompts"][1]) in get_args(Keywords.__annotations__["prompts"])


@pytest.mark.slow
def test_a_type_checker_finds_a_wrong_keyword(tmp_path):
    """It reports `jugde=`, and a text where a number is expected."""
    snippet = 'import saiten\nsaiten.evaluate("a.jsonl", ["gist"], jugde="offline")\n'
    snippet += (
        'saiten.evaluate("a.jsonl", votes="3")\nsaiten.evaluate("a.jsonl", judge="offline", votes=3, cache="a")\n'
    )
    (tmp_path / "snippet.py").write_text(snippet)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-incremental", "snippet.py"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert 'snippet.py:2: error: Unexpected keyword argument "jugde"' in said
    assert "snippet.py:3: error:" in said
    assert "snippet.py:4" not in said


def test_a_wrong_keyword_is_an_error_with_the_nearest_name():
    """As for any function."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'jugde'; did you mean 'judge'\?"):
        saiten.evaluate([], ["length"], jugde="offline")


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"concurrency": 1_000_000}, "concurrency can be at most 10,000, not 1000000"),
        ({"concurrency": 0}, "concurrency must be at least 1, not 0"),
        ({"retries": 10**400}, "retries can be at most 1,000"),
        ({"votes": 101}, "votes can be at most 100, not 101"),
        ({"workers": 20_000}, "workers can be at most 10,000, not 20000"),
        ({"seed": 10**30}, r"seed must be a number of at most \d+ \(64 bits\), not 10+$"),
        ({"temperature": float("inf")}, "temperature must be a number of at most"),
        ({"judge": "openai:m@http://127.0.0.1:9/v1", "judge_options": {"seed": 10**30}}, "seed cannot be sent"),
    ],
)
def test_a_keyword_has_the_range_of_its_option(keywords, said):
    """Python's keywords are checked like options: nothing is allocated for a million requests in flight."""
    with pytest.raises(ConfigurationError, match=said):
        saiten.evaluate([], ["length"], **keywords)


@pytest.mark.parametrize("name", ["score", "answer", "converse", "probe", "experiment", "index"])
def test_the_command_line_has_the_fields(name):
    """Every option of the calls that a command has comes from its field: name, bounds and default."""
    command = typer.main.get_command(app).get_command(None, name)
    known = {option for each in command.params for option in each.opts}
    flags = {flag for field, (each, *_) in options_of(CallSettings).items() if each.typed for flag in each.flags or [f"--{field.replace('_', '-')}"]}  # fmt: skip
    batches = (
        {f"--{field.replace('_', '-')}" for field in BATCHES} if name in ("answer", "converse", "index") else set()
    )
    assert flags - known <= {"--cache", "--no-cache"} | batches
    assert name in COMMANDS
