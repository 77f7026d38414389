"""`openai:MODEL` and `openai:MODEL@URL`: a model, where it is served, and the key to it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from saiten.errors import ConfigurationError
from saiten.models.address import OPENAI
from saiten.redaction import redact_name
from saiten.wiring.keys import URL_VARIABLE, Keys, ServerKey

HERE = "hf:"
"""The prefix of a chat model in this process."""


@dataclass(frozen=True, slots=True)
class Address:
    """A model, where it is served, and the key to it."""

    model: str
    url: str = field(repr=False)
    source: ServerKey
    """The source of its key."""


# A model's name may contain an @; an apparent address without http:// is refused, not sent to OpenAI as a name.
_NO_ADDRESS = r"(?![^@\s]*://|localhost\b|[^@\s]*:\d|[^@\s]*/v\d)"
_SPEC = re.compile(rf"openai[:/](?P<model>[^@\s]+(?:@{_NO_ADDRESS}[^@\s]+)*)(?:@(?P<url>https?://\S+))?")


def read_address(
    spec: str, environ: Mapping[str, str], *, what: str = "judge", builtin: str = "offline", keys: Keys | None = None
) -> Address:
    """Return the model, address and key of `openai:MODEL` or `openai:MODEL@URL`.

    `keys` are those of the whole command; by default this is its only server.

    Raises:
        ConfigurationError: the text has another form, or the server is OpenAI and no key is set.
    """
    match = _SPEC.fullmatch(spec.strip())
    if match is None:
        here = "st:" if what == "embedder" else HERE
        shown = redact_name(spec)
        raise ConfigurationError(
            f"unknown {what} {shown!r}; expected {builtin}, openai:MODEL or openai:MODEL@URL, or {here}NAME_OR_FOLDER, "
            "for example openai:gpt-4o-mini or openai:qwen3@http://localhost:8000/v1"
            f"{_meant(shown.strip(), builtin, here)}"
        )
    url = _url(match, environ)
    key = (keys or Keys(environ)).of(url, what=what)
    if url.rstrip("/") == OPENAI and not environ.get(key.variable):
        raise ConfigurationError(
            f"{what} {spec!r} is served by OpenAI, and there is no key: set {key.variable}; or name a server of your "
            f"own, openai:{match['model']}@http://localhost:8000/v1; or take {builtin}, which needs no key"
        )
    return Address(match["model"], url, key)


def url_of(spec: str, environ: Mapping[str, str]) -> str | None:
    """Return the server of a model; None for one in this process, or a name that cannot be parsed."""
    match = _SPEC.fullmatch(spec.strip())
    return None if match is None else _url(match, environ)


def _url(match: re.Match[str], environ: Mapping[str, str]) -> str:
    return match["url"] or environ.get(URL_VARIABLE) or OPENAI


def _meant(spec: str, builtin: str, here: str) -> str:
    kind, separator, rest = spec.partition(":")
    model, at, url = spec.removeprefix("openai:").rpartition("@")
    if kind == "openai" and at and "://" not in url:
        return f"; an address begins with http:// or https://: openai:{model}@http://{url}"
    if spec and os.path.isdir(spec):  # noqa: PTH112 - never raises, however odd the name
        return f"; did you mean {here}{spec}?"
    if kind == "openai" or any(sign.isspace() or sign == "@" for sign in spec):
        return ""
    if separator:  # ollama:qwen3, vllm:…
        return f"; {kind} speaks OpenAI's protocol, if that is what you mean: openai:{rest}@http://localhost:PORT/v1"
    return f"; did you mean {builtin if get_close_matches(spec, [builtin]) else f'openai:{spec}'}?"


def price_name(spec: str) -> str:
    """Return the name under which a model's price is looked up; needs no key, for dry runs."""
    match = _SPEC.fullmatch(spec.strip())
    return spec if match is None else f"openai:{match['model']}"
