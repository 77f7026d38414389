"""Making a tuned judge: split by question, train, measure, and only then mark it as finished."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from saiten.durable.lock import Lock
from saiten.durable.private import private_folder
from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.judges.held_out import HeldOut
from saiten.judges.learned import write_questions
from saiten.judges.tuned import TunedJudge
from saiten.judges.tuned_folder import NAME, read_tuned, write_tuned
from saiten.protocols import Judge
from saiten.tuning.judge.description import describe, settings_of
from saiten.tuning.judge.examples import Built
from saiten.tuning.judge.head import TrainingJob
from saiten.tuning.judge.held_out import held_out
from saiten.tuning.judge.judge_folder import begin, clean_up
from saiten.tuning.judge.judge_plan import JudgePlan, MakingWatch, Parts, questions_of, split


def make_judge(
    built: Built,
    plan: JudgePlan,
    folder: Path,
    watch: MakingWatch,
    *,
    card: Callable[[TunedJudge], str],
    compare_base: bool = False,
) -> TunedJudge:
    """Return the judge in the folder: made now, resumed after an interruption, or already finished.

    `saiten-judge.json` is written last; until then the folder does not count as a judge.

    Args:
        built: the examples.
        plan: the judge to make.
        folder: created if needed; refused if it contains anything else.
        watch: receives progress.
        card: makes the text of its README.md.
        compare_base: whether to measure the untrained base, too.

    Raises:
        ConfigurationError: something is misconfigured, or the folder is another judge's.
        BadInput: there are too few questions, or an aspect has nothing left to learn from.
    """
    plan.head.check()
    parts = split(built.examples, plan)
    blank = describe(built, plan, parts)
    try:
        private_folder(folder)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be created: {error.strerror}; name another folder with -o"
        ) from error
    lock = Lock(folder, watch.notify)
    try:
        begin(folder, settings_of(blank))
        tuned = read_tuned(folder) if (folder / NAME).is_file() else None
        if tuned is None or (compare_base and tuned.base_held_out is None):
            tuned = tuned or _made(blank, plan, parts, folder, watch)
            if compare_base:
                tuned = _with_base(tuned, plan, parts, watch)
            write_whole(folder / "README.md", card(tuned), otherwise="name another folder with -o")
            write_tuned(folder, tuned)
        clean_up(folder)
    finally:
        lock.release()
    return tuned


def _made(blank: TunedJudge, plan: JudgePlan, parts: Parts, folder: Path, watch: MakingWatch) -> TunedJudge:
    watch.loading(plan.learning.base)
    trained = plan.head.train(TrainingJob(parts.inside, blank.aspects, plan.learning, folder, watch))
    judge = plan.head.judge(folder, blank.aspects, trained)
    write_questions(folder, questions_of(parts))
    found = asyncio.run(_measured(judge, f"this judge ({plan.name})", blank, parts, watch))
    return replace(blank, held_out=found, network=trained.network, notes=(*blank.notes, *trained.notes))


def _with_base(tuned: TunedJudge, plan: JudgePlan, parts: Parts, watch: MakingWatch) -> TunedJudge:
    """Add the figures of the untrained base."""
    base = plan.head.base_judge(plan.learning)
    if base is None:
        watch.notify("the untrained base cannot grade, so there is no comparison")
        return tuned
    return replace(tuned, base_held_out=asyncio.run(_measured(base, "the base, before", tuned, parts, watch)))


async def _measured(judge: Judge, name: str, tuned: TunedJudge, parts: Parts, watch: MakingWatch) -> HeldOut:
    outside, done = parts.outside, count(1)
    watch.loading(name)
    means = {one.name: one.mean for one in tuned.aspects}
    try:
        return await held_out(
            judge,
            outside,
            name=name,
            means=means,
            weights=parts.weights,
            seed=tuned.options["seed"],
            step=lambda: watch.graded(name, next(done), len(outside)),
        )
    finally:
        await judge.close()
