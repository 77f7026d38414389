"""Settings and texts made presentable: what is written or shown holds no password, key or token.

An address loses its user, its password, and each value in its query that could be secret; the header of a command line
loses its value. Everything that writes or shows a setting goes through here: manifests, plans, reports, errors.

Presentable forms are what a run compares when it resumes: no digest of a secret is kept, since short ones can be
guessed from their digests. Two addresses that differ only in what is hidden count as one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HIDDEN = "***"
SHORT = 4
"""Characters of a placeholder or a count ("none", "10"); hiding texts this short would garble others."""

_SECRET_OPTIONS = ("--header",)
"""Options whose values are secret."""
_HARMLESS = ("api-version", "version", "model", "deployment", "lang", "language", "locale", "region", "timeout")
"""Query parameters that hold no secret."""
_TELLING = re.compile(r"auth|code|cred|key|pass|pin|pwd|secret|sess|sig|token", re.IGNORECASE)
"""Parts of the names of parameters that are hidden however short their value is."""

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30}://)(?P<rest>\S+)")
_AUTHORITY = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:@\[\]]*)(:\d*)?[\"'`,;.:)\]}>]*")
_PAIRS = re.compile(r"(?<=[?&#;])[^\s?&#;=]+(?:=[^\s&#;]*)?")
_NAME = re.compile(r"[\w.$\[\]-]{1,40}", re.ASCII)
_MODEL = re.compile(r"\s*openai[:/][^@\s]*@")
_CLOSING = "\"'`,;.:)]}>"
"""What follows an address in a sentence, and is not its own."""


def redact(text: str) -> str:
    """The text with `***` for what is secret in the addresses in it."""
    return _ADDRESS.sub(_without_secrets, text)


def redact_settings(value: Any) -> Any:
    """Settings with every text in them redact, also within mappings and lists."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: redact_settings(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [redact_settings(item) for item in value]
    return value


def redact_command(arguments: Sequence[str]) -> list[str]:
    """A command line with every argument presentable; of a header only its name is left."""
    return list(_arguments(arguments))


def redact_name(name: str) -> str:
    """The name of a judge or a system that could not be read: it may hold an address without http://.

    Of what is before an @ only `openai:MODEL` is left, and nothing of what is after a question mark.
    """
    address = name.partition("?")[0]
    model = _MODEL.match(address)
    start = model.end() if model else 0
    at = address.rfind("@", start)
    return address if at < 0 else f"{address[:start]}{HIDDEN}{address[at:]}"


def _arguments(arguments: Sequence[str]) -> Iterator[str]:
    secret = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if secret:
            yield _header(argument)
        elif equals and option in _SECRET_OPTIONS:
            yield f"{option}={_header(value)}"
        else:
            yield redact(argument)
        secret = not secret and argument in _SECRET_OPTIONS


def _header(text: str) -> str:
    name, sign, _ = text.partition("=" if "=" in text.partition(":")[0] else ":")
    return f"{name}{sign}{HIDDEN}" if sign else HIDDEN


def _without_secrets(match: re.Match[str]) -> str:
    rest = match["rest"]
    authority = _AUTHORITY.match(rest)
    end = authority.end() if authority else 0
    if "@" not in rest[:end] and not _HOST.fullmatch(rest[:end]) and "@" in rest:
        end = rest.rindex("@") + 1  # a password with a slash or a question mark in it, which nobody encoded
    user, at, host = rest[:end].rpartition("@")
    shown = f"{HIDDEN}@{host}" if at and user else rest[:end]
    return match["scheme"] + shown + _PAIRS.sub(_pair, rest[end:])


def _pair(match: re.Match[str]) -> str:
    text = match[0]
    name, equals, value = text.partition("=")
    if not equals:
        bare = name.rstrip(_CLOSING)
        secret = match.string[match.start() - 1] != "#" and len(bare) > SHORT
        return HIDDEN + name[len(bare) :] if secret else text
    bare = value.rstrip(_CLOSING)
    if not _NAME.fullmatch(name):
        name = HIDDEN
    harmless = name.lower() in _HARMLESS or (len(bare) <= SHORT and not _TELLING.search(name))
    return text if harmless or not bare else f"{name}={HIDDEN}{value[len(bare) :]}"
