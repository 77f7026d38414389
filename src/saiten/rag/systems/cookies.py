"""The cookies of an HTTP service, kept apart by session."""

from collections import OrderedDict
from http.cookies import SimpleCookie

from aiohttp import CookieJar
from yarl import URL

_CONVERSATIONS = 4096
"""Maximum number of jars; the least recently used is dropped first."""


class Cookies:
    """The cookies of each session; questions without a session have none."""

    def __init__(self) -> None:
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()

    def sent_with(self, session: str, url: URL) -> str:
        """Return the `Cookie` header for this session's next request, with values as set; "" for none."""
        if session not in self._jars:
            return ""
        self._jars.move_to_end(session)
        found = self._jars[session].filter_cookies(url).values()
        return "; ".join(f"{morsel.key}={morsel.coded_value}" for morsel in found)

    def keep(self, session: str, set_by_server: SimpleCookie, url: URL) -> None:
        """Store the cookies of a reply."""
        if not session or not set_by_server:
            return
        jar = self._jars.get(session)
        if jar is None:
            jar = self._jars[session] = CookieJar(unsafe=True, quote_cookie=False)  # unsafe: servers without a name
            if len(self._jars) > _CONVERSATIONS:
                self._jars.popitem(last=False)
        jar.update_cookies(set_by_server, url)
