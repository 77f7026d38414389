"""`saiten.toml`: what it may hold, and what is said about what it may not."""

import pytest

from saiten.config import Config, read_config
from saiten.errors import ConfigurationError


def test_everything_that_may_stand_there_is_read(tmp_path):
    """Lists become tuples, prices stay a table, what is not set is None."""
    (tmp_path / "c.toml").write_text(
        'judge = "openai:gpt-4o-mini"\nmetrics = ["faithfulness", "gist"]\nmax_cost = 5\nvotes = 3\nlanguage = "ja"\n'
        'calibration = ["a.json"]\ncurrency = "JPY"\n[prices]\n"gpt-4o-mini" = { prompt = 0.15, completion = 0.6 }\n'
        '[key_env]\n"http://gpu1" = "GPU1_KEY"\n',
        encoding="utf-8",
    )
    assert read_config(tmp_path / "c.toml") == Config(
        judge="openai:gpt-4o-mini",
        metrics=("faithfulness", "gist"),
        max_cost=5,
        votes=3,
        language="ja",
        calibration=("a.json",),
        currency="JPY",
        prices={"gpt-4o-mini": {"prompt": 0.15, "completion": 0.6}},
        key_env={"http://gpu1": "GPU1_KEY"},
    )


def test_the_file_of_the_current_folder_is_the_default(tmp_path, monkeypatch):
    """Nothing there is nothing set."""
    monkeypatch.chdir(tmp_path)
    assert read_config() == Config()
    (tmp_path / "saiten.toml").write_text("seed = 7\n")
    assert read_config().seed == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("juge = 'x'", r"unknown setting `juge`; did you mean `judge`\?"),
        ("xyzzy = 1", "known are judge, embedder"),
        ("seed = 'x'", "`seed` must be int, not 'x'"),
        ("seed = true", "`seed` must be int, not True"),
        ("max_cost = '1'", "`max_cost` must be int or float"),
        ("metrics = 'faithfulness'", "`metrics` must be a list of texts"),
        ("metrics = [1]", "`metrics` must be a list of texts"),
        ("prices = 3", "`prices` must be a table"),
        ('[key_env]\n"http://x" = 3', "the name of an environment variable"),
        ("language = 'de'", "language is one of ja, en, not 'de'"),
        ("judge = ", "not a TOML file"),
        (b"judge = '\xff'", "not a TOML file"),
    ],
)
def test_what_cannot_stand_there_is_named_with_the_file(tmp_path, text, said):
    """The file, the setting, what was expected and what came."""
    file = tmp_path / "c.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError, match=said) as error:
        read_config(file)
    assert str(file) in str(error.value)


def test_a_file_that_was_named_must_be_there(tmp_path):
    """A default that is missing is none; a file that the user names is expected."""
    with pytest.raises(ConfigurationError, match="no such configuration file"):
        read_config(tmp_path / "gone.toml")
