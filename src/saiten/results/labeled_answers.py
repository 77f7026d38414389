"""The text that a label is about: an id alone may stand for the answers of several runs."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from saiten.errors import BadInput
from saiten.records import Label, Sample

_DIGITS = 16


def answer_digest(sample: Sample) -> str:
    """Return 16 hexadecimal digits of the id, the conversation, the question and the answer; "" without an answer.

    Equal for the same answer in any run or report; another text under the same id has another digest.
    """
    if sample.answer is None:
        return ""
    said = [sample.id, [(turn.question, turn.answer) for turn in sample.history], sample.question, sample.answer]
    return sha256(json.dumps(said).encode()).hexdigest()[:_DIGITS]  # in ASCII, so that unpaired surrogates have one


def of_these_answers(labels: Iterable[Label], digests: Mapping[str, str]) -> tuple[list[Label], list[Label]]:
    """Return the labels that may be of these answers, and those of another text under the same id.

    `digests`: id → `answer_digest`. A label without a digest, or of an unknown id, may be of these answers.

    Raises:
        BadInput: All labels are of other texts.
    """
    kept, others = list[Label](), list[Label]()
    for label in labels:
        another = label.answer_digest and digests.get(label.item, label.answer_digest) != label.answer_digest
        (others if another else kept).append(label)
    if others and not kept:
        raise BadInput(
            f"none of the {len(others)} labels is of an answer here: they were given to other answers under the same "
            f"ids, for example {others[0].item!r}; name the run whose answers were graded"
        )
    return kept, others


def noting_others(labels: Iterable[Label], digests: Mapping[str, str], notify: Callable[[str], None]) -> list[Label]:
    """Return the labels that may be of these answers, and report how many are not; raise like `of_these_answers`."""
    kept, others = of_these_answers(labels, digests)
    if others:
        of = len(kept) + len(others)
        notify(f"{len(others)} of {of} labels were given to other answers under the same ids and are left out")
    return kept


def each_text_apart(labels: Sequence[Label]) -> tuple[Sequence[Label], Mapping[str, str]]:
    """Return the labels, with items of several texts named apart, and new name → item.

    Grades of two answers under one id are no grades of the same thing: `q1 · 0123456789abcdef`.
    """
    texts = defaultdict[str, set[str]](set)
    for label in labels:
        if label.answer_digest:
            texts[label.item].add(label.answer_digest)
    several = {item for item, digests in texts.items() if len(digests) > 1}
    if not several:
        return labels, {}
    names = dict[str, str]()
    apart = list[Label]()
    for label in labels:
        if label.item in several and label.answer_digest:
            name = f"{label.item} · {label.answer_digest}"
            names[name] = label.item
            apart.append(replace(label, item=name))
        else:
            apart.append(label)
    return apart, names
