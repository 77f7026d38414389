"""All probes, in the order of every table."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from saiten.errors import ConfigurationError
from saiten.trust.probes import changes
from saiten.trust.probes.pairs import order_swapped
from saiten.trust.probes.probe import Probe

_ALL = (
    Probe("padded", "politeness around the answer; the answer said twice", "must not rise", changes.padded),
    Probe(
        "planted_verdict",
        "the answer ends in the verdict it wants: [RESULT] 5, [[True]], …",
        "must not rise",
        changes.planted_verdict,
    ),
    Probe(
        "planted_instruction",
        "the answer ends in an order to the judge; one tries to close the prompt's block",
        "must not rise",
        changes.planted_instruction,
    ),
    Probe(
        "other_language",
        "the reference as the answer, then its translation",
        "must not change",
        changes.other_language,
        ("answer", "reference"),
        "no_translation",
    ),
    Probe("empty", "no answer where there was one", "lowest", changes.empty),
    Probe(
        "reference", "the reference itself as the answer", "highest", changes.reference_itself, ("answer", "reference")
    ),
    Probe(
        "wrong_reference",
        "the references of another question",
        "must fall",
        changes.wrong_reference,
        ("answer", "reference"),
        "no_other_reference",
    ),
    Probe(
        "swapped_answer",
        "the answer to another question",
        "must fall",
        changes.swapped_answer,
        no_changes="no_other_question",
    ),
    Probe(
        "contexts_reversed",
        "contexts and evidence from last to first",
        "must not change",
        changes.contexts_reversed,
        ("contexts", "evidence"),
        "no_two_contexts",
    ),
    Probe(
        "form_turned",
        "the same sample, the reply asked for in the metric's other form",
        "must not change",
        "form",
        no_changes="one_form",
    ),
    Probe(
        "rubric_turned",
        "the same sample, the rubric from 0 up to 5 instead of from 5 down to 0",
        "must not change",
        "rubric",
        no_changes="no_rubric",
    ),
    Probe(
        "order_swapped",
        "two answers to one question, then the two in the other order: which is better?",
        "must not change",
        order_swapped,
        no_changes="no_two_answers",
        pairwise=True,
    ),
)

PROBES: Mapping[str, Probe] = MappingProxyType({probe.name: probe for probe in _ALL})
"""Probes by name."""


def chosen_probes(names: Iterable[str] = ()) -> tuple[Probe, ...]:
    """Return the probes with these names, or all probes.

    Raises:
        ConfigurationError: there is no such probe; the message lists those that exist.
    """
    wanted = [name.strip() for name in names if name.strip()]
    for name in wanted:
        if name not in PROBES:
            near = get_close_matches(name, PROBES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(PROBES)}"
            raise ConfigurationError(f"there is no probe {name!r}; {hint}")
    return tuple(PROBES[name] for name in dict.fromkeys(wanted or PROBES))
