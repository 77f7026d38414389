"""The keywords of `saiten.evaluate` that are settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict


class Keywords(TypedDict, total=False):
    """The keywords of `saiten.evaluate` that are fields of `JudgeSettings` and `CallSettings`."""

    embedder: str
    temperature: float | None
    seed: int
    votes: int
    max_tokens: int
    logprobs: bool
    calibration: Sequence[Path | str]
    separate_calls: bool
    prompts: Path | str | None
    judge_options: Mapping[str, Any]
    judge_headers: Mapping[str, str]
    embedder_options: Mapping[str, Any]
    embedder_headers: Mapping[str, str]
    max_calls: int | None
    max_cost: float | None
    concurrency: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    timeout: float
    retries: int
    cache: Path | str | None
    no_cache: bool
    batch: bool
    batch_files: bool
    batch_size: int
    batch_poll: float
    batch_price: float | None
    currency: str
    prices: Mapping[str, Any]
    key_env: Mapping[str, str]
