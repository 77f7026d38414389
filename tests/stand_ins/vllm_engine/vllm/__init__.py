# ruff: noqa: ARG003, FBT002 - the signatures of the real one
"""A stand-in for vLLM 0.33.0, as far as saiten uses it: the same names, strict about arguments, without a network.

The engine lets all requests in flight write their tokens in common steps, as vLLM batches continuously. What happens is
written to the file in `VLLM_STAND_IN_LOG`, a JSON line per event, since a worker of Ray is another process.
"""

import asyncio
import json
import os
from dataclasses import asdict, field, make_dataclass
from types import SimpleNamespace

from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import RequestOutputKind, SamplingParams

__version__ = "0.33.0"
__all__ = ["AsyncEngineArgs", "AsyncLLMEngine", "SamplingParams"]

_DEFAULTS = {
    "model": "Qwen/Qwen3-0.6B", "tokenizer": None, "trust_remote_code": False, "dtype": "auto", "seed": 0,
    "max_model_len": None, "tensor_parallel_size": 1, "pipeline_parallel_size": 1, "gpu_memory_utilization": 0.9,
    "max_num_seqs": None, "max_num_batched_tokens": None, "enable_prefix_caching": None, "enforce_eager": False,
    "quantization": None, "kv_cache_dtype": "auto", "disable_log_stats": False, "use_tqdm_on_load": True,
    "enable_lora": False, "max_lora_rank": 16, "max_logprobs": 20, "stream_interval": 1, "download_dir": None,
    "revision": None, "hf_overrides": None, "structured_outputs_config": None, "reasoning_parser": "",
    "generation_config": "auto", "enable_log_requests": False, "_api_process_count": 1,
}  # fmt: skip
AsyncEngineArgs = make_dataclass(
    "AsyncEngineArgs", [(name, object, field(default=value)) for name, value in _DEFAULTS.items()]
)

engines = []
"""All engines of this process."""


def _log(event, **more):
    if path := os.environ.get("VLLM_STAND_IN_LOG"):
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as short as the rest
            file.write(json.dumps({"event": event, "process": os.getpid(), **more}) + "\n")


class EngineDeadError(Exception):
    """In `vllm.v1.engine.exceptions`: nothing more can be asked."""


class EngineGenerateError(Exception):
    """In `vllm.v1.engine.exceptions`: a request failed; its cause says why."""


class AsyncLLMEngine:
    """The asynchronous engine, `vllm.v1.engine.async_llm.AsyncLLM`."""

    def __init__(self, args):
        if not (isinstance(args.tensor_parallel_size, int) and args.tensor_parallel_size > 0):
            raise ValueError(f"tensor_parallel_size must be at least 1, got {args.tensor_parallel_size}")
        self.args = args
        self.errored = False
        self.output_handler = None
        self.model_config = SimpleNamespace(get_diff_sampling_param=lambda: {"temperature": 0.6, "top_k": 20})
        self.limit = args.max_model_len or 4096
        self.may_step = asyncio.Event()
        """Cleared by tests that want all requests to wait."""
        self.may_step.set()
        self.running = {}
        self.seen = []
        """The requests, in the order of their arrival."""
        self.most = 0
        """The largest number of requests in a step."""
        self.aborted = []
        self.down = 0
        engines.append(self)
        _log("start", gpus=os.environ.get("CUDA_VISIBLE_DEVICES"), arguments=asdict(args))

    @classmethod
    def from_engine_args(cls, engine_args, start_engine_loop=True, usage_context="ENGINE_CONTEXT", stat_loggers=None):
        """Load the model; blocks for as long as that takes."""
        return cls(engine_args)

    async def generate(
        self, prompt, sampling_params, request_id, *, prompt_text=None, lora_request=None, tokenization_kwargs=None,
        trace_headers=None, priority=0, data_parallel_rank=None, session_id=None, kv_hints=None, reasoning_ended=None,
        reasoning_parser_kwargs=None,
    ):  # fmt: skip
        """Yield the output, once it is finished for `FINAL_ONLY`."""
        if self.errored or self.down:
            raise EngineDeadError
        assert prompt["type"] == "token"
        ids, params = prompt["prompt_token_ids"], sampling_params
        assert params.output_kind is RequestOutputKind.FINAL_ONLY
        assert request_id not in self.running
        if len(ids) > self.limit:
            raise VLLMValidationError(
                f"The decoder prompt (length {len(ids)}) is longer than the maximum model length of {self.limit}."
            )
        self.seen.append(SimpleNamespace(ids=ids, params=params, lora_request=lora_request))
        request = self.running[request_id] = SimpleNamespace(
            text=_answer(ids, params), written=0, finished=asyncio.get_running_loop().create_future()
        )
        if self.output_handler is None:
            self.output_handler = asyncio.create_task(self._step_by_step())
        try:
            await request.finished
        except (asyncio.CancelledError, GeneratorExit):
            await self.abort(request_id, internal=True)
            raise
        except EngineDeadError:
            raise
        except Exception as error:
            await self.abort(request_id, internal=True)
            raise EngineGenerateError from error
        yield self._output(request, ids, params)

    async def abort(self, request_id, internal=False):
        """Forget a request."""
        self.running.pop(request_id, None)
        self.aborted.append(request_id)
        _log("abort")

    def shutdown(self, timeout=None):
        """Stop the engine's processes; blocks until they have ended."""
        self.down += 1
        _log("shutdown", most=self.most, requests=len(self.seen))

    def fail(self, error, *, dead=False):
        """Let all requests in flight fail, for tests."""
        self.errored = dead
        for request in self.running.values():
            request.finished.set_exception(error)

    async def _step_by_step(self):
        while True:
            await asyncio.sleep(0)
            await self.may_step.wait()
            self.most = max(self.most, len(self.running))
            for number, request in list(self.running.items()):
                request.written += 1
                if request.written >= len(request.text) and not request.finished.done():
                    request.finished.set_result(None)
                    del self.running[number]
            if not self.running:
                await asyncio.sleep(0.001)

    def _output(self, request, ids, params):
        cut = request.text[: params.max_tokens]
        tokens = [ord(sign) for sign in cut]
        one = {7: SimpleNamespace(logprob=-1.5, rank=2, decoded_token="")}
        logprobs = [one | {token: SimpleNamespace(logprob=-0.25, rank=1, decoded_token="?")} for token in tokens]
        written = SimpleNamespace(
            index=0,
            text=cut,
            token_ids=tokens,
            logprobs=None if params.logprobs is None else logprobs,
            finish_reason="length" if len(cut) < len(request.text) else "stop",
        )
        return SimpleNamespace(outputs=[written], prompt_token_ids=ids, num_cached_tokens=len(ids) // 16 * 16)


def _answer(ids, params):
    if params.structured_outputs is None:
        return f"{len(ids)} tokens, {sum(ids) % 1000}"
    schema = params.structured_outputs.json
    return json.dumps(_filled(schema, schema.get("$defs", {})))


def _filled(schema, known):
    """The smallest value that fits a schema."""
    if "$ref" in schema:
        return _filled(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        return _filled(schema["anyOf"][0], known)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: _filled(one, known) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [_filled(schema["items"], known)] * max(1, schema.get("minItems", 1))
    return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1.0), "boolean": True}.get(kind, "x")
