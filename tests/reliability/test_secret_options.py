"""Every option and every variable of saiten is known to carry no secret, or to be hidden in a command line."""

import inspect
import re
from itertools import product
from pathlib import Path

import pytest
from planted import Planted
from secret_carriers import ADDRESSES, FLAGS, HARMLESS, KNOWN, MODELS, TYPED

import saiten
from saiten.options import options_of
from saiten.redaction import redact_command
from saiten.settings import JudgeSettings, RoleSettings, WriterSettings


def test_each_option_is_known_to_carry_secrets_or_none():
    """A new option with a text is decided on here: one that may be an address or a header is then planted below."""
    paired = {name for name in TYPED if name.endswith(("header", "-option"))}
    assert len(paired) == 13
    undecided = set(TYPED) - paired - ADDRESSES - HARMLESS
    assert undecided == set(), "put each into ADDRESSES or HARMLESS; if it is a secret itself, read a variable instead"
    assert (ADDRESSES | HARMLESS) - set(TYPED) == set(), "these are gone"


@pytest.mark.parametrize("option", [name for name in FLAGS if name.endswith("header")])
def test_a_header_on_a_command_line_loses_its_value(option):
    """Of every option for headers, in both forms, with each sign between name and value."""
    planted = Planted()
    for sign in ("=", ": ", ":"):
        value = f"X-Team{sign}{planted('header')}"
        shown = redact_command(["saiten", option, value, f"{option}={value}", "-k", "3"])
        assert shown == ["saiten", option, f"X-Team{sign.strip()}***", f"{option}=X-Team{sign.strip()}***", "-k", "3"]


@pytest.mark.parametrize("option", [name for name in FLAGS if name.endswith("-option")])
def test_a_secret_parameter_on_a_command_line_loses_its_value(option):
    """Of every option for parameters: under a telling name, in JSON, in a nested name, and in a known format."""
    planted = Planted()
    secret = planted("parameter")
    values = [f"api_key={secret}", f"a.token={secret}", f'more={{"secret": "{secret}"}}', f"url=http://u:{secret}@h/v1"]
    for value in [*values, f"user=sk-{secret}1"]:
        shown = redact_command([option, value, f"{option}={value}", option, "top_k=5"])
        assert planted.found(" ".join(shown).encode()) == set()
        assert shown[-2:] == [option, "top_k=5"]


def test_an_address_on_a_command_line_loses_its_secrets():
    """Of every option with a text, since a user may mistake any for another; "" is an argument."""
    planted = Planted()
    url = f"http://{planted('user')}:{planted('password')}@host/v1/hooks/{planted('path')}?sig={planted('query')}"
    for option, value in product([*FLAGS, ""], [url, f"openai:m@{url}", f"rag:{url}"]):
        typed = [option, value, f"{option}={value}", f"{option}{value}"] if option else [value]
        shown = " ".join(redact_command(["saiten", "score", *typed]))
        assert planted.found(shown.encode()) == set()
        assert "***@host/v1/hooks/***?sig=***" in shown


def test_keys_of_a_script_that_calls_saiten_are_hidden_in_its_command_line():
    """Its command line is kept as that of saiten is."""
    planted = Planted()
    key = planted("key")
    typed = ["run.py", "--api-key", key, f"--token={key}", "--openai_api_key", key, "--max-tokens", "100"]
    assert redact_command(typed) == [
        "run.py", "--api-key", "***", "--token=***", "--openai_api_key", "***", "--max-tokens", "100",
    ]  # fmt: skip


def test_the_representation_of_settings_shows_no_header():
    """Of every dataclass with options: an error report of a test may print it."""
    planted = Planted()
    kinds = [
        kind
        for path in Path(saiten.__file__).parent.rglob("*.py")
        if re.search(r"\boption\(", path.read_text("utf-8"))
        for kind in _dataclasses(path)
    ]
    assert len(kinds) > 10
    for kind in kinds:
        mappings = {
            name: hint for name, (_, hint, _) in options_of(kind).items() if name.endswith(("headers", "header"))
        }
        needed = {name: "x" for name, (_, _, default) in options_of(kind).items() if default is ...}
        made = kind(**needed, **{name: {"X-Key": planted(name)} for name in mappings})
        assert planted.found(repr(made).encode()) == set(), kind


def _dataclasses(path):
    """The dataclasses with options in a module."""
    root = Path(saiten.__file__).parent.parent
    name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    module = __import__(name, fromlist=["_"])
    return [
        each
        for each in vars(module).values()
        if inspect.isclass(each)
        and each.__module__ == name
        and hasattr(each, "__dataclass_fields__")
        and options_of(each)
    ]


def test_each_variable_with_a_key_is_planted():
    """Names in the source that sound like keys are known, so that a new one is planted as well."""
    source = "\n".join(path.read_text("utf-8") for path in Path(saiten.__file__).parent.rglob("*.py"))
    named = set(re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|PASSWORD|SECRET)\b|\bPGPASSWORD\b", source))
    quoted = {name for name in named if re.search(rf"[\"' ]{name}[\"' ,.;:)]", source) and f"{name} =" not in source}
    assert quoted - KNOWN - {"GPU1_KEY", "FPDF_ERR_PASSWORD"} == set()  # an example, and an error of a library


def test_each_table_of_the_configuration_is_checked():
    """`saiten.toml` has headers and options for exactly the models that the command line has them for."""
    tables = {
        str(each.toml)
        for kind in (JudgeSettings, RoleSettings, WriterSettings)
        for each, _, _ in options_of(kind).values()
        if isinstance(each.toml, str)
    }
    assert tables == {
        f"{name.strip('-')}.{part}" for name in MODELS - {"--generator", "--model"} for part in ("options", "headers")
    }


@pytest.mark.parametrize("option", ["--cache", "--db"])
@pytest.mark.parametrize("pairs", ["host=h user=me password={} dbname=d", "user=me password = {}", "dbname=d"])
def test_pairs_for_postgresql_are_refused_and_become_no_file(saiten, data, somewhere, option, pairs):
    """`host=… password=…` would be the name of a file, with the password in it; the error names the form to use."""
    planted = Planted()
    commands = {
        "--cache": ("score", data(1), "-m", "accuracy", "--judge", "offline", "-o", "run"),
        "--db": ("annotate", data(1), "--form", "correct", "--annotator", "me", "--prepare"),
    }
    before = set(somewhere.iterdir())
    said = saiten(*commands[option], option, pairs.format(planted("password")))
    assert said.status == 2, said
    assert "postgresql://USER@HOST/DATABASE" in " ".join(said.err.split())
    assert planted.found((said.out + said.err).encode()) == set()
    assert set(somewhere.iterdir()) == before


def test_files_with_an_equals_sign_are_still_files(saiten, data, somewhere):
    """As data lakes name their folders."""
    (somewhere / "user=me").mkdir()
    command = ("annotate", data(1), "--form", "correct", "--annotator", "me", "--prepare")
    assert saiten(*command, "--db", "user=me/host=1.db").status == 0
    assert (somewhere / "user=me/host=1.db").is_file()
