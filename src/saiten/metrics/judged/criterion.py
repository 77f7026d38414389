"""Criterion: the judge's grade of the answer on a criterion in the user's words.

The scale is the user's, by default 1 (the answer does not meet the criterion at all) to 5 (it meets it fully); the
highest grade is the best unless `best` says otherwise.
Source: none; the rating is that of `aspects`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.metrics.judged.aspects import Given, RatingMetric, file_in
from saiten.metrics.rubrics import Aspect, digest_of, read_rubric
from saiten.metrics.rubrics.criteria import criterion_of, read_criterion
from saiten.metrics.rubrics.scales import DEFAULT, WrittenScale, read_scale
from saiten.protocols import Judge
from saiten.records import Sample, Score

_TEXT = ".txt"


@dataclass(frozen=True)
class Criterion(RatingMetric):
    """The grade on one criterion, the mean over a panel's votes; the judge sees the question and the answer.

    `criterion[polite and brief]` grades from 1 to 5; a second value sets another scale: `criterion[…, 0-10]`,
    `criterion[…, yes/no]`. `best=1` if low grades are good, `grades="1: rude; 5: polite"` for the meanings of grades.
    `criterion[FILE.txt]` reads the criterion from a file, with lines such as `5: polite throughout`;
    `criterion[FILE.toml]` from a rubric with one aspect. `given=contexts` or `given=reference` shows the judge
    these, too.

    A blank answer is undefined without a call: there is nothing to rate.
    """

    title = "criterion"
    bounds = (1.0, 5.0)
    main = "criterion"
    second = "scale"

    criterion: str
    """What the answer should be, in any language; or a file: `.txt` with the criterion, `.toml` with one aspect."""
    scale: str = ""
    """`1 to 5` (the default), `0-10`, `1〜5`, `yes/no`."""
    best: int | None = None
    """The best grade; by default the highest."""
    grades: str = ""
    """Meanings of grades: `1: rude; 5: polite`. By default only the ends of the scale have one."""

    given: Given = "nothing"
    """What the judge is shown besides question and answer: nothing, the `contexts`, or the `reference`."""

    def __post_init__(self) -> None:
        """Read scale and file at once rather than at the first sample."""
        super().__post_init__()
        typed = self._typed_scale
        self.declare(scale="" if typed is None or (typed == DEFAULT and self.file is None) else str(typed))
        self.declare(bounds=self.aspect.bounds, higher_is_better=self.aspect.higher_is_better)

    @property
    def file(self) -> Path | None:
        """The file of the criterion; None if it is given in words."""
        return file_in(self.criterion)

    @property
    def _typed_scale(self) -> WrittenScale | None:
        try:
            return read_scale(self.scale) if self.scale.strip() else None
        except ValueError as error:
            raise ConfigurationError(f"{self.title}: {error}") from error

    @cached_property
    def aspect(self) -> Aspect:
        """The criterion with its scale, as the judge sees it."""
        if self.file is None or self.file.suffix.lower() == _TEXT:
            return self._worded()
        settings = [name for name in ("scale", "best", "grades") if getattr(self, name) not in {"", None}]
        if settings:
            raise ConfigurationError(f"{self.title}: {self.file} sets the grades; leave out {' and '.join(settings)}")
        rubric = read_rubric(str(self.file))
        if len(rubric.aspects) > 1:
            raise ConfigurationError(
                f"{self.file} has {len(rubric.aspects)} aspects ({', '.join(rubric.names)}), and a criterion is one; "
                f"-m 'aspects[rubric={self.file}]' scores all of them"
            )
        return rubric.aspects[0]

    def _worded(self) -> Aspect:
        try:
            if self.file is None:
                found = criterion_of(self.criterion, self._typed_scale, self.best, self.grades)
                return found.aspect(self.title)
            if self.grades:
                raise ConfigurationError(f"{self.title}: write the meanings of the grades into {self.file}")
            return read_criterion(self.file, self._typed_scale, self.best).aspect(self.file.stem)
        except ValueError as error:
            raise ConfigurationError(f"{self.title}: {error}") from error

    def describe(self) -> Mapping[str, str]:
        digest = digest_of(asdict(self.aspect))
        if self.file is None:
            return {"criterion": digest}
        better = {True: "higher", False: "lower", None: "neither"}[self.higher_is_better]
        return {"criterion": f"{self.file.name}:{digest}", "better": better}  # results are also read without the file

    async def score(self, sample: Sample, judge: Judge) -> Score:
        return await self.rated(self.aspect, sample, judge)
