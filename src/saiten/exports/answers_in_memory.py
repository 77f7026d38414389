"""The answers of a result of `saiten.evaluate` that is not on disk."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields

import numpy as np

from saiten.data.feedback.graded import Graded
from saiten.records import Sample, Score, Scored
from saiten.results.worst_first import Values


class AnswersInMemory:
    """Samples and their scores, as `exports.export.Answers`."""

    def __init__(self, samples: Sequence[Sample], scores: Sequence[Scored], metrics: Iterable[str]) -> None:
        """Arrange the scores by sample; of several for a sample and a metric, the last one counts."""
        self._samples = samples
        self._scores: dict[str, dict[str, Score]] = {sample.id: {} for sample in samples}
        by_metric: dict[str, None] = dict.fromkeys(metrics)
        for one in scores:
            if one.sample in self._scores:
                self._scores[one.sample][one.metric] = one.score
                by_metric[one.metric] = None
        self.metrics = tuple(by_metric)
        self.expected = {one.metric for one in scores if one.score.expected is not None}
        names = [field.name for field in fields(Sample)]
        self.fields = {name for name in names if any(getattr(each, name) not in (None, "", ()) for each in samples)}
        self.japanese = sum(sample.language == "ja" for sample in samples)
        self.missing = len(samples) * len(self.metrics) - sum(map(len, self._scores.values()))
        self.values: Values = {metric: np.array([*map(self._value_of(metric), samples)]) for metric in self.metrics}

    def __len__(self) -> int:
        return len(self._samples)

    def read(self, rows: Iterable[int]) -> Iterator[Graded]:
        """Yield the answers in these places, with their scores in the order of the metrics."""
        for row in rows:
            sample = self._samples[row]
            there = self._scores[sample.id]
            yield sample, {metric: there[metric] for metric in self.metrics if metric in there}

    def _value_of(self, metric: str) -> Callable[[Sample], float]:
        def value(sample: Sample) -> float:
            score = self._scores[sample.id].get(metric)
            return math.nan if score is None or score.value is None else score.value

        return value
