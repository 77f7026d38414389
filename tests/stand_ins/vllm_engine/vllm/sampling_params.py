"""Sampling parameters, with the names and defaults of vLLM 0.33.0."""

from dataclasses import dataclass, field, make_dataclass
from enum import Enum

from vllm.exceptions import VLLMValidationError


class RequestOutputKind(Enum):
    """When outputs are yielded."""

    CUMULATIVE = 0
    DELTA = 1
    FINAL_ONLY = 2


@dataclass
class StructuredOutputsParams:
    """A constraint: exactly one of these."""

    json: str | dict | None = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None

    def __post_init__(self):
        given = [each for each in vars(self).values() if each is not None]
        if len(given) != 1:
            raise VLLMValidationError("You must use one kind of structured outputs constraint")


_DEFAULTS = {
    "n": 1, "presence_penalty": 0.0, "frequency_penalty": 0.0, "repetition_penalty": 1.0, "temperature": 1.0,
    "watermarking": None, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "seed": None, "stop": None, "stop_token_ids": None,
    "ignore_eos": False, "max_tokens": 16, "min_tokens": 0, "logprobs": None, "prompt_logprobs": None,
    "prompt_logprob_token_ids": None, "prompt_logprob_start": None, "logprob_token_ids": None, "flat_logprobs": False,
    "detokenize": True, "skip_special_tokens": True, "spaces_between_special_tokens": True,
    "include_stop_str_in_output": False, "output_kind": RequestOutputKind.CUMULATIVE, "stream_interval": None,
    "skip_clone": False, "output_text_buffer_length": 0, "_eos_token_id": None, "structured_outputs": None,
    "logit_bias": None, "allowed_token_ids": None, "extra_args": None, "bad_words": None,
    "skip_reading_prefix_cache": None, "thinking_token_budget": None, "repetition_detection": None,
}  # fmt: skip


def _check(self):
    if not 0 <= self.temperature <= 2:
        raise VLLMValidationError(f"temperature must be in [0, 2], got {self.temperature}.")
    if self.max_tokens is not None and self.max_tokens < 1:
        raise VLLMValidationError(f"max_tokens must be at least 1, got {self.max_tokens}.")
    if self.seed is not None and not -(2**63) <= self.seed < 2**63:
        raise VLLMValidationError(f"seed {self.seed} does not fit into 64 bits")


SamplingParams = make_dataclass(
    "SamplingParams",
    [(name, object, field(default=value)) for name, value in _DEFAULTS.items()],
    namespace={"__post_init__": _check},
)
