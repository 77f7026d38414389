"""Removing secrets: nothing written or displayed contains a password, key or token.

Addresses lose their user, password, and query values that may be secret; a header on the command line loses its value.
Everything that writes or displays a setting uses this: manifests, plans, reports, errors.

A resumed run compares redacted settings, and no digest of a secret is kept, since short secrets can be guessed from
digests. Two addresses that differ only in their secrets count as equal.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HIDDEN = "***"
SHORT = 4
"""Maximum characters of a placeholder or a count ("none", "10"); hiding texts this short would garble others."""

_SECRET_OPTIONS = ("--header",)
"""Options whose values are secret."""
_HARMLESS = ("api-version", "version", "model", "deployment", "lang", "language", "locale", "region", "timeout")
"""Query parameters without secrets."""
_TELLING = re.compile(r"auth|code|cred|key|pass|pin|pwd|secret|sess|sig|token", re.IGNORECASE)
"""Parts of parameter names whose values are hidden however short they are."""

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30}://)(?P<rest>\S+)")
_AUTHORITY = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:@\[\]]*)(:\d*)?[\"'`,;.:)\]}>]*")
_PAIRS = re.compile(r"(?<=[?&#;])[^\s?&#;=]+(?:=[^\s&#;]*)?")
_NAME = re.compile(r"[\w.$\[\]-]{1,40}", re.ASCII)
_MODEL = re.compile(r"\s*openai[:/][^@\s]*@")
_CLOSING = "\"'`,;.:)]}>"
"""Punctuation that may follow an address in a sentence."""


def redact(text: str) -> str:
    """Replace the secrets of addresses in the text with `***`."""
    return _ADDRESS.sub(_without_secrets, text)


def redact_settings(value: Any) -> Any:
    """Redact every text in settings, also within mappings and lists."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: redact_settings(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [redact_settings(item) for item in value]
    return value


def redact_command(arguments: Sequence[str]) -> list[str]:
    """Redact every argument of a command line; of a header only the name is kept."""
    return list(_arguments(arguments))


def redact_name(name: str) -> str:
    """Redact an unreadable name of a judge or system, which may contain an address without http://.

    Before an @ only `openai:MODEL` is kept, and after a question mark nothing.
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
        end = rest.rindex("@") + 1  # an unencoded password with a slash or question mark
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
