"""Limit of wrong links per address."""

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from threading import Lock

_MINUTE = 60.0
_MOST_ADDRESSES = 10_000
"""Addresses remembered; the least recent is forgotten first."""


class WrongJoins:
    """Counts recent wrong links per address; one per server."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: wrong links per minute."""
        self._most = most
        self._clock = clock
        self._tried: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = Lock()

    def too_many(self, address: str) -> bool:
        """Return whether the address has to wait."""
        with self._lock:
            since, tried = self._tried.get(network_of(address), (0.0, 0))
            return tried >= self._most and self._clock() - since < _MINUTE

    def count(self, address: str) -> None:
        """Count a wrong link."""
        network, now = network_of(address), self._clock()
        with self._lock:
            since, tried = self._tried.pop(network, (now, 0))
            self._tried[network] = (since, tried + 1) if now - since < _MINUTE else (now, 1)
            while len(self._tried) > _MOST_ADDRESSES:
                self._tried.popitem(last=False)


def network_of(address: str) -> str:
    """Return the network of an address: for IPv6 the first half, since a connection can use any second half."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
