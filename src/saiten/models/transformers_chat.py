"""An in-process chat model: a causal language model of the transformers library, from a folder or by hub name."""

import asyncio
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.batches import Batches
from saiten.models.local_chat import LocalChat
from saiten.models.networks import LocalModel, require
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage

if TYPE_CHECKING:
    from saiten.models.causal_network import CausalNetwork, Rejected


class TransformersChat(LocalChat):
    """Answers with a model on this machine, `batch` requests at once, in a separate thread.

    The model is loaded on first use; a hub name is downloaded then, unless it is cached. A LoRA adapter is loaded with
    its base and merged. Control tokens in messages are plain characters (`chat_template`).

    Temperature 0 takes the likeliest token; above 0 the draw depends only on the request, including its seed, not on
    the rest of the batch (except for rounding, which varies with the batch's shape); None uses the model's default
    settings. Requests without `max_tokens` get 4,096, or what the context has room for. Equal requests in flight run
    once. JSON schemas are not enforced: the prompt has to ask for JSON.

    After `close` the next request loads the model again.
    """

    def __init__(self, model: str, *, batch: int = 8, device: str | None = None) -> None:
        """`model`: a folder or hub name; `batch`: requests per batch; `device`: torch's name, None for the best.

        Raises:
            ConfigurationError: the folder is missing or contains no model, or an extra is not installed.
        """
        if batch < 1:
            raise ConfigurationError(f"a batch must have at least one request, got {batch}")
        super().__init__(LocalModel.find(model))
        require(f"hf:{model}", "neural", "transformers", "torch")
        if self._found.base is not None:
            require(f"the adapter hf:{model}", "train", "peft")
        self._batch = batch
        self._device = device
        self._opened: _Opened | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        _check(request)
        if self._opened is None:
            self._opened = _Opened(self._found, self._batch, self._device)
        try:
            reply = await self._opened.batches.of(request)
        except SaitenError:
            raise
        except Exception as error:  # raised by the network: out of memory, a failing kernel
            raise CallFailed(f"{self.name} failed: {error}", Usage(calls=1)) from error
        if isinstance(reply, Completion):
            return reply
        raise CallFailed(f"{self.name}: {reply.reason}")

    async def close(self) -> None:
        """Stop within a token or so, and release the model."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
        await asyncio.sleep(0)


@dataclass
class _Opened:
    """The state between the first request and `close`."""

    found: LocalModel
    size: int
    device: str | None
    stop: threading.Event = field(default_factory=threading.Event)
    network: "CausalNetwork | None" = None

    def __post_init__(self) -> None:
        self.batches: Batches[ChatRequest, Completion | Rejected] = Batches(
            self._answers, size=self.size, length=_length, what="model"
        )

    def close(self) -> None:
        self.stop.set()
        self.batches.close()
        self.network = None

    def _answers(self, requests: Sequence[ChatRequest]) -> "Sequence[Completion | Rejected]":
        if self.network is None:
            from saiten.models.causal_network import causal_network  # noqa: PLC0415 - needs an extra, takes seconds

            self.network = causal_network(self.found, self.device)
        return self.network.answers(requests, self.stop)


def _length(request: ChatRequest) -> int:
    return sum(len(message.content) for message in request.messages)


def _check(request: ChatRequest) -> None:
    """Reject what a server would refuse with HTTP 400."""
    temperature, limit = request.temperature, request.max_tokens
    if request.options:
        raise ConfigurationError(f"a model in this process has no option {next(iter(request.options))!r}; leave it out")
    if temperature is not None and not (math.isfinite(temperature) and temperature >= 0):
        raise ConfigurationError(f"a temperature must be a number of at least 0, got {temperature}")
    if limit is not None and limit < 1:
        raise ConfigurationError(f"max_tokens must be at least 1, got {limit}")
