"""Removing secrets: nothing written or displayed contains a password, key or token.

Addresses lose their user, password, query values that may be secret, and parts of the path that look like tokens; a
header on the command line loses its value; a key in a known format (`sk-…`, `ghp_…`, a JWT) is hidden wherever it is.
Everything that writes or displays a setting uses this: manifests, plans, reports, errors. What a server repeats in an
error is compared with what was sent to it (`Secrets`). Replies of models are data, and stay as they are.

A resumed run compares redacted settings, and no digest of a secret is kept, since short secrets can be guessed from
digests. Two addresses that differ only in their secrets count as equal.
"""

import html
import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Self
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "***"
SHORT = 4
"""Maximum characters of a placeholder or a count ("none", "10"); hiding texts this short would garble others."""
_PART = 8
"""Characters of a secret that are hidden on their own: a server may repeat a part of it."""

_HEADER_OPTION = re.compile(r"--(?:[a-z]+-)*header")
"""Options with a header."""
_KEY_OPTION = re.compile(r"--(?:[a-z]+[-_])*(?:apikey|key|passwd|password|secret|token)")
"""Options of a script that calls saiten, whose command line is kept as well."""
_NAMED_OPTION = re.compile(r"--(?:[a-z]+-)*option")
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
_ENCODED = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,30}(?!://)(?::|%(?:25){0,6}3A)(?:\\?/|%(?:25){0,6}2F){2}[^\s\"'<>&]+", re.IGNORECASE
)
"""An address in percent-encoding, also of several layers, or with the slashes of JSON."""
_LAYERS = 8
"""Layers of percent-encoding that are taken off."""
_AUTHORITY = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:@\[\]]*)(?::(?:\d*|[A-Z]+|\{\w*\}))?")
"""A host, and a port or the word for one."""
_AT = re.compile("[@\uff20\ufe6b]")
"""The sign after a password, and those that browsers take for it."""
_USER = re.compile(r"(?<=://)[^\s/?#@]*@")
"""The user and password of an address within another one's path or query."""
_EXAMPLES = ("USER", "USER:PASSWORD")
"""Words for a user and a password in help and errors."""
_PATH_END = re.compile("[?#]")
_PAIRS = re.compile(r"(?<=[?&#;])[^\s?&#;=]+(?:=[^\s&#;]*)?")
_NAME = re.compile(r"[\w.$\[\]-]{1,40}", re.ASCII)
_WEB = ("http://", "https://", "ws://", "wss://")
"""Ends of schemes whose paths may contain tokens; others name files."""
_HOOK = re.compile(r"(?:web)?hooks?(?:b2)?|incomingwebhook", re.IGNORECASE)
"""Parts of a path, or first part of a host, after which everything is secret."""
_KEY_FOLLOWS = re.compile(r"(?:(?:access|api|auth)[-_]?)?(?:key|secret|token)|password", re.IGNORECASE)
"""Parts of a path before a secret one."""
_WORD = re.compile(r"[A-Za-z0-9]{16,}")
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk)-(?=[\w-]{0,40}\d)[\w-]{16,300}|gh[opsur]_\w{20,300}|github_pat_\w{20,300}"
    r"|glpat-[\w-]{16,300}|hf_[A-Za-z0-9]{20,300}|xox[a-z]-[\w-]{10,300}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,300}"
    r"|eyJ[\w-]{8,4000}\.[\w-]{8,4000}(?:\.[\w-]{0,4000})?)",
    re.ASCII,
)
"""Keys in the formats of OpenAI, GitHub, GitLab, Hugging Face, Slack, AWS and Google, and JSON Web Tokens."""
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
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_FOR_URLS = str.maketrans("+/", "-_")
"""Base64 in addresses."""
_KEY_VARIABLE = re.compile(r"(?:.*_)?(?:KEY|PASSWORD|PAT|SECRET|TOKEN)|PGPASSWORD", re.IGNORECASE)
"""Environment variables that hold a key."""
_LONG = 16
"""Characters of a key that is no placeholder, such as `lm-studio`, and no word of a message."""


def redact(text: str) -> str:
    """Replace the secrets of addresses in the text, and keys in a known format, with `***`."""
    if "%" in text or "\\/" in text:
        text = _ENCODED.sub(_decoded, text)
    text = _ADDRESS.sub(_without_secrets, text)
    return _TOKEN.sub(HIDDEN, text)


def secret_parts(address: str) -> list[str]:
    """Return the parts of an address that `redact` hides, as they are and decoded from percent-encoding."""
    shown = _TOKEN.sub(HIDDEN, _ADDRESS.sub(_without_secrets, address))
    match = re.fullmatch("(.+?)".join(map(re.escape, shown.split(HIDDEN))), address)
    parts = match.groups() if match else (address,)
    return [form for part in parts for form in (part, unquote(part))]


def redact_message(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Redact the text of an error, which may come from a package or a user's code that knows the keys.

    Whole values of environment variables such as `…_KEY` and `…_TOKEN` are hidden, too.
    """
    keys = frozenset(
        value
        for name, value in environ.items()
        if _KEY_VARIABLE.fullmatch(name) and len(value) >= _LONG and not value.startswith(("/", "."))
    )
    return redact(_without_parts(text, _parts(keys, sys.maxsize)) if keys else text)


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


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts that a message about an error must not repeat, in whatever form.

    They are hidden in percent-encoding, JSON, HTML and base64, too, and so are their parts of 8 or more characters.
    """

    words: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, values: Iterable[str]) -> Self:
        """Return the values and their words that are long enough to be secret."""
        words = {word for value in values for word in (value.strip(), *value.split())}
        return cls(frozenset(word for word in words if len(word) > SHORT and word not in ("Basic", "Bearer")))

    def __or__(self, other: "Secrets") -> "Secrets":
        return Secrets(self.words | other.words)

    def hide(self, text: str) -> str:
        """Return the text with `***` in place of the secrets."""
        parts = _parts(self.words, _PART)
        return _without_parts(text, parts) if parts else text


@lru_cache(maxsize=64)
def _parts(words: frozenset[str], longest: int) -> Mapping[int, frozenset[str]]:
    """Return the parts of all forms of these texts, by their lengths: whole if they are not longer than `longest`."""
    found: dict[int, set[str]] = {}
    for form in {form.translate(_LOWER) for word in words for form in _forms(word)}:
        size = min(len(form), longest)
        found.setdefault(size, set()).update(form[at : at + size] for at in range(len(form) - size + 1))
    return {size: frozenset(parts) for size, parts in found.items()}


def _forms(word: str) -> Iterator[str]:
    """Yield the forms in which a server may repeat a text."""
    encoded, written = quote(word, safe=""), json.dumps(word)[1:-1]
    yield from (word, encoded, quote(word), quote_plus(word), quote(encoded, safe=""))
    yield from (written, written.replace("/", "\\/"), html.escape(word))
    raw = word.encode()
    for before in range(3):  # bytes of another text that share a group of base64 with its beginning
        whole = b64encode(bytes(before) + raw).decode()
        form = whole[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        if len(form) >= _PART:
            yield from (form, form.translate(_FOR_URLS))


def _without_parts(text: str, parts: Mapping[int, frozenset[str]]) -> str:
    plain, covered = text.translate(_LOWER), bytearray(len(text))
    for size, known in parts.items():
        for at in range(len(plain) - size + 1):
            if plain[at : at + size] in known:
                covered[at : at + size] = b"\1" * size
    runs = groupby(zip(text, covered, strict=True), key=itemgetter(1))
    return "".join(HIDDEN if secret else "".join(sign for sign, _ in run) for secret, run in runs)


def _arguments(arguments: Sequence[str]) -> Iterator[str]:
    before = ""
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if hide := _hiding(before):
            yield hide(argument)
        elif equals and (hide := _hiding(option)):
            yield f"{option}={hide(value)}"
        else:
            yield redact(argument)
        before = "" if _hiding(before) else argument


def _hiding(option: str) -> Callable[[str], str] | None:
    """Return what hides the secrets in the value of this option; None for options without a rule of their own."""
    if _HEADER_OPTION.fullmatch(option):
        return _header
    if _NAMED_OPTION.fullmatch(option):
        return _named
    return _key if _KEY_OPTION.fullmatch(option) else None


def _key(_text: str) -> str:
    return HIDDEN


def _header(text: str) -> str:
    name, sign, _ = text.partition("=" if "=" in text.partition(":")[0] else ":")
    return f"{redact(name)}{sign}{HIDDEN}" if sign else HIDDEN


def _named(text: str) -> str:
    """Return `NAME=VALUE` without the value, or the texts in its JSON, whose names are those of secrets."""
    name, sign, value = text.partition("=")
    if _TELLING.search(name) and not _NUMBER.fullmatch(value):
        return f"{redact(name)}{sign}{HIDDEN}"
    return redact(_JSON_SECRET.sub(rf"\1{HIDDEN}\2", text))


def _decoded(match: re.Match[str]) -> str:
    """Return an encoded address as it is if it has no secrets, else decoded and without them."""
    text = match[0].replace("\\/", "/")
    for _ in range(_LAYERS):
        text = unquote(text)
    shown = _ADDRESS.sub(_without_secrets, text)
    return match[0] if shown == text else shown


def _without_secrets(match: re.Match[str]) -> str:
    scheme, rest = match["scheme"], match["rest"]
    authority = _AUTHORITY.match(rest)
    end = authority.end() if authority else 0
    found = list(_AT.finditer(rest[:end]))
    if found[-1].end() == end if found else not _is_host(rest[:end]):
        if not (found := list(_AT.finditer(rest))):
            return f"{scheme}{rest.partition(':')[0]}:{HIDDEN}"  # what is no port may be a password
        end = found[-1].end()  # an unencoded password with a slash or question mark
    host = rest[found[-1].end() : end] if found else rest[:end]
    user = rest[: found[-1].start()] if found else ""
    shown = rest[:end] if user in ("", *_EXAMPLES) else f"{HIDDEN}@{host}"
    tail = _USER.sub(f"{HIDDEN}@", rest[end:])  # of an address in the path or query
    path = _PATH_END.split(tail, maxsplit=1)[0]
    if scheme.lower().endswith(_WEB):
        tail = _path(path, everything=_HOOK.fullmatch(host.partition(".")[0]) is not None) + tail[len(path) :]
    return scheme + shown + _PAIRS.sub(_pair, tail)


def _is_host(text: str) -> bool:
    bare = text.rstrip(_CLOSING)
    return any(_HOST.fullmatch(each) for each in (bare, f"{bare}]"))


def _path(path: str, *, everything: bool) -> str:
    """Return the path without the parts that are tokens, or look like them."""
    shown = []
    before = ""
    for part in path.split("/"):
        bare = part.rstrip(_CLOSING)
        secret = bare not in ("", HIDDEN) and (
            everything or _KEY_FOLLOWS.fullmatch(before) is not None or _looks_random(unquote(bare))
        )
        shown.append(HIDDEN + part[len(bare) :] if secret else part)
        everything = everything or _HOOK.fullmatch(part) is not None
        before = part
    return "/".join(shown)


def _looks_random(part: str) -> bool:
    """Return whether letters and digits alternate as in a token, and not as in the name of a model or an identifier.

    Half of the places in a random text are between a small letter, a capital and a digit; in `createChatCompletion`
    a quarter is. The words of a UUID are too short to tell, and it usually is no secret.
    """
    if _TOKEN.search(part):
        return True
    for word in _WORD.findall(part):
        digits = any(each.isdigit() for each in word)
        if any(each.isalpha() for each in word) and len(_CHANGE.findall(word)) >= len(word) * (0.25 if digits else 0.4):
            return True
    return False


def _pair(match: re.Match[str]) -> str:
    text = match[0]
    name, equals, value = text.partition("=")
    if not equals:
        bare = name.rstrip(_CLOSING)
        fragment = match.string[match.start() - 1] == "#"
        secret = _looks_random(bare) and "/" not in bare if fragment else len(bare) > SHORT
        return HIDDEN + name[len(bare) :] if secret else text
    bare = value.rstrip(_CLOSING)
    if not _NAME.fullmatch(name) or _looks_random(name):
        name = HIDDEN
    harmless = name.lower() in _HARMLESS or (len(bare) <= SHORT and not _TELLING.search(name))
    shown = harmless and not _looks_random(unquote(bare))
    return text if shown or not bare else f"{name}={HIDDEN}{value[len(bare) :]}"
