"""A judge of one's own from beginning to end: split by question, learn, measure, and only then say that it is done."""

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
from saiten.judges.own import NAME, OwnAspect, OwnJudge, prompts_digest, read_own, write_own
from saiten.judges.own_figures import HeldOut
from saiten.judges.own_questions import OwnQuestion, answer_digest, write_questions
from saiten.metrics.rubrics import Rubric, Weights
from saiten.models.networks import fingerprint
from saiten.protocols import Judge
from saiten.tuning.judge.building import Built
from saiten.tuning.judge.examples import Example
from saiten.tuning.judge.head import Head, Learning, Trained, Watch
from saiten.tuning.judge.held_out import held_out
from saiten.tuning.judge.mate_scores import mate_weights
from saiten.tuning.judge.peek import begin, clean_up
from saiten.tuning.splitting import held_out_questions

CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be made; another plan is another judge."""

    name: HeadName
    head: Head
    learning: Learning
    share: float
    """Of the questions, held out."""
    rubric: Rubric


class MakingWatch(Watch, Protocol):
    """Is told how far it is."""

    def loading(self, what: str) -> None:
        """Before a network is loaded, which takes seconds to minutes; whatever is told next ends it."""
        ...

    def graded(self, judge: str, done: int, total: int) -> None:
        """After each held-out answer: which judge graded it, and how far that is."""
        ...


def make_judge(
    built: Built,
    plan: Plan,
    folder: Path,
    watch: MakingWatch,
    *,
    card: Callable[[OwnJudge], str],
    compare_base: bool = False,
) -> OwnJudge:
    """The judge in the folder: made now, gone on with from where it was cut off, or the one that is finished there.

    `saiten-judge.json` is written last; until then nobody takes the folder for a judge.

    Args:
        built: the examples.
        plan: what becomes of them.
        folder: made if need be; refused if it holds something else.
        watch: is told how far it is.
        card: the text of its README.md.
        compare_base: whether the base is measured too, as it was before.

    Raises:
        ConfigurationError: something is set up wrongly, or the folder is another judge's.
        BadInput: there are too few questions, or an aspect has nothing left to learn from.
    """
    plan.head.check()
    parts = _split(built.examples, plan)
    aspects = _aspects(built, parts.inside)
    blank = _blank(built, plan, aspects)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made: {error.strerror}; name another folder with -o") from error
    lock = Lock(folder, watch.tell)
    try:
        begin(folder, _settings(blank))
        own = read_own(folder) if (folder / NAME).is_file() else None
        if own is None or (compare_base and own.base_held_out is None):
            own = own or _made(blank, plan, parts, folder, watch)
            if compare_base:
                own = _with_base(own, plan, parts, watch)
            write_whole(folder / CARD, card(own), otherwise="name another folder with -o")
            write_own(folder, own)
        clean_up(folder)
    finally:
        lock.release()
    return own


@dataclass(frozen=True, slots=True)
class _Parts:
    """The examples in two, no question on both sides."""

    inside: Sequence[Example]
    """Learned from."""
    outside: Sequence[Example]
    """Held out."""
    weights: Mapping[str, Weights]
    """How aspects make up an overall grade."""


def _split(examples: Sequence[Example], plan: Plan) -> _Parts:
    apart = held_out_questions({one.question for one in examples}, plan.learning.seed, plan.share)
    inside = [one for one in examples if one.question not in apart]
    outside = [one for one in examples if one.question in apart]
    return _Parts(inside, outside, mate_weights(inside, plan.rubric))


def _aspects(built: Built, inside: Sequence[Example]) -> tuple[OwnAspect, ...]:
    found = []
    for one in built.asked:
        values = [example.value for example in inside if example.aspect == one.aspect]
        if not values:
            raise BadInput(
                f"no answer graded on {one.aspect!r} is left to learn from once questions are held out; grade more, or "
                "leave it out (--aspect for the others)"
            )
        # grade 0 of graded correctness declines, so no mean holds it
        grades = [example.value for example in inside if example.aspect == one.aspect and not example.declines]
        found.append(OwnAspect(one.aspect, one.prompt, one.values, fmean(grades or values)))
    return tuple(found)


def _blank(built: Built, plan: Plan, aspects: Sequence[OwnAspect]) -> OwnJudge:
    """All that is known before anything was learned."""
    learning = plan.learning
    options = {key: value for key, value in asdict(learning).items() if key != "base"} | {"held_out": plan.share}
    local = Path(learning.base).expanduser()
    questions = {one.question for one in built.examples}
    rated = any(one.task == "rate_aspect" for one in aspects)
    return OwnJudge(
        plan.name,
        str(local.resolve()) if local.is_dir() else learning.base,
        fingerprint(str(local)),
        tuple(aspects),
        f"{plan.rubric.name}:{plan.rubric.digest}" if rated else "",
        prompts_digest(aspects) if plan.name == "chat" else "",
        built.fingerprint,
        built.annotators,
        len({one.item for one in built.examples}),
        len(questions),
        len(held_out_questions(questions, learning.seed, plan.share)),
        options,
        HeldOut("", ()),
        notes=_notes(built, aspects),
    )


def _notes(built: Built, aspects: Sequence[OwnAspect]) -> tuple[str, ...]:
    left_out = [f"left out {n} grades: {reason}" for reason, n in built.left_out.items()]
    alike = [
        f"all grades of {one.name} are {one.mean:g}, so there is nothing to tell apart"
        for one in aspects
        if len({example.value for example in built.examples if example.aspect == one.name}) == 1
    ]
    return (*left_out, *alike)


def _settings(blank: OwnJudge) -> Mapping[str, Any]:
    """What must be the same for a run to go on."""
    kept = ("head", "base", "base_fingerprint", "rubric", "prompts", "labels", "options")
    return {name: getattr(blank, name) for name in kept} | {"aspects": [one.name for one in blank.aspects]}


def _made(blank: OwnJudge, plan: Plan, parts: _Parts, folder: Path, watch: MakingWatch) -> OwnJudge:
    watch.loading(plan.learning.base)
    trained: Trained = plan.head.train(parts.inside, blank.aspects, plan.learning, folder, watch)
    judge = plan.head.judge(folder, blank.aspects, trained)
    write_questions(folder, _questions(parts))
    found = asyncio.run(_measured(judge, f"this judge ({plan.name})", blank, parts, watch))
    return replace(blank, held_out=found, network=trained.network, notes=(*blank.notes, *trained.notes))


def _with_base(own: OwnJudge, plan: Plan, parts: _Parts, watch: MakingWatch) -> OwnJudge:
    """With what the base was worth before it learned."""
    base = plan.head.base_judge(plan.learning)
    if base is None:
        watch.tell("the base grades nothing before it has learned, so there is nothing to compare with")
        return own
    return replace(own, base_held_out=asyncio.run(_measured(base, "the base, before", own, parts, watch)))


def _questions(parts: _Parts) -> Iterator[OwnQuestion]:
    """Every question with its answers, sorted."""
    for apart, examples in ((False, parts.inside), (True, parts.outside)):
        by_question = sorted(examples, key=lambda one: (one.question, one.item))
        for question, found in groupby(by_question, key=lambda one: one.question):
            answers = {one.item: answer_digest(one.task) for one in found}
            yield OwnQuestion(question, apart, tuple(answers), tuple(answers.values()))


async def _measured(judge: Judge, name: str, own: OwnJudge, parts: _Parts, watch: MakingWatch) -> HeldOut:
    outside = parts.outside
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        watch.graded(name, done, len(outside))

    watch.loading(name)
    means = {one.name: one.mean for one in own.aspects}
    try:
        return await held_out(
            judge, outside, name=name, means=means, weights=parts.weights, seed=own.options["seed"], step=step
        )
    finally:
        await judge.close()
