"""The keys of one command, each of which goes only to its server."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from yarl import URL

from saiten.errors import ConfigurationError
from saiten.models.address import parse_url, server_of
from saiten.redaction import redact

KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"

ROLES = ("judge", "composer", "questioner", "generator", "system", "embedder")
"""The roles of models. With several servers, a key without an address is for the first of these."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Keys:
    """The keys of one command.

    A server in `key_env` gets the key in its variable. A provider's key (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`) goes
    to a single server: the provider's own, or that of its variable (`OPENAI_BASE_URL`), if the command uses it, else
    that of the first role with a model named after this provider. Keys of HTTP systems and Qdrant have no address, and
    go to the first server that needs one. The choice is made at the first request, when all servers of the command are
    known.
    """

    environ: Mapping[str, str] = field(repr=False)
    key_env: Mapping[str, str] = field(default_factory=dict)
    """Server address, optionally with a path prefix → the environment variable with its key."""
    _candidates: dict[str, list[tuple[int, str]]] = field(init=False, repr=False, default_factory=dict)
    _homes: dict[str, str] = field(init=False, repr=False, default_factory=dict)
    _owners: dict[str, str] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ConfigurationError for an unusable entry of `key_env`."""
        for address, variable in self.key_env.items():
            if not parse_url(address).host:
                raise ConfigurationError(
                    f'[key_env] names servers by their addresses, such as "http://gpu1:8000", not {address!r}'
                )
            if not _VARIABLE.fullmatch(variable):  # it may be the key itself, so it is not printed
                raise ConfigurationError(
                    f"[key_env] has the name of an environment variable for each server, not a key; look at {address!r}"
                )

    def of(
        self,
        url: str,
        *,
        what: str = "system",
        variable: str = KEY_VARIABLE,
        home: str | None = None,
        found: bool = False,
    ) -> "ServerKey":
        """Return the key to the server at this address; a user and a password in the address replace a key.

        Args:
            url: The server's address.
            what: The role of the model.
            variable: The environment variable with its key, unless `key_env` names one.
            home: The server to which the variable belongs; None if it belongs to none.
            found: Whether the address comes from data, such as a knowledge base: then the variable is for `home` only.

        Raises:
            ConfigurationError: `key_env` names an unset variable for it.
        """
        address = parse_url(url)
        own = self._named(address)
        if own is not None:
            if not self.environ.get(own):
                raise ConfigurationError(
                    f"[key_env] says that the key to {redact(url)} is in {own}, and {own} is not set"
                )
            return ServerKey(self, server_of(address), own)
        if found and server_of(address) != home:
            return ServerKey(self, server_of(address), variable, withheld=True)
        self.expect(url, what=what, variable=variable, home=home)
        return ServerKey(self, server_of(address), variable, shared=True, needless=_has_its_own(address))

    def expect(self, url: str, *, what: str, variable: str = KEY_VARIABLE, home: str | None = None) -> None:
        """Register this server as a candidate for the key in this variable."""
        address = parse_url(url)
        if home is not None:
            self._homes[variable] = home
        if self._named(address) is None and not _has_its_own(address) and self.environ.get(variable):
            rank = ROLES.index(what) if what in ROLES else len(ROLES)
            self._candidates.setdefault(variable, []).append((rank, server_of(address)))

    def owner(self, variable: str) -> str | None:
        """Return the server that gets the key in this variable; fixed from the first call on."""
        if variable not in self._owners:
            home = self._homes.get(variable)
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
            for place, variable in ((parse_url(entry), variable) for entry, variable in self.key_env.items())
            if server_of(place) == server_of(address) and f"{address.path}/".startswith(f"{place.path.rstrip('/')}/")
        ]
        return max(found)[1] if found else None


@dataclass(frozen=True)
class ServerKey:
    """The key to one server."""

    keys: Keys = field(repr=False)
    server: str
    variable: str
    shared: bool = False
    """Whether the variable names no server, so that its key may go to another one."""
    needless: bool = False
    """Whether a user and a password in the address are sent instead."""
    withheld: bool = False
    """Whether nobody but the data names this server, so that it gets no key without an entry in `key_env`."""

    def value(self) -> str | None:
        """Return the key; None if it is not set or is for another server."""
        if self.needless or self.withheld or (self.shared and self.keys.owner(self.variable) != self.server):
            return None
        return self.keys.environ.get(self.variable) or None

    def advice(self) -> str:
        """Return advice on where to put a key, for a server that requires one and got none."""
        entry = f'name the variable that has this server\'s key in saiten.toml: [key_env] "{self.server}" = "VARIABLE"'
        if self.withheld:
            return f"a server that only a knowledge base names gets no key by itself; {entry}"
        owner = self.keys.owner(self.variable)
        if not self.shared or owner is None or owner == self.server:
            return f"set {self.variable}"
        return f"{self.variable} goes to {owner} only; {entry}"


def _has_its_own(address: URL) -> bool:
    return bool(address.user or address.password)
