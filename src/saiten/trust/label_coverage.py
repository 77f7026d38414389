"""Counts how much of a data set people have labeled, in one pass over the samples.

Only the ids that labels name are kept of the samples, so memory grows with the labels alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from saiten.data.rows import BadRow
from saiten.records import Label, Sample
from saiten.results.label_coverage import AspectCoverage, LabelCoverage, LabelKind
from saiten.results.labeled_answers import answer_digest
from saiten.results.origin import Unpaired
from saiten.trust.inputs.outputs import VERSUS, splits
from saiten.trust.inputs.pairing import halves

Row = TypeVar("Row", bound=Sample | BadRow)


@dataclass(slots=True)
class LabeledItems:
    """The labels, and which of their items are in the data. Not frozen: it notes the samples that pass."""

    name: str
    labels: Sequence[Label]
    samples: int = 0
    found: dict[str, set[str]] = field(default_factory=dict)
    """Id that a label names → the digests of the answers with this id."""
    in_several: set[str] = field(default_factory=set)
    """Those among them that occur in several data sets."""
    _named: set[str] = field(default_factory=set)
    _passed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for item in {label.item for label in self.labels}:
            self._named.update((item, *(half for pair in splits(item) for half in pair)))

    def noting(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows of one data set, and note those that are labeled."""
        here = set[str]()
        for row in rows:
            if isinstance(row, Sample):
                self.samples += 1
                if row.id in self._named:
                    here.add(row.id)
                    self.found.setdefault(row.id, set()).add(answer_digest(row))
            yield row
        self.in_several |= here & self._passed
        self._passed |= here

    def coverage(self) -> LabelCoverage:
        """Return the coverage of the data that has passed."""
        by_aspect: dict[str, list[Label]] = {}
        others = 0
        for label in self.labels:
            texts = self.found.get(label.item)
            if label.answer_digest and texts is not None and label.answer_digest not in texts:
                others += 1
            else:
                by_aspect.setdefault(label.aspect, []).append(label)
        aspects = tuple(self._aspect(aspect, labels) for aspect, labels in by_aspect.items())
        return LabelCoverage(self.name, aspects, self.samples, others, Unpaired.of(self.in_several))

    def _aspect(self, aspect: str, labels: Sequence[Label]) -> AspectCoverage:
        covered, unknown = set[str](), set[str]()
        for item in {label.item for label in labels}:
            two = None if item in self.found else halves(item, self.found)
            if item in self.found:
                covered.add(item)
            elif two is not None:
                covered.update(two)
            else:
                unknown.add(item)
        given = [label for label in labels if not label.adjudicated]
        pairs = {(label.item, label.annotator) for label in given}
        values = Counter(label.category or label.value for label in labels)
        kinds = Counter(map(self._kind, labels))
        if kinds["grades"]:  # 0 and 1 are grades where others have a 2
            kinds["grades"] += kinds.pop("verdicts", 0)
        value, times = values.most_common(1)[0]
        return AspectCoverage(
            aspect=aspect,
            kinds=dict(kinds.most_common()),
            labels=len(labels),
            items=len(covered),
            annotators=len({label.annotator for label in given}),
            twice=sum(n > 1 for n in Counter(item for item, _ in pairs).values()),
            adjudicated=len(labels) - len(given),
            repeated=len(given) - len(pairs),
            unknown=Unpaired.of(unknown),
            most_frequent=value,
            share=times / len(labels),
        )

    def _kind(self, label: Label) -> LabelKind:
        if label.spans is not None:
            return "spans"
        if label.category:
            return "categories"
        if VERSUS in label.item and label.item not in self.found:
            return "preferences"
        return "verdicts" if label.value in {0.0, 1.0} else "grades"
