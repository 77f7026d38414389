"""The options of a judge and of its calls, for commands that ask one; defaults come from saiten.toml."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from saiten.cli.output import escape_untrusted, stderr, told
from saiten.config import Config, read_config
from saiten.wiring import CallSettings, JudgeSettings
from saiten.wiring.configured import servers_named

JUDGE, CALLS = "The judge", "Calls and money"
"""How the options stand together in the help."""

JudgeOption = Annotated[
    str | None, typer.Option(help="offline, openai:MODEL, openai:MODEL@URL or hf:NAME_OR_FOLDER. Default: offline.")
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(help="builtin, openai:MODEL or openai:MODEL@URL. Default: builtin.", rich_help_panel=JUDGE),
]
VotesOption = Annotated[
    int | None, typer.Option(min=1, help="Ask so many times with different seeds. Default 1.", rich_help_panel=JUDGE)
]
TemperatureOption = Annotated[
    float | None, typer.Option(min=0, help="Default 0; 0.7 with several votes.", rich_help_panel=JUDGE)
]
SeedOption = Annotated[int | None, typer.Option(help="Sent with every request. Default 1.", rich_help_panel=JUDGE)]
MaxTokensOption = Annotated[int | None, typer.Option(min=1, help="Of one reply. Default 4096.", rich_help_panel=JUDGE)]
CalibrationOption = Annotated[
    list[Path] | None,
    typer.Option(help="For the offline judge: a file from `saiten tune offline`. Repeatable.", rich_help_panel=JUDGE),
]
MaxCallsOption = Annotated[
    int | None, typer.Option(min=0, help="Stop cleanly before the next call.", rich_help_panel=CALLS)
]
MaxCostOption = Annotated[
    float | None, typer.Option(min=0, help="Likewise; needs the price in saiten.toml.", rich_help_panel=CALLS)
]
ConcurrencyOption = Annotated[
    int | None, typer.Option(min=1, help="Requests in flight at most. Default 64.", rich_help_panel=CALLS)
]
RpmOption = Annotated[
    int | None, typer.Option("--rpm", min=1, help="Requests a minute at most.", rich_help_panel=CALLS)
]
TpmOption = Annotated[int | None, typer.Option("--tpm", min=1, help="Tokens a minute at most.", rich_help_panel=CALLS)]
TimeoutOption = Annotated[
    float | None, typer.Option(min=0.1, help="Seconds for one request. Default 120.", rich_help_panel=CALLS)
]
RetriesOption = Annotated[
    int | None, typer.Option(min=0, help="Further attempts at a failed request. Default 7.", rich_help_panel=CALLS)
]
RetryFailedOption = Annotated[
    bool, typer.Option("--retry-failed", help="Ask again for failed and unreadable.", rich_help_panel=CALLS)
]
CacheOption = Annotated[
    Path | None, typer.Option(help="A file of answers to share between runs.", rich_help_panel=CALLS)
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Keep no answers, not even for resuming.", rich_help_panel=CALLS)
]
ConfigOption = Annotated[Path | None, typer.Option(help="Default: saiten.toml in this folder.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def configured(path: Path | None, **typed: str | None) -> Config:
    """The configuration. Standard error says which file it is from, and which servers that file chose.

    `typed` are the options for which the file may name a server: `judge` and `embedder`, where the command has them.

    Raises:
        ConfigurationError: the file cannot be used.
    """
    config = read_config(path)
    if config.file is not None:
        notes = stderr()
        told(notes)(f"settings are from {config.file}")
        for sentence in servers_named(config, typed, os.environ):
            notes.print(f"[yellow]note:[/] {escape_untrusted(sentence)}")
    return config


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """What was typed; None where nothing was."""

    judge: str | None = None
    embedder: str | None = None
    votes: int | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    calibration: tuple[Path, ...] = ()

    def settings(self, defaults: Config) -> JudgeSettings:
        """With what saiten.toml says where nothing was typed."""
        return JudgeSettings(
            judge=self.judge or defaults.judge or "offline",
            embedder=self.embedder or defaults.embedder or "builtin",
            temperature=self.temperature if self.temperature is not None else defaults.temperature,
            seed=_first(self.seed, defaults.seed, 1),
            votes=_first(self.votes, defaults.votes, 1),
            max_tokens=_first(self.max_tokens, defaults.max_tokens, 4096),
            calibration=self.calibration or tuple(map(Path, defaults.calibration)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """What was typed about the calls; None where nothing was."""

    max_calls: int | None = None
    max_cost: float | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float | None = None
    retries: int | None = None
    cache: Path | None = None
    no_cache: bool = False

    def settings(self, defaults: Config, folder: Path) -> CallSettings:
        """With what saiten.toml says where nothing was typed; answers are kept in the run's folder unless told."""
        kept = self.cache or (Path(defaults.cache) if defaults.cache else folder / "answers.sqlite")
        return CallSettings(
            concurrency=_first(self.concurrency, defaults.concurrency, 64),
            requests_per_minute=self.requests_per_minute or defaults.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute or defaults.tokens_per_minute,
            timeout=_first(self.timeout, defaults.timeout, 120.0),
            retries=_first(self.retries, defaults.retries, 7),
            store=None if self.no_cache else kept,
            max_calls=self.max_calls if self.max_calls is not None else defaults.max_calls,
            max_cost=self.max_cost if self.max_cost is not None else defaults.max_cost,
            currency=defaults.currency,
            prices=defaults.prices,
            key_env=defaults.key_env,
        )


T = TypeVar("T")


def _first(*values: T | None) -> T:
    """The first that is set; the last one is the default."""
    return next(value for value in values if value is not None)
