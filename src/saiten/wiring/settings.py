"""What a judge and its calls are set to: the part that figures depend on, and the part that they do not."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from saiten.redaction import redact_settings


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What figures depend on: a run with other settings is another run."""

    judge: str = "offline"
    """`offline`, `openai:MODEL`, `openai:MODEL@URL` or `hf:NAME_OR_FOLDER`."""
    embedder: str = "builtin"
    """`builtin`, `openai:MODEL` or `openai:MODEL@URL`; for the metrics that compare embeddings."""
    temperature: float | None = None
    """None: 0 for a single vote, 0.7 for a panel."""
    seed: int = 1
    """Votes count up from it."""
    votes: int = 1
    max_tokens: int = 4096
    """Of one reply."""
    calibration: tuple[Path, ...] = ()
    """For the offline judge: files written by `saiten tune offline`, one an aspect."""

    def kept(self) -> dict[str, Any]:
        """Settings that a run keeps, presentable. Signatures name the calibrations by their content, not by path."""
        kept: dict[str, Any] = redact_settings(asdict(self))
        del kept["calibration"]
        return kept

    def __repr__(self) -> str:
        shown = redact_settings(asdict(self))
        return f"JudgeSettings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How the calls are made: no figure depends on it."""

    concurrency: int = 64
    """Requests in flight at most."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    """Seconds for one request; there is no limit on a run."""
    retries: int = 7
    """Further attempts at a request that failed."""
    store: Path | None = None
    """The file in which every answer is kept the moment it arrives; None keeps none."""
    max_calls: int | None = None
    max_cost: float | None = None
    currency: str = "USD"
    prices: Mapping[str, Any] = field(default_factory=dict)
    """By model: `prompt` and `completion`, per million tokens."""
    key_env: Mapping[str, str] = field(default_factory=dict)
    """The address of a server → the environment variable that holds its key."""


def run_settings(
    judge: Mapping[str, Any],
    calls: CallSettings,
    *,
    data: str | None,
    columns: Mapping[str, str],
    language: str | None,
    **more: Any,
) -> dict[str, Any]:
    """The settings in a run's manifest, the same wherever the run is begun, so that any door goes on with it.

    Args:
        judge: `JudgeSettings.kept()`, or the name of a judge of one's own under `judge`.
        calls: No figure depends on them; of these only the currency is kept.
        data: The file's name; None for samples that come from no file.
        columns: Field → column, as typed.
        language: None where each sample's is detected.
        more: Of this kind of run alone.
    """
    common = {"columns": dict(columns), "language": language or "detected", "currency": calls.currency}
    return {"data": data, **judge, **common, **more}
