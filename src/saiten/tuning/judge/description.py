"""The description of a judge before training, and the settings that must not change when it is resumed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from saiten.errors import BadInput
from saiten.judges.held_out import HeldOut
from saiten.judges.tuned import TunedAspect, TunedJudge, prompts_digest
from saiten.models.networks import fingerprint
from saiten.tuning.judge.examples import Built
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.judge_plan import JudgePlan, Parts


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


def describe(built: Built, plan: JudgePlan, parts: Parts) -> TunedJudge:
    """Describe the judge; what training adds is empty."""
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
        prompts_digest(aspects, plan.prompts) if plan.name == "chat" else "",
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
        f"all grades of {one.name} are {one.mean:g}, so there is nothing to distinguish"
        for one in aspects
        if len({example.value for example in built.examples if example.aspect == one.name}) == 1
    ]
    return (*left_out, *alike)


def settings_of(blank: TunedJudge) -> Mapping[str, Any]:
    """Return the settings that must be equal for a run to be resumed."""
    kept = ("head", "base", "base_fingerprint", "rubric", "prompts", "labels", "options")
    return {name: getattr(blank, name) for name in kept} | {"aspects": [one.name for one in blank.aspects]}
