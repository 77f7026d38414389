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

_SECRET_OPTIONS = ("--header", "--judge-header", "--composer-header", "--questioner-header", "--embedder-header")
"""Options whose values are secret."""
_NAMED_OPTIONS = ("--judge-option", "--composer-option", "--questioner-option", "--embedder-option", "--system-option")
"""Options with NAME=VALUE, whose names tell whether their values are secret."""
_HARMLESS_HEADERS = (
    "anthropic-beta", "anthropic-version", "http-referer", "openai-beta", "openai-organization", "openai-project",
    "user-agent", "x-title",
)  # fmt: skip
"""Headers whose values are shown."""
_HARMLESS = ("api-version", "version", "model", "deployment", "lang", "language", "locale", "region", "timeout")
"""Query parameters without secrets."""
_TELLING = re.compile(r"auth|code|cred|key|pass|pin|pwd|secret|sess|sig|token", re.IGNORECASE)
"""Parts of parameter names whose values are hidden however short they are."""

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30}://)(?P<rest>\S+)")
_AUTHORITY = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:@\[\]]*)(:\d*)?[\"'`,;.:)\]}>]*")
_PAIRS = re.compile(r"(?<=[?&#;])[^\s?&#;=]+(?:=[^\s&#;]*)?")
_NAME = re.compile(r"[\w.$\[\]-]{1,40}", re.ASCII)
PROVIDERS = (
    "anthropic", "azure", "bedrock", "cohere", "deepseek", "fireworks", "gemini", "groq", "huggingface", "jina",
    "litellm", "llamacpp", "lmstudio", "mistral", "ollama", "openai", "openrouter", "sglang", "tgi", "together",
    "vertex", "vllm", "voyage", "xai",
)  # fmt: skip
"""The words before the colon in the names of models on servers (models/providers.toml)."""
_MODEL = re.compile(rf"\s*(?:{'|'.join(PROVIDERS)})[:/][^@\s]*@")
_NUMBER = re.compile(r"\s*[\d.]*\s*|true|false|null")
_JSON_SECRET = re.compile(rf"(\"[^\"]*(?:{_TELLING.pattern})[^\"]*\"\s*:\s*\")[^\"]*(\")", re.IGNORECASE)
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


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Hide the values of headers, except those that are never secret."""
    return {name: value if name.casefold() in _HARMLESS_HEADERS else HIDDEN for name, value in headers.items()}


def redact_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Hide texts under names such as `api_key`, however deep, and the secrets of addresses in all others."""
    return {name: _option(name, value) for name, value in options.items()}


def _option(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return redact_options(value)
    if isinstance(value, list):
        return [_option(name, item) for item in value]
    if not isinstance(value, str):
        return value
    return HIDDEN if _TELLING.search(name) else redact(value)


def redact_command(arguments: Sequence[str]) -> list[str]:
    """Redact every argument of a command line; of a header only the name is kept."""
    return list(_arguments(arguments))


def redact_name(name: str) -> str:
    """Redact an unreadable name of a judge or system, which may contain an address without http://.

    Before an @ only `PROVIDER:MODEL` is kept, and after a question mark nothing.
    """
    address = name.partition("?")[0]
    model = _MODEL.match(address)
    start = model.end() if model else 0
    at = address.rfind("@", start)
    return address if at < 0 else f"{address[:start]}{HIDDEN}{address[at:]}"


def _arguments(arguments: Sequence[str]) -> Iterator[str]:
    before = ""
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if before in _SECRET_OPTIONS:
            yield _header(argument)
        elif before in _NAMED_OPTIONS:
            yield _named(argument)
        elif equals and option in _SECRET_OPTIONS:
            yield f"{option}={_header(value)}"
        elif equals and option in _NAMED_OPTIONS:
            yield f"{option}={_named(value)}"
        else:
            yield redact(argument)
        before = "" if before in _SECRET_OPTIONS + _NAMED_OPTIONS else argument


def _header(text: str) -> str:
    name, sign, _ = text.partition("=" if "=" in text.partition(":")[0] else ":")
    return f"{name}{sign}{HIDDEN}" if sign else HIDDEN


def _named(text: str) -> str:
    """Return `NAME=VALUE` without the value, or the texts in its JSON, whose names are those of secrets."""
    name, sign, value = text.partition("=")
    if _TELLING.search(name) and not _NUMBER.fullmatch(value):
        return f"{name}{sign}{HIDDEN}"
    return redact(_JSON_SECRET.sub(rf"\1{HIDDEN}\2", text))


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
