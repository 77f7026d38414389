"""The labels that count, where several people graded an answer."""

from collections.abc import Iterable

from saiten.records import Label

Settled = dict[str, dict[str, tuple[Label, ...]]]
"""By aspect, then by item."""


def settled(labels: Iterable[Label]) -> Settled:
    """Return the labels that count, by aspect and item, ascending; marked spans and categories are not grades.

    If any label of an answer is adjudicated, only the adjudicated ones count.
    """
    plain: dict[str, dict[str, list[Label]]] = {}
    decided: dict[str, dict[str, list[Label]]] = {}
    for label in labels:
        if label.spans is None and not label.category:
            kind = decided if label.adjudicated else plain
            kind.setdefault(label.aspect, {}).setdefault(label.item, []).append(label)
    for aspect, items in decided.items():
        plain.setdefault(aspect, {}).update(items)

    def order(label: Label) -> tuple[float, str, str]:
        return label.value, label.annotator, label.reason

    # sorted, so that the order of rows does not change the last bit of a mean
    return {aspect: {item: tuple(sorted(v, key=order)) for item, v in items.items()} for aspect, items in plain.items()}
