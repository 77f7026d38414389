"""Making a tuned judge: split by question, train, measure, and only then mark it as finished."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from saiten.choices import HeadName
from saiten.durable.lock import Lock
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.judges.tuned import (
    NAME,
    HeldOut,
    TunedAspect,
    TunedJudge,
    TunedQuestion,
    answer_digest,
    prompts_digest,
    read_tuned,
    write_questions,
    write_tuned,
)
from saiten.metrics.rubrics import Rubric
from saiten.metrics.rubrics.weights import Weights
from saiten.models.networks import fingerprint
from saiten.protocols import Judge
from saiten.tuning.judge.examples import Built, GradedExample
from saiten.tuning.judge.head import Head, Learning, TrainingJob, TrainingWatch
from saiten.tuning.judge.held_out import held_out, mate_weights
from saiten.tuning.judge.judge_folder import begin, clean_up
from saiten.tuning.judge.lora import ChatHead
from saiten.tuning.judge.regression import RegressionHead
from saiten.tuning.splitting import held_out_questions

CARD = "README.md"

HEADS: Mapping[HeadName, Callable[[], Head]] = {"chat": ChatHead, "regression": RegressionHead}
"""The kinds of networks, by name."""


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The judge to make; another plan makes another judge."""

    name: HeadName
    head: Head
    learning: Learning
    share: float
    """Share of questions to hold out."""
    rubric: Rubric


class MakingWatch(TrainingWatch, Protocol):
    """Receives progress."""

    def loading(self, what: str) -> None:
        """Report that a network is being loaded, which takes seconds to minutes; the next report ends this."""
        ...

    def graded(self, judge: str, done: int, total: int) -> None:
        """Report a graded held-out answer: the judge, and its progress."""
        ...


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
    parts = _split(built.examples, plan)
    blank = _blank(built, plan, parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be created: {error.strerror}; name another folder with -o"
        ) from error
    lock = Lock(folder, watch.notify)
    try:
        begin(folder, _settings(blank))
        tuned = read_tuned(folder) if (folder / NAME).is_file() else None
        if tuned is None or (compare_base and tuned.base_held_out is None):
            tuned = tuned or _made(blank, plan, parts, folder, watch)
            if compare_base:
                tuned = _with_base(tuned, plan, parts, watch)
            write_whole(folder / CARD, card(tuned), otherwise="name another folder with -o")
            write_tuned(folder, tuned)
        clean_up(folder)
    finally:
        lock.release()
    return tuned


@dataclass(frozen=True, slots=True)
class _Parts:
    """The examples in two parts, with no question in both."""

    inside: Sequence[GradedExample]
    """For training."""
    outside: Sequence[GradedExample]
    """Held out."""
    weights: Mapping[str, Weights]
    """The weights of aspects in an overall grade."""


def _split(examples: Sequence[GradedExample], plan: JudgePlan) -> _Parts:
    apart = held_out_questions({one.question for one in examples}, plan.learning.seed, plan.share)
    inside = [one for one in examples if one.question not in apart]
    outside = [one for one in examples if one.question in apart]
    return _Parts(inside, outside, mate_weights(inside, plan.rubric))


def _aspects(built: Built, inside: Sequence[GradedExample]) -> tuple[TunedAspect, ...]:
    found = []
    for one in built.tasks:
        learned = [example for example in inside if example.aspect == one.aspect]
        if not learned:
            raise BadInput(
                f"no answer graded on {one.aspect!r} is left to learn from once questions are held out; grade more, or "
                "leave it out (--aspect for the others)"
            )
        # grade 0 of graded correctness means declined, and is in no mean
        grades = [example.value for example in learned if not example.declines] or [0.0]
        found.append(TunedAspect(one.aspect, one.prompt, one.values, fmean(grades)))
    return tuple(found)


def _blank(built: Built, plan: JudgePlan, parts: _Parts) -> TunedJudge:
    """Describe the judge as far as known before training."""
    learning, aspects = plan.learning, _aspects(built, parts.inside)
    options = {key: value for key, value in asdict(learning).items() if key != "base"} | {"held_out": plan.share}
    local = Path(learning.base).expanduser()
    rated = any(one.task == "rate_aspect" for one in aspects)
    return TunedJudge(
        plan.name,
        str(local.resolve()) if local.is_dir() else learning.base,
        fingerprint(str(local)),
        aspects,
        f"{plan.rubric.name}:{plan.rubric.digest}" if rated else "",
        prompts_digest(aspects) if plan.name == "chat" else "",
        built.fingerprint,
        built.annotators,
        len({one.item for one in built.examples}),
        len({one.question for one in built.examples}),
        len({one.question for one in parts.outside}),
        options,
        HeldOut("", ()),
        notes=_notes(built, aspects),
    )


def _notes(built: Built, aspects: Sequence[TunedAspect]) -> tuple[str, ...]:
    left_out = [f"left out {n} grades: {reason}" for reason, n in built.left_out.items()]
    alike = [
        f"all grades of {one.name} are {one.mean:g}, so there is nothing to tell apart"
        for one in aspects
        if len({example.value for example in built.examples if example.aspect == one.name}) == 1
    ]
    return (*left_out, *alike)


def _settings(blank: TunedJudge) -> Mapping[str, Any]:
    """Return the settings that must be equal for a run to be resumed."""
    kept = ("head", "base", "base_fingerprint", "rubric", "prompts", "labels", "options")
    return {name: getattr(blank, name) for name in kept} | {"aspects": [one.name for one in blank.aspects]}


def _made(blank: TunedJudge, plan: JudgePlan, parts: _Parts, folder: Path, watch: MakingWatch) -> TunedJudge:
    watch.loading(plan.learning.base)
    trained = plan.head.train(TrainingJob(parts.inside, blank.aspects, plan.learning, folder, watch))
    judge = plan.head.judge(folder, blank.aspects, trained)
    write_questions(folder, _questions(parts))
    found = asyncio.run(_measured(judge, f"this judge ({plan.name})", blank, parts, watch))
    return replace(blank, held_out=found, network=trained.network, notes=(*blank.notes, *trained.notes))


def _with_base(tuned: TunedJudge, plan: JudgePlan, parts: _Parts, watch: MakingWatch) -> TunedJudge:
    """Add the figures of the untrained base."""
    base = plan.head.base_judge(plan.learning)
    if base is None:
        watch.notify("the untrained base cannot grade, so there is no comparison")
        return tuned
    return replace(tuned, base_held_out=asyncio.run(_measured(base, "the base, before", tuned, parts, watch)))


def _questions(parts: _Parts) -> Iterator[TunedQuestion]:
    """Yield every question with its answers, sorted."""
    for apart, examples in ((False, parts.inside), (True, parts.outside)):
        by_question = sorted(examples, key=lambda one: (one.question, one.item))
        for question, found in groupby(by_question, key=lambda one: one.question):
            answers = {one.item: answer_digest(one.task) for one in found}
            yield TunedQuestion(question, apart, tuple(answers), tuple(answers.values()))


async def _measured(judge: Judge, name: str, tuned: TunedJudge, parts: _Parts, watch: MakingWatch) -> HeldOut:
    outside = parts.outside
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        watch.graded(name, done, len(outside))

    watch.loading(name)
    means = {one.name: one.mean for one in tuned.aspects}
    try:
        return await held_out(
            judge, outside, name=name, means=means, weights=parts.weights, seed=tuned.options["seed"], step=step
        )
    finally:
        await judge.close()
