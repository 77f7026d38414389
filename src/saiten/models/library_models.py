"""Chat models and embedders of providers that do not speak OpenAI's protocol (extra `providers`)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from yarl import URL

from saiten.errors import CallFailed
from saiten.models.endpoint import KeyOfServer
from saiten.models.networks import require
from saiten.models.openai_compatible import OpenAICompatible, OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.providers import Provider
from saiten.models.wire import load

if TYPE_CHECKING:
    from saiten.models.library_client import LibraryClient


class LibraryModel(OpenAICompatible):
    """A model whose requests and replies are translated by a library; all else is as for every other server."""

    _client: "LibraryClient | None" = None

    async def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None
        await super().close()

    async def _exchange(self, path: str, url: URL, payload: Mapping[str, Any]) -> dict[str, Any]:
        # here, since it needs an extra and takes seconds
        from saiten.models.library_client import LibraryClient  # noqa: PLC0415
        from saiten.models.library_transport import Refused  # noqa: PLC0415

        self._client = self._client or LibraryClient(self.endpoint, self._http, self._timeout)
        url = URL(self.endpoint.base_url)  # what follows it is the library's
        try:
            return await self._client.fetch(path, payload)
        except Refused as refused:
            raise await self._fault(refused.reply, load(refused.reply.body), url, payload) from None
        except CallFailed as error:
            raise self._unread(error, url) if error.kind == "unreadable" else error from None

    async def _listing(self) -> bytes | None:
        """Return None: each provider lists its models in another form."""
        return None


class LibraryChat(LibraryModel, OpenAICompatibleChat):
    """A chat model behind a library."""


class LibraryEmbedder(LibraryModel, OpenAICompatibleEmbedder):
    """An embedder behind a library."""


def chat_of(
    model: str, base_url: str, api_key: str | KeyOfServer | None, *, provider: Provider, **settings: Any
) -> OpenAICompatibleChat:
    """Return the chat model, with the client that its provider needs; settings as for `OpenAICompatible`."""
    make = _library(LibraryChat, provider, model) if provider.library else OpenAICompatibleChat
    return make(model, base_url, api_key, provider=provider, **settings)


def embedder_of(
    model: str, base_url: str, api_key: str | KeyOfServer | None, *, provider: Provider, **settings: Any
) -> OpenAICompatibleEmbedder:
    """Return the embedder, with the client that its provider needs; settings as for `OpenAICompatibleEmbedder`."""
    make = _library(LibraryEmbedder, provider, model) if provider.library else OpenAICompatibleEmbedder
    return make(model, base_url, api_key, provider=provider, batch=provider.batch, **settings)


def _library(kind: type[Any], provider: Provider, model: str) -> type[Any]:
    require(f"{provider.name}:{model}", "providers", "any_llm")
    return kind
