"""`openai:MODEL` and `openai:MODEL@URL`: a model, where it is served, and the key, which goes only to its server."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.models.address import OPENAI, on_this_machine
from saiten.options import Config
from saiten.redaction import redact, redact_name

KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"

ROLES = ("judge", "generator", "system", "embedder")
"""The roles of models. With several servers, a key without an address is for the first of these."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_Server = tuple[str, str, int | None]
"""Scheme, host and port."""


@dataclass(frozen=True)
class Keys:
    """The keys of one command.

    A server in `key_env` gets the key in its variable. Any other key has no address, and goes to a single server:
    `OPENAI_API_KEY` to that of `OPENAI_BASE_URL` (api.openai.com by default) if the command uses it, else to that of
    the first role; other keys to the first server that needs one. The choice is made at the first request, when all
    servers of the command are known.
    """

    environ: Mapping[str, str] = field(repr=False)
    key_env: Mapping[str, str] = field(default_factory=dict)
    """Server address, optionally with a path prefix → the environment variable with its key."""
    _candidates: dict[str, list[tuple[int, _Server]]] = field(init=False, repr=False, default_factory=dict)
    _owners: dict[str, _Server] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ConfigurationError for an unusable entry of `key_env`."""
        for address, variable in self.key_env.items():
            if not _read(address).host:
                raise ConfigurationError(
                    f'[key_env] names servers by their addresses, such as "http://gpu1:8000", not {address!r}'
                )
            if not _VARIABLE.fullmatch(variable):  # it may be the key itself, so it is not printed
                raise ConfigurationError(
                    f"[key_env] has the name of an environment variable for each server, not a key; look at {address!r}"
                )

    def of(self, url: str, *, what: str = "system", variable: str = KEY_VARIABLE) -> "ServerKey":
        """Return the key to the server at this address; a user and a password in the address replace a key.

        Raises:
            ConfigurationError: `key_env` names an unset variable for it.
        """
        address = _read(url)
        own = self._named(address)
        if own is not None:
            if not self.environ.get(own):
                raise ConfigurationError(
                    f"[key_env] says that the key to {redact(url)} is in {own}, and {own} is not set"
                )
            return ServerKey(self, _server(address), own)
        self.expect(url, what=what, variable=variable)
        return ServerKey(self, _server(address), variable, shared=True, needless=_has_its_own(address))

    def expect(self, url: str, *, what: str, variable: str = KEY_VARIABLE) -> None:
        """Register this server as a candidate for a key without an address."""
        address = _read(url)
        if self._named(address) is None and not _has_its_own(address) and self.environ.get(variable):
            rank = ROLES.index(what) if what in ROLES else len(ROLES)
            self._candidates.setdefault(variable, []).append((rank, _server(address)))

    def owner(self, variable: str) -> _Server | None:
        """Return the server that gets a key without an address; fixed from the first call on."""
        if variable not in self._owners:
            home = _server(_read(self.environ.get(URL_VARIABLE) or OPENAI)) if variable == KEY_VARIABLE else None
            found = self._candidates.get(variable, [])
            if not found:
                return None
            servers = [server for _, server in sorted(found, key=lambda each: each[0])]
            self._owners[variable] = home if home is not None and home in servers else servers[0]
        return self._owners[variable]

    def _named(self, address: URL) -> str | None:
        """Return the variable in `key_env` for this address; the longest path wins."""
        found = [
            (len(place.path), variable)
            for place, variable in ((_read(entry), variable) for entry, variable in self.key_env.items())
            if _server(place) == _server(address) and f"{address.path}/".startswith(f"{place.path.rstrip('/')}/")
        ]
        return max(found)[1] if found else None


@dataclass(frozen=True)
class ServerKey:
    """The key to one server."""

    keys: Keys = field(repr=False)
    server: _Server
    variable: str
    shared: bool = False
    """Whether the variable names no server, so that its key may go to another one."""
    needless: bool = False
    """Whether a user and a password in the address are sent instead."""

    def value(self) -> str | None:
        """Return the key; None if it is not set or is for another server."""
        if self.needless or (self.shared and self.keys.owner(self.variable) != self.server):
            return None
        return self.keys.environ.get(self.variable) or None

    def advice(self) -> str:
        """Return advice on where to put a key, for a server that requires one and got none."""
        owner = self.keys.owner(self.variable)
        if not self.shared or owner is None or owner == self.server:
            return f"set {self.variable}"
        return (
            f"{self.variable} goes to {_written(owner)} only; name the variable that has this server's key in "
            f'saiten.toml: [key_env] "{_written(self.server)}" = "VARIABLE"'
        )


def elsewhere(url: str, environ: Mapping[str, str]) -> bool:
    """Return whether a server is neither on this machine, nor OpenAI's, nor the one in `OPENAI_BASE_URL`."""
    usual = {server_of(OPENAI), server_of(environ.get(URL_VARIABLE) or OPENAI)}
    return server_of(url) not in usual and not on_this_machine(_read(url).host)


def _has_its_own(address: URL) -> bool:
    return bool(address.user or address.password)


def server_of(url: str) -> str:
    """Return the server at an address as `https://HOST` or `http://HOST:PORT`, without secrets."""
    return _written(_server(_read(url)))


def _read(url: str) -> URL:
    """Return the parsed address; an empty one if it is invalid, which its users refuse."""
    try:
        return URL(url.strip())
    except ValueError:
        return URL()


def _server(address: URL) -> _Server:
    return address.scheme, (address.host or "").lower(), address.port


def _written(server: _Server) -> str:
    scheme, host, port = server
    return str(URL.build(scheme=scheme, host=host, port=port))


HERE = "hf:"
"""The prefix of a chat model in this process."""


@dataclass(frozen=True, slots=True)
class Address:
    """A model, where it is served, and the key to it."""

    model: str
    url: str = field(repr=False)
    source: ServerKey
    """The source of its key."""

    @property
    def key(self) -> str | None:
        """Return the key; None if no key is sent."""
        return self.source.value()


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


def servers_named(config: Config, typed: Mapping[str, str | None], environ: Mapping[str, str]) -> Iterator[str]:
    """Yield one sentence per server that the file names and that is neither local nor the user's default.

    `typed`: the user's choice of `judge` and `embedder`, if they are used; it wins over the file. The default is
    api.openai.com, or the server of `OPENAI_BASE_URL`.
    """
    found = {what: config.values.get(what) for what in ("judge", "embedder")}
    keys = Keys(environ, config.values.get("key_env", {}))
    urls = {what: url_of(chosen or found[what] or "", environ) for what, chosen in typed.items()}
    for what, url in urls.items():
        if url is not None:
            keys.expect(url, what=what)
    for what, url in urls.items():
        if url is None or typed[what] or not elsewhere(url, environ):
            continue
        key = None
        with suppress(ConfigurationError):  # an unset variable is reported when the server is used
            key = keys.of(url, what=what)
        sent = f" and the key in {key.variable}" if key is not None and key.value() else ""
        yield f"{config.file} names the server of the {what}, {server_of(url)}: it gets the data{sent} when it is asked"
