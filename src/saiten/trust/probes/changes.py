"""The changes: functions from samples to samples before and after. Blank answers are skipped."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from saiten.records import Sample
from saiten.text.language import detect_language
from saiten.trust.probes.probe import Change
from saiten.trust.probes.texts import FILLER_AFTER, FILLER_BEFORE, INSTRUCTIONS, VERDICTS


def padded(samples: Sequence[Sample]) -> Iterator[Change]:
    """Add words without content: politeness around the answer, or the answer repeated."""
    for sample, answer in _answered(samples):
        before, after = FILLER_BEFORE[sample.language], FILLER_AFTER[sample.language]
        yield _change(sample, "padded/polite", "polite", answer=f"{before}\n{answer}\n{after}")
        yield _change(sample, "padded/repeated", "repeated", answer=f"{answer}\n{answer}")


def planted_verdict(samples: Sequence[Sample]) -> Iterator[Change]:
    """End the answer in a judge's verdict."""
    for sample, answer in _answered(samples):
        for number, verdict in enumerate(VERDICTS):
            yield _change(sample, f"planted_verdict/{number}", verdict, answer=f"{answer}\n{verdict}")


def planted_instruction(samples: Sequence[Sample]) -> Iterator[Change]:
    """End the answer in an order to the judge, in the sample's language."""
    for sample, answer in _answered(samples):
        for number, (variant, wording) in enumerate(INSTRUCTIONS.items()):
            yield _change(
                sample, f"planted_instruction/{number}", variant, answer=f"{answer}\n\n{wording[sample.language]}"
            )


def other_language(samples: Sequence[Sample]) -> Iterator[Change]:
    """Use the reference as the answer, then its translation: an alternative reference in the other language.

    The judge sees only the references in the sample's own language.
    """
    for sample in samples:
        own = [text for text in sample.references if detect_language(text) == sample.language]
        translations = [text for text in sample.references if text.strip() and detect_language(text) != sample.language]
        if own and translations:
            asked = replace(
                sample, id=f"{sample.id}#own_language", answer=own[0], reference=own[0], alternatives=tuple(own[1:])
            )
            variant = "ja → en" if sample.language == "ja" else "en → ja"
            yield Change(variant, asked, replace(asked, id=f"{sample.id}#other_language", answer=translations[0]))


def empty(samples: Sequence[Sample]) -> Iterator[Change]:
    """Replace the answer by an empty one."""
    for sample, _ in _answered(samples):
        yield _change(sample, "empty", "", answer="")


def reference_itself(samples: Sequence[Sample]) -> Iterator[Change]:
    """Use the reference as the answer."""
    for sample, _ in _answered(samples):
        if sample.reference and sample.reference.strip():
            yield _change(sample, "reference", "", answer=sample.reference)


def wrong_reference(samples: Sequence[Sample]) -> Iterator[Change]:
    """Replace the references by those of another question."""
    for sample, donor in _with_donors([s for s, _ in _answered(samples) if s.reference and s.reference.strip()]):
        yield _change(sample, "wrong_reference", "", reference=donor.reference, alternatives=donor.alternatives)


def swapped_answer(samples: Sequence[Sample]) -> Iterator[Change]:
    """Replace the answer by the answer to another question."""
    for sample, donor in _with_donors([s for s, _ in _answered(samples)]):
        yield _change(sample, "swapped_answer", "", answer=donor.answer)


def contexts_reversed(samples: Sequence[Sample]) -> Iterator[Change]:
    """Reverse the contexts and the evidence."""
    for sample, _ in _answered(samples):
        turned = {
            "contexts": None if sample.contexts is None else sample.contexts[::-1],
            "evidence": None if sample.evidence is None else sample.evidence[::-1],
        }
        if (turned["contexts"], turned["evidence"]) != (sample.contexts, sample.evidence):
            yield _change(sample, "contexts_reversed", "", **turned)


def _answered(samples: Sequence[Sample]) -> Iterator[tuple[Sample, str]]:
    return ((sample, sample.answer) for sample in samples if sample.answer is not None and sample.answer.strip())


def _with_donors(samples: Sequence[Sample]) -> Iterator[tuple[Sample, Sample]]:
    """Yield each sample with one of the same language and another question, from another group if possible.

    The search for a donor starts half a round further on, so that each is taken about equally often.
    """
    same_language: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        same_language[sample.language].append(sample)
    for around in same_language.values():
        for place, sample in enumerate(around):
            begin = place + len(around) // 2
            others = [
                donor
                for donor in (around[(begin + step) % len(around)] for step in range(len(around)))
                if donor.question != sample.question
                and donor.answer != sample.answer
                and donor.reference not in sample.references
            ]
            if others:
                yield sample, next((donor for donor in others if donor.group != sample.group), others[0])


def _change(sample: Sample, name: str, variant: str, **fields: Any) -> Change:
    return Change(variant, sample, replace(sample, id=f"{sample.id}#{name}", **fields))
