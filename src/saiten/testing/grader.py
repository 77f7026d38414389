"""A grader of single samples for tests: each judge is assembled once, tried once, and closed at the end."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from saiten.api.background import BackgroundLoop
from saiten.config_file import read_config
from saiten.judges.joining import joining
from saiten.judges.memo import Memo
from saiten.judges.support.named import PREFIX
from saiten.protocols import Judge, Metric
from saiten.records import Sample, Score
from saiten.runs.scoring import score_once
from saiten.runs.signatures import signature_of
from saiten.settings import CallSettings, DataSettings, JudgeSettings
from saiten.wiring import Models, assemble_judge
from saiten.wiring.named_servers import servers_named

Named = str | JudgeSettings | Judge | None
"""A judge to use instead of the session's, or None."""


class Grader:
    """Scores samples with a session's judges; safe to use from several threads and event loops."""

    def __init__(
        self,
        judge: str | None,
        cache: str | None,
        config: Path | None,
        notify: Callable[[str], None],
        ini_file: Path | None,
    ) -> None:
        """`judge` is a name, and `cache` a file or database; everything else comes from saiten.toml.

        `notify` is called with each server chosen by a file: saiten.toml, or `ini_file` for the judge.

        Raises:
            ConfigurationError: saiten.toml cannot be read.
        """
        defaults = read_config(config)
        self._folder = Path(mkdtemp(prefix="saiten-"))
        calls = defaults.settings(CallSettings, {"cache": cache}).kept_in(self._folder)
        base = defaults.settings(JudgeSettings)
        chosen = [*servers_named(defaults, {"judge": judge, "embedder": None}, os.environ)]
        if ini_file is not None:
            named = replace(defaults, values={**defaults.values, "judge": judge}, file=ini_file)
            chosen += servers_named(named, {"judge": None}, os.environ)
        for sentence in chosen:
            notify(sentence)
        self.language = defaults.settings(DataSettings).language
        """The language of samples that do not name theirs; None to detect it."""
        self._default = base if judge is None else _renamed(base, judge)
        self._models = Models(calls)
        self._models.expect(self._default.judge, "judge")
        self._judges: dict[JudgeSettings, Judge] = {}
        self._tried: dict[JudgeSettings, asyncio.Task[None]] = {}
        self._loop = BackgroundLoop("saiten.testing")

    def score(self, sample: Sample, metric: Metric, judge: Named = None) -> tuple[Score, str]:
        """Return the score and its signature.

        Raises:
            ConfigurationError, BudgetSpent: The error concerns all scores.
        """
        return self._loop.wait(self._scored(sample, metric, judge))

    async def ascore(self, sample: Sample, metric: Metric, judge: Named = None) -> tuple[Score, str]:
        """Return the score and its signature; the caller's own judge runs in the caller's loop."""
        if judge is None or isinstance(judge, str | JudgeSettings):
            return await asyncio.wrap_future(self._loop.begin(self._scored(sample, metric, judge)))
        return await _score(sample, metric, judge)

    def close(self) -> None:
        """Close all judges, end the thread, and delete what was kept for the session only."""
        try:
            for judge in self._judges.values():
                self._loop.wait(judge.close())
        finally:
            self._loop.stop()
            rmtree(self._folder, ignore_errors=True)

    async def _scored(self, sample: Sample, metric: Metric, judge: Named) -> tuple[Score, str]:
        """Score in the grader's own loop, so that no judge is assembled or tried twice."""
        if judge is not None and not isinstance(judge, str | JudgeSettings):
            return await _score(sample, metric, judge)
        settings = _renamed(self._default, judge) if isinstance(judge, str) else judge or self._default
        if settings not in self._judges:
            self._judges[settings] = assemble_judge(settings, models=self._models)
        performing = self._judges[settings]
        if metric.tasks:
            if settings not in self._tried:
                self._tried[settings] = asyncio.create_task(performing.preflight())
            await asyncio.shield(self._tried[settings])
        return await _score(sample, metric, performing)


async def _score(sample: Sample, metric: Metric, judge: Judge) -> tuple[Score, str]:
    return await score_once(sample, metric, Memo(joining(judge))), str(
        signature_of(metric, judge, with_history=bool(sample.history))
    )


def _renamed(base: JudgeSettings, judge: str) -> JudgeSettings:
    """Return the settings for another judge, without those that only one kind of judge has."""
    if judge == base.judge:
        return base
    offline = judge == "offline" or judge.startswith(PREFIX)
    return replace(
        base,
        judge=judge,
        votes=1 if offline else base.votes,
        calibration=(),
        prompts=None if offline else base.prompts,
    )
