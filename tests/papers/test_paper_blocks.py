"""Every command on the pages in docs/papers runs, those with a model against a server that fills the schemas."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from paper_pages import NAMES, commands, page

_EVERY = "console|sh"
_PRICES = """[prices]
"gpt-4o" = {prompt = 2.5, completion = 10.0}
"gpt-4o-mini" = {prompt = 0.15, completion = 0.6}
"""
_NETWORKS = re.compile(r"--perplexity|--bertscore|--base|hf:\S+")
"""What has a network loaded from a hub; the tests of each design load tiny ones of their own."""


def _without_values(words):
    """The command and its options: paths and texts differ between the languages."""
    return [words[0], *(word for word in words if word.startswith("-"))]


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_of_a_page_have_the_same_commands(name):
    """In the same order, so that what is run below is what a reader of either page types."""
    english, japanese = ([*map(_without_values, commands(page(name, each), _EVERY))] for each in ("en", "ja"))
    assert japanese == english


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_each_command_of_a_page_runs(name, saiten, openai_server, monkeypatch):
    """From the first block to the last in one folder, as a reader does.

    Left out are `annotate`, which waits for people, and networks of a hub. Some commands have nothing to measure
    (status 6): the server answers with the smallest instance of each schema.
    """
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    Path("saiten.toml").write_text(_PRICES, encoding="utf-8")  # OpenAI's own are known, but not at this address
    for words in commands(page(name), _EVERY):
        line = shlex.join(words)
        if words[0] == "annotate" or _NETWORKS.search(line):
            continue
        if words[0] == "cat":
            subprocess.run(line.replace("'>'", ">"), shell=True, check=True)  # noqa: S602 - our own page
            continue
        command, _, file = line.partition(" '>' ")
        said = saiten(*(re.sub("^ollama:", "openai:", word) for word in shlex.split(command)))
        assert said.status in {0, 6}, f"{command}\n{said}"
        if file:
            Path(file).write_text(said.out, encoding="utf-8")
    assert openai_server.requests
