"""A system by its name."""

import sys

import pytest

from saiten.errors import ConfigurationError
from saiten.wiring.systems import assemble_system


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pyton:m:f", "did you mean python:m:f?"),
        ("htp:localhost", "did you mean http:localhost?"),
        ("opnai:gpt", "did you mean openai:gpt?"),
        ("fil:a.jsonl", "did you mean file:a.jsonl?"),
        ("localhost:8000/ask", "did you mean http://localhost:8000/ask?"),
        ("my.module:answer", "did you mean python:my.module:answer?"),
        ("bot.py", "bot.py:FUNCTION"),
        ("there.jsonl", "did you mean file:there.jsonl?"),
        ("", "expected python:MODULE:FUNCTION"),
        ("ftp://x", "expected"),
        ("langchan:app.py:chain", "did you mean langchain:app.py:chain?"),
        ("openai:", "unknown system 'openai:'"),
        ("openai:gpt-4o", "no key"),
    ],
)
def test_a_name_that_cannot_be_read_is_reported_with_a_suggestion(somewhere, spec, message):
    """The message also lists all forms."""
    (somewhere / "there.jsonl").write_text("{}\n")
    with pytest.raises(ConfigurationError) as error:
        assemble_system(spec)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("prefix", "package", "install"),
    [
        ("langchain", "langchain_core", "pip install langchain-core"),
        ("llamaindex", "llama_index", "pip install llama-index-core"),
        ("haystack", "haystack", "pip install haystack-ai"),
    ],
)
def test_a_framework_that_is_missing_is_named_with_what_to_install(somewhere, monkeypatch, prefix, package, install):
    """Before the file is run."""
    monkeypatch.setitem(sys.modules, package, None)
    (somewhere / "app.py").write_text("raise RuntimeError\n")
    with pytest.raises(ConfigurationError, match=install):
        assemble_system(f"{prefix}:app.py:chain")
