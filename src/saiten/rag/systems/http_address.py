"""The address of an HTTP service under test, with its headers and key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from saiten.errors import ConfigurationError
from saiten.models.address import ServerAddress, check_header
from saiten.redaction import Secrets, redact

KEY_VARIABLE = "SAITEN_SYSTEM_KEY"
"""Sent as a bearer token if set."""

_OURS = ("content-length", "content-type", "host", "transfer-encoding")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class HttpAddress(ServerAddress):
    """An address and its headers, whose secrets are never shown."""

    headers: Mapping[str, str] = field(repr=False)
    """Sent with every request."""
    key_advice: str = f"set {KEY_VARIABLE} to the key"
    """Hint on where to put a key, for a service that asks for one."""

    @classmethod
    def parse(cls, spec: str, headers: Mapping[str, str]) -> Self:
        """Parse `http:URL`, `http://…` or `https://…`; raises ConfigurationError if it or a header is unusable."""
        for name, value in headers.items():
            _check_name(name)
            check_header(name, value)
        text = re.sub(r"^https?:(?=https?://)", "", spec.strip())
        at = ServerAddress.read(text, headers, example="http://localhost:8000/ask")
        own = {name.lower() for name in headers}
        sent = {"Accept": "application/json", "Accept-Encoding": "identity", "Authorization": at.authorization}
        sent = {name: value for name, value in sent.items() if value and name.lower() not in own}
        sent |= {name: value.strip() for name, value in headers.items()}
        return cls(at.url, at.authorization, at.secrets, sent)

    def with_key(self, key: str | None, variable: str, advice: str) -> Self:
        """Return the address with a bearer token, unless a header replaces it.

        `variable` is the environment variable of the key, and `advice` says where to put one, for errors.

        Raises:
            ConfigurationError: the key is unusable.
        """
        key = (key or "").strip()
        check_header(f"the key in {variable}", key)
        headers = self.headers
        if key and "authorization" not in {name.lower() for name in headers}:
            headers = {**headers, "Authorization": f"Bearer {key}"}
        return replace(self, headers=headers, secrets=self.secrets | Secrets.of([key]), key_advice=advice)

    @property
    def query(self) -> str:
        """The query with secrets removed; "" without a query."""
        return redact(str(self.url.with_fragment(None))).partition("?")[2]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.lower() in _OURS:
        # Do not repeat it: in `Authorization: Bearer KEY==` the key precedes the first equals sign.
        raise ConfigurationError(
            "a header is written NAME=VALUE, its name without spaces and colons, for example X-Api-Key=…; "
            f"{', '.join(_OURS)} are set by saiten"
        )
