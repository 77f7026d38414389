"""The options of a judge and of its calls, for commands that ask one; defaults come from saiten.toml."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.unfold import read_configured
from saiten.options import Config
from saiten.settings import CallSettings, JudgeSettings

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
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
ConfigOption = Annotated[Path | None, typer.Option(help="Default: saiten.toml in this folder.")]


def configured(path: Path | None, **typed: str | None) -> Config:
    """Read the configuration; standard error names the file, and the servers that it chose."""
    return read_configured(path, typed)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The options of the judge as typed; None for those that were not."""

    judge: str | None = None
    embedder: str | None = None
    votes: int | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    calibration: tuple[Path, ...] = ()

    def settings(self, defaults: Config) -> JudgeSettings:
        """Return these, with the configuration's where nothing was typed."""
        return defaults.settings(JudgeSettings, asdict(self) | {"calibration": self.calibration or None})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """The options of the calls as typed; None for those that were not."""

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
        """Return these, with the configuration's where nothing was typed."""
        return defaults.settings(CallSettings, asdict(self)).kept_in(folder)
