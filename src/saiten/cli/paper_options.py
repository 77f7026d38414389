"""The options that all designs of `saiten paper` have."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import MOST_AT_ONCE
from saiten.options import Config, option
from saiten.settings import CALLS, JUDGE, JudgeSettings

DataFolder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with your data.")]


@dataclass(frozen=True, slots=True)
class PaperJudges:
    """The judges that grade."""

    judge: tuple[str, ...] = option(
        (),
        "Judge: offline, PROVIDER:MODEL or PROVIDER:MODEL@URL. Repeatable: tables have each of them. Default: that of "
        "saiten.toml, else offline. Other settings of judges are read from saiten.toml.",
        panel=JUDGE,
    )

    def chosen(self, config: Config) -> tuple[str, ...]:
        """Return the judges as typed, else that of the configuration."""
        return tuple(dict.fromkeys(self.judge)) or (config.settings(JudgeSettings, {}).judge,)


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """How a design is run; no figure depends on it."""

    out: Path | None = option(None, "Folder of results. Default: runs/paper-NAME.", "--out", "-o")
    samples: bool = option(False, "Write the built-in samples into FOLDER, as an example of each file, and stop.")
    dry_run: bool = option(
        False,
        "List the commands with their calls, tokens and cost, and call no model. Documents that they read are indexed.",
    )
    results: bool = option(False, "Show the tables so far without running anything.")
    retry_failed: bool = option(False, "Retry what failed or was unreadable.", panel=CALLS)
    quiet: bool = option(False, "Hide progress.", "--quiet", "-q")
    max_calls: int | None = option(None, "Stop cleanly after this number of calls.", panel=CALLS, min=0)
    max_cost: float | None = option(None, "Stop cleanly at this cost; requires known prices.", panel=CALLS, min=0.0)
    concurrency: int | None = option(
        None, "Maximum requests in flight. Default: as in saiten.toml, else 64.", panel=CALLS, min=1, max=MOST_AT_ONCE
    )
