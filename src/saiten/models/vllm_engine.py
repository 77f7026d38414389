"""An in-process chat model: vLLM's engine with a model from a folder or by hub name, for many requests at once.

The engine is vLLM's asynchronous one, which takes up each request as it arrives and lets it go as soon as it is
answered; `vllm.LLM` would answer one list after another, so that every list waits for its longest answer. Written for
the interface of vLLM 0.33.0, and run with 0.32.0 on a CPU.
"""

import asyncio
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.local_chat import LocalChat
from saiten.models.networks import LocalModel, configuration, loaded, safely
from saiten.models.token_watch import token_texts
from saiten.protocols import ChatRequest, Completion, Token
from saiten.records import Usage

_PREFIX = "vllm-engine:"
_QUIET = {"VLLM_LOGGING_STREAM": "ext://sys.stderr", "VLLM_LOGGING_LEVEL": "ERROR", "VLLM_NO_USAGE_STATS": "1"}
"""Variables that keep vLLM's log out of results and its statistics on this machine; those that are set win."""
_FIXED = frozenset(
    ("detokenize", "flat_logprobs", "model", "n", "output_kind", "skip_special_tokens", "structured_outputs",
     "tokenizer", "trust_remote_code")
)  # fmt: skip
"""Arguments that are set here, or that would run code from a repository."""
_EXPECTED = "a causal language model with its tokenizer, or a LoRA adapter over one, and arguments that vLLM accepts"
_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The maximum ranks of adapters that vLLM can be set to."""

_numbers = count()


class VllmChat(LocalChat):
    """Answers with a model on this machine; vLLM batches the requests in flight.

    The model is loaded on first use, once for all chats of an event loop that have the same model and engine arguments.
    `options`, here and in requests, are arguments of vLLM's engine, fixed once it is loaded, and sampling parameters.
    Messages become tokens as in `TransformersChat`: control tokens in them are plain characters. A schema is enforced.

    After `close` the next request loads the model again.
    """

    def __init__(self, model: str, options: Mapping[str, Any] | None = None, engines: "Engines | None" = None) -> None:
        """Find the model.

        Args:
            model: A folder or hub name.
            options: Must include the engine arguments of all requests.
            engines: Those that other chats use, to share; None for one of its own.

        Raises:
            ConfigurationError: the folder is missing or contains no model, or vLLM is not installed.
        """
        super().__init__(LocalModel.find(model, _PREFIX))
        if find_spec("vllm") is None:
            raise ConfigurationError(f"{_PREFIX}{model} needs vLLM; install with: pip install vllm")
        self._options = dict(options or {})
        self._engines = engines or Engines()
        self._engine: _Engine | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        engine = await self._opened()
        if unknown := [name for name, value in request.options.items() if not engine.takes(name, value)]:
            raise ConfigurationError(
                f"{self.name} was not loaded with {unknown[0]}={request.options[unknown[0]]!r}, which is an argument "
                "of the engine and the same for all its requests"
            )
        return await engine.complete(request)

    async def close(self) -> None:
        """Release the model, which stops vLLM's processes unless another chat uses it."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await self._engines.leave(engine)

    async def _opened(self) -> "_Engine":
        if self._engine is None:
            interface = await asyncio.to_thread(_Interface)
            if self._engine is None:
                arguments = interface.arguments(self._options, self.name)
                self._engine = self._engines.enter(self._found, arguments, interface)
        await self._engine.ready()
        return self._engine


class _Interface:
    """vLLM's classes, and the names of their arguments; importing them takes seconds."""

    def __init__(self) -> None:
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        self.vllm = import_module("vllm")
        self.sampling = import_module("vllm.sampling_params")
        self.tokens = import_module("vllm.inputs").tokens_input
        self.of_requests = _names(self.vllm.SamplingParams)
        self._of_engine = _names(self.vllm.AsyncEngineArgs)

    def arguments(self, options: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return the engine's arguments among the options; raises ConfigurationError for unknown options."""
        for option in options:
            if option not in self.of_requests | self._of_engine:
                why = (
                    "is set by saiten" if option in _FIXED else "is neither an engine argument nor a sampling parameter"
                )
                raise ConfigurationError(
                    f"{name}: {option} {why}; expected those of vLLM's AsyncEngineArgs or SamplingParams, such as "
                    "max_model_len, gpu_memory_utilization, tensor_parallel_size or top_p"
                )
        return {each: value for each, value in options.items() if each not in self.of_requests and value is not None}


def _names(arguments: type) -> frozenset[str]:
    found = inspect.signature(arguments).parameters
    return frozenset(name for name in found if name not in _FIXED and not name.startswith("_"))


class Engines:
    """The engines of a command's chats: one per event loop, model and arguments, stopped when its last chat leaves."""

    def __init__(self) -> None:
        self._of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Engine]] = WeakKeyDictionary()

    def enter(self, found: LocalModel, arguments: Mapping[str, Any], interface: _Interface) -> "_Engine":
        """Return the engine with this model and these arguments, to be left later."""
        engines = self._of_loops.setdefault(asyncio.get_running_loop(), {})
        made = _Engine(found, arguments, interface)
        engine = engines.setdefault(made.key, made)
        engine.users += 1
        return engine

    async def leave(self, engine: "_Engine") -> None:
        """Stop the engine if no other chat uses it."""
        engine.users -= 1
        if not engine.users:
            del self._of_loops[asyncio.get_running_loop()][engine.key]
            await engine.stop()


class _Engine:
    """A model in vLLM's engine."""

    def __init__(self, found: LocalModel, arguments: Mapping[str, Any], interface: _Interface) -> None:
        self._found = found
        self._arguments = arguments
        self._interface = interface
        self.key = json.dumps([found.name, arguments], sort_keys=True)
        self.users = 0
        self._starting: asyncio.Task[None] | None = None
        self._async_llm: Any = None

    async def stop(self) -> None:
        """Stop it, once it has started."""
        if self._starting is not None:
            with suppress(ConfigurationError):
                await self._starting
        if self._async_llm is None:
            return
        if self._async_llm.output_handler is not None:  # or it would report in the log that the engine has died
            self._async_llm.output_handler.cancel()
        await asyncio.to_thread(self._async_llm.shutdown)

    async def ready(self) -> None:
        """Load the model in a thread, once; raises ConfigurationError, each time."""
        if self._starting is None:
            self._starting = asyncio.create_task(asyncio.to_thread(self._start))
        await asyncio.shield(self._starting)

    def takes(self, name: str, value: Any) -> bool:
        """Return whether a request may have this option."""
        return name in self._interface.of_requests or value is None or self._arguments.get(name) == value

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the answer; a canceled request is aborted by vLLM.

        Raises:
            CallFailed: vLLM cannot answer this request.
            ConfigurationError: a sampling parameter is invalid, or the engine has died.
        """
        name = self._found.name
        try:
            ids = self._template.ids(request.messages)
        except ValueError as error:
            raise CallFailed(f"{name}: {error}") from error
        generating = self._async_llm.generate(
            self._interface.tokens(ids), self._parameters(request, ids), f"saiten-{next(_numbers)}", **self._adapter
        )
        try:
            async with aclosing(generating) as outputs:
                (output,) = [each async for each in outputs]  # only the final one is asked for
        except Exception as error:
            if self._async_llm.errored:
                raise ConfigurationError(
                    f"{name}: vLLM's engine has died, and its log above says why; re-run the command to resume"
                ) from error
            raise CallFailed(f"{name} failed: {error.__cause__ or error}", Usage(calls=1)) from error
        written = output.outputs[0]
        usage = Usage(
            calls=1,
            prompt_tokens=len(ids),
            completion_tokens=len(written.token_ids),
            cached_tokens=output.num_cached_tokens or 0,
        )
        tokens = None if request.logprobs is None else self._tokens(written.token_ids, written.logprobs)
        return Completion(written.text, usage, written.finish_reason, tokens)

    def _start(self) -> None:
        from saiten.models.chat_template import ChatTemplate  # noqa: PLC0415 - loads jinja2

        found, library = self._found, import_module("transformers")
        configuration(found.base or found.source, found.name, _EXPECTED)

        def load() -> None:
            tokenizer = library.AutoTokenizer.from_pretrained(found.tokenizer, **safely(found.tokenizer))
            self._template, self._text_of = ChatTemplate(tokenizer), token_texts(tokenizer)
            vllm = self._interface.vllm
            arguments = {"disable_log_stats": True, "use_tqdm_on_load": False, **self._of_adapter(), **self._arguments}
            arguments |= {"model": found.base or found.source, "tokenizer": found.tokenizer}
            try:
                self._async_llm = vllm.AsyncLLMEngine.from_engine_args(vllm.AsyncEngineArgs(**arguments))
            except ValidationError as error:  # its first line does not say why
                raise ValueError("; ".join(each["msg"] for each in error.errors())) from error

        loaded(found.name, _EXPECTED, load)

    def _of_adapter(self) -> dict[str, Any]:
        """Return the engine's arguments for a LoRA adapter, which then goes with every request."""
        self._adapter: dict[str, Any] = {}
        if self._found.base is None:
            return {}
        adapter = Path(self._found.source)
        rank = json.loads((adapter / "adapter_config.json").read_text("utf-8"))["r"]
        request = import_module("vllm.lora.request").LoRARequest("adapter", 1, str(adapter.absolute()))
        self._adapter = {"lora_request": request}
        return {"enable_lora": True, "max_lora_rank": next(most for most in _RANKS if most >= rank)}

    def _parameters(self, request: ChatRequest, ids: Sequence[int]) -> Any:
        """Return the sampling parameters; without a temperature, those of the model's own generation settings."""
        from saiten.models.causal_network import LONGEST, seed_of  # noqa: PLC0415 - loads jinja2

        sampling = self._interface.sampling
        settings = {
            "temperature": request.temperature,
            "seed": None if request.seed is None else seed_of(request.seed, ids),
            "max_tokens": request.max_tokens or LONGEST,
            "logprobs": request.logprobs,
            "stop_token_ids": self._template.end_tokens(),
            **{name: value for name, value in request.options.items() if name in self._interface.of_requests},
        }
        settings = {name: value for name, value in settings.items() if value is not None}
        if "temperature" not in settings:
            settings = {**self._async_llm.model_config.get_diff_sampling_param(), **settings}
        if request.schema is not None:
            settings["structured_outputs"] = sampling.StructuredOutputsParams(json=dict(request.schema))
        try:
            return sampling.SamplingParams(output_kind=sampling.RequestOutputKind.FINAL_ONLY, **settings)
        except Exception as error:  # of vLLM's own type, or a ValueError
            raise ConfigurationError(f"{self._found.name}: {error}") from error

    def _tokens(self, ids: Sequence[int], logprobs: Sequence[Mapping[int, Any]] | None) -> tuple[Token, ...] | None:
        if logprobs is None:
            return None
        text_of = self._text_of
        return tuple(
            Token(
                text_of(token),
                float(there[token].logprob),
                tuple((text_of(other), float(one.logprob)) for other, one in there.items()),
            )
            for token, there in zip(ids, logprobs, strict=True)
        )
