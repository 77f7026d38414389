"""Users copy from the help: none of it may be lost on the way to the terminal."""

import re
import tomllib
from pathlib import Path

import pytest
import typer

from saiten.cli import COMMANDS, app

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
BRACKETS = re.compile(r"[\w.:-]+\\?\[[^\]\s]+\]")
"""`saiten[train]`, `mate[weights=FILE]`, `openai:MODEL[@URL]`; escaped or not."""


def with_helps(command, words):
    """The command and its subcommands: the words that call it, and every help text as it is in the source."""
    texts = [command.help or "", *(getattr(each, "help", None) or "" for each in command.params)]
    yield words, "\n".join(texts)
    for name, below in getattr(command, "commands", {}).items():
        yield from with_helps(below, [*words, name])


def named_in_brackets(name):
    """For this command and its subcommands: the words that call it, and what its help has in brackets."""
    command = typer.main.get_command(app).get_command(None, name)
    return [
        (words, {each.replace("\\", "") for each in BRACKETS.findall(text)})
        for words, text in with_helps(command, [name])
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_text_in_brackets_is_shown(saiten, monkeypatch, name):
    """Names of extras, settings of metrics: the terminal would take them for markup, and drop them."""
    monkeypatch.setenv("COLUMNS", "250")
    for words, named in named_in_brackets(name):
        said = saiten(*words, "--help").out if named else ""
        assert [each for each in named if each not in said] == [], words


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_is_cut_off_on_a_narrow_terminal(saiten, monkeypatch, name, language):
    """Words that are longer than their column go on in the next line: Japanese has no spaces to break at."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SAITEN_LANG", language)
    for words, _ in named_in_brackets(name):
        lines = saiten(*words, "--help").out.splitlines()
        assert [line for line in lines if re.search(r"…\s*│$", line)] == [], words


@pytest.mark.parametrize("name", COMMANDS)
def test_an_extra_that_a_help_names_exists(name):
    """What it says to install can be installed."""
    named = set().union(*(each for _, each in named_in_brackets(name)))
    assert {each[7:-1] for each in named if each.startswith("saiten[")} <= set(EXTRAS)


def test_there_is_something_in_brackets():
    """Otherwise the tests above would test nothing."""
    assert any("saiten[train]" in named for _, named in named_in_brackets("tune"))
