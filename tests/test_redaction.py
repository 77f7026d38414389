"""Secrets in settings, texts and command lines are hidden, and nothing else."""

import pytest

from saiten.redaction import redact, redact_command, redact_settings


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("openai:m@http://usr:pw@host/v1?sig=abc", "openai:m@http://***@host/v1?sig=***"),
        ("https://token@host:8000/ask", "https://***@host:8000/ask"),
        ("https://host/a?api-version=2024-10-21&key=longer", "https://host/a?api-version=2024-10-21&key=***"),
        ("https://host/a?k=10&tenant=some-company", "https://host/a?k=10&tenant=***"),
        ("https://host/a?pin=1234&PASSWORD=x", "https://host/a?pin=***&PASSWORD=***"),
        ("https://host/a?SECRETTOKEN", "https://host/a?***"),
        ("https://host/cb#access_token=abcdef", "https://host/cb#access_token=***"),
        ("https://host/a?x=1;sig=a%20b", "https://host/a?x=1;sig=***"),
        ("http://usr:p/w?x@host/v1", "http://***@host/v1"),
        ("http://usr:p@w@host/v1", "http://***@host/v1"),
        ("postgresql://u:p@db/x?password=y", "postgresql://***@db/x?password=***"),
        ("no server at 'http://u:p@h/v1?sig=abc'; start it", "no server at 'http://***@h/v1?sig=***'; start it"),
        ("(see http://h/?token=abc).", "(see http://h/?token=***)."),
        ("rag:http://u:p@h:6333/kb and http://x:y@z", "rag:http://***@h:6333/kb and http://***@z"),
    ],
)
def test_secrets_in_addresses_are_hidden(text, shown):
    """User, password, and query values are hidden; presentable parts stay."""
    assert redact(text) == shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "openai:gpt-4o-mini",
        "openai:m@v2@http://localhost:8000/v1",
        "http://localhost:8000/v1/models/m@1",
        "http://[::1]:8000/v1",
        "http://h:5000/#/experiments/1/runs/abcdef",
        "http://h/search?q",
        "質問は何ですか？http://例え.jp/質問",
        "a?b=longer-value",
    ],
)
def test_what_holds_no_secret_stays_as_it_is(text):
    """This includes an @ in a model's name or in a path."""
    assert redact(text) == text


def test_settings_are_presentable_all_the_way_down():
    """This covers mappings and lists within settings; numbers and None stay."""
    settings = {"a": [{"b": "http://u:p@h"}, 1, None], "c": ("x", True), "d": 0.5}
    assert redact_settings(settings) == {"a": [{"b": "http://***@h"}, 1, None], "c": ["x", True], "d": 0.5}


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (["--header", "X-Key=planted"], ["--header", "X-Key=***"]),
        (["--header", "X-Key: planted"], ["--header", "X-Key:***"]),
        (["--header", "X-Key: a=planted"], ["--header", "X-Key:***"]),
        (["--header", "planted"], ["--header", "***"]),
        (["--header=X-Key=planted"], ["--header=X-Key=***"]),
        (["--header=X-Key:planted"], ["--header=X-Key:***"]),
        (["--header", "--header", "-k", "3"], ["--header", "***", "-k", "3"]),
        (["--judge=openai:m@http://u:p@h/v1", "-k", "3"], ["--judge=openai:m@http://***@h/v1", "-k", "3"]),
    ],
)
def test_a_command_line_keeps_the_names_of_headers_only(typed, shown):
    """This covers both forms of the option, and any separator between name and value."""
    assert redact_command(["saiten", *typed]) == ["saiten", *shown]
