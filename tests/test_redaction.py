"""Secrets in settings, texts and command lines are hidden, and nothing else."""

import html
import json
import re
import string
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saiten.redaction import Secrets, redact, redact_command, redact_message, redact_settings, secret_parts


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("https://host/v1?api-version=2024-10-21", []),
        ("https://host/v1/key/Pa%2Fth/ask", ["Pa%2Fth", "Pa/th"]),
        (
            "https://host/hooks/first/second?sig=a%20b=&lang=ja",
            ["first", "first", "second", "second", "a%20b=", "a b="],
        ),
        ("https://hooks.host/first/key/***", ["first", "first", "key", "key", "***", "***"]),
        ("https://host/a;session=abcdef/ask?SECRETTOKEN", ["abcdef/ask?SECRETTOKEN"] * 2),
        ("https://host/sk-abcdefgh12345678/v1", ["sk-abcdefgh12345678"] * 2),
    ],
)
def test_the_secret_parts_of_an_address_are_those_that_are_not_shown(address, parts):
    """They are needed to hide them in other texts, whose server decodes them or not."""
    assert secret_parts(address) == parts


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


# ------------------------------------------------------------------------------------------- properties

SIGNS = string.ascii_letters + string.digits
WORD = st.text(SIGNS, min_size=8, max_size=30)
AWKWARD = st.text(SIGNS + "%+:;=&!$'()*,._~-@/?#[]あ＠é", min_size=1, max_size=12)
"""What a password may have besides, typed as it is or encoded."""


@st.composite
def passwords(draw):
    """A password whose beginning and end are found again, whatever is between."""
    return "Zq7" + draw(WORD) + draw(AWKWARD) + draw(WORD) + "Xk9"


ENCODINGS = st.sampled_from(
    [str, quote, lambda text: quote(text, safe=""), lambda text: quote(quote(text, safe=""), safe="")]
)
HOSTS = st.sampled_from(["host", "localhost:8000", "[::1]:8000", "例え.jp", "a.example.co.jp:443", "127.0.0.1"])
SCHEMES = st.sampled_from(["http", "https", "postgresql", "s3", "ray", "openai:m@http", "rag:https"])
TAILS = st.sampled_from(["", "/", "/v1", "/v1/chat?api-version=2024-10-21", "/a/b#/x/1", "/v1?model=m"])


@given(passwords(), ENCODINGS, SCHEMES, HOSTS, TAILS)
def test_no_password_survives(password, encode, scheme, host, tail):
    """However it is encoded, and however an address with it is; the host stays readable."""
    assume(encode is not str or not re.search("://|[@＠].*[/?#]", password))  # where a host seems to end
    address = f"{scheme}://me:{encode(password)}@{host}{tail}"
    for written in (address, f"no server at '{address}'.", json.dumps(address).replace("/", "\\/")):
        shown = redact(written)
        assert "Zq7" not in shown
        assert "Xk9" not in shown
        assert host.partition(":")[0].strip("[]") in shown or "\\u" in written
    assert "Zq7" not in redact(quote(address, safe=""))
    assert "Zq7" not in redact(f"http://proxy/?url={quote(address, safe='')}")
    assert "Zq7" not in redact(f"http://proxy.example/{address}") or re.search("[@＠/?#]", encode(password))


@given(WORD, ENCODINGS, st.sampled_from(["sig", "key", "X-Amz-Signature", "code", "tenant", "鍵"]))
def test_no_query_value_survives(value, encode, name):
    """In the query and the fragment, after a harmless one and before it."""
    for address in (
        f"http://h/a?{name}={encode(value)}",
        f"http://h/?model=m&{name}={encode(value)}&lang=ja",
        f"http://h/#{name}={encode(value)}",
    ):
        assert value not in redact(address)


@given(st.integers(0, 2**128), st.sampled_from(["", "/v1", "/v1/chat/completions"]))
def test_nearly_no_token_in_a_path_survives(number, tail):
    """What follows `hooks` never; of others those that look random, as 98 of 100 do."""
    token = b64encode(sha256(str(number).encode()).digest()).decode().strip("=").replace("+", "").replace("/", "")
    assert token not in redact(f"https://hooks.example.com/services/{token}{tail}")
    assert token not in redact(f"https://example.com/hooks/{token}{tail}")
    assert token not in redact(f"https://example.com/api/key/{token}{tail}")


@pytest.mark.parametrize(
    ("make", "share"),
    [
        (lambda digest: b64encode(digest).decode().replace("+", "x").replace("/", "y")[:24], 0.99),
        (lambda digest: b64encode(digest).decode().replace("+", "-").replace("/", "_")[:43], 0.96),
        (lambda digest: digest.hex()[:32], 0.98),
    ],
)
def test_tokens_in_a_path_look_random(make, share):
    """Of 2,000 of 24 letters and digits, in base64, and in hexadecimal."""
    tokens = [make(sha256(str(number).encode()).digest()) for number in range(2_000)]
    assert sum(token not in redact(f"http://host/t/{token}/v1") for token in tokens) >= share * len(tokens)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8000/v1/models/Qwen2.5-72B-Instruct-GPTQ-Int4/Meta-Llama-3.1-405B-Instruct-Turbo",
        "https://gw.example.com/openai/deployments/gpt-4o-mini-2024-07-18/chat/completions?api-version=2024-10-21",
        "https://example.com/api/v2/createChatCompletionForUser/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "https://example.com/20240718T120000Z/reports/0000001234567890123456",
        "http://h:5000/#/experiments/1/runs/0123456789abcdef0123456789abcdef",
        "s3://bucket/day/part-00000-tid-8A7b6C5d4E3f2G1h9I8j-c000.snappy.parquet",
        "give postgresql://USER:PASSWORD@HOST/DATABASE, or http://HOST:PORT/NAME",
        "http://例え.jp/質問/回答?lang=ja",
    ],
)
def test_an_address_without_secrets_is_unchanged(address):
    """Names of models, UUIDs, dates, numbers, files, and the words of help."""
    assert redact(address) == address


@given(HOSTS, st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=15), max_size=5))
def test_readable_paths_are_unchanged(host, words):
    """Whatever words they have, unless a secret is said to follow."""
    assume(not {"hook", "hooks", "webhook", "webhooks", "key", "secret", "token", "password", "apikey"} & set(words))
    address = "/".join([f"http://{host}", *words])
    assert redact(address) == address


PIECES = [
    "http://", "a", "http://u:", "@", ")", "http://h/?k=", "%253A", "&a=", "/", "http%3A%2F%2F", ":", "sk-", "eyJ.",
    "eyJaaaaaaaa.", "\\/", "[", "Aa1",
]  # fmt: skip
ENDLESS = """
import resource, sys
from saiten.redaction import Secrets, redact
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
for piece in sys.argv[1:]:
    for begun in ("", "http://"):
        redact(begun + piece * (300_000 // len(piece)))
    Secrets.of([piece * 10]).hide(piece * 10_000)
"""


def test_the_time_grows_with_the_length_alone():
    """A server may send any text: 300,000 characters of each kind take seconds together, and squared steps an hour."""
    done = subprocess.run([sys.executable, "-c", ENDLESS, *PIECES], check=False)
    assert done.returncode == 0


@given(passwords(), st.sampled_from(["", "Bearer ", "x"]))
def test_a_server_repeats_nothing_of_a_secret(secret, before):
    """As it is, encoded, in JSON, in HTML, in base64 at any place, and its parts of 8 characters."""
    hide = Secrets.of([f"Bearer {secret}"]).hide
    forms = [secret, quote(secret, safe=""), quote(secret, safe="").lower(), json.dumps(secret), html.escape(secret)]
    for form in (*forms, f"{secret[:-5]}…", f"…{secret[5:]}", secret.upper()):
        shown = hide(f"denied: {before}{form}, sorry")
        assert not [secret[at : at + 8] for at in range(len(secret) - 7) if secret[at : at + 8] in shown]
        assert shown.startswith("denied:")
        assert shown.endswith(", sorry")
    for start in range(3):
        encoded = b64encode(b"me:"[:start] + secret.encode()).decode()
        assert encoded[8:-8] not in hide(encoded) or len(encoded) < 24


def test_an_error_hides_the_keys_of_the_environment():
    """Those of a package or of the user's own code as well, but no placeholder and no path."""
    environ = {
        "OTHER_API_KEY": "0123456789abcdefgh",
        "HF_TOKEN": "lm-studio",
        "SSL_KEY": "/etc/ssl/private/a.key",
        "HOME": "/home/somebody-here",
    }
    text = "0123456789abcdefgh, lm-studio, /etc/ssl/private/a.key, /home/somebody-here"
    assert redact_message(text, environ) == "***, lm-studio, /etc/ssl/private/a.key, /home/somebody-here"
