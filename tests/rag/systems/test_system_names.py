"""A system by its name."""

import pytest

from saiten.errors import ConfigurationError
from saiten.wiring.systems import assemble_system


@pytest.mark.parametrize(
    ("spec", "told"),
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
def test_a_name_that_cannot_be_read_is_told_with_what_it_may_have_meant(somewhere, spec, told):
    """And with all that there is."""
    (somewhere / "there.jsonl").write_text("{}\n")
    with pytest.raises(ConfigurationError) as error:
        assemble_system(spec)
    assert told in str(error.value)
