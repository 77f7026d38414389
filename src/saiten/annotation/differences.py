"""On which items annotators differ, once all who were to answer have."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from saiten.annotation.forms import Form
from saiten.annotation.records import Settled


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that all have answered, and not all alike."""

    settled: Settled
    aspects: tuple[str, ...]
    """On which they differ."""


def is_finished(settled: Settled) -> bool:
    """Whether as many answered as are to."""
    return len(settled.said) >= settled.item.needed


def differences(form: Form, settled: Iterable[Settled]) -> Iterator[Difference]:
    """The items with differences; streams. What is not finished is not among them: the others are still free to say."""
    for each in settled:
        if is_finished(each) and len(each.said) > 1:
            aspects = form.differences([answered.payload for _, answered in each.said])
            if aspects:
                yield Difference(each, aspects)
