"""A system by its name."""

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
