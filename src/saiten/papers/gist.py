"""The article on gist and supplement: what answers lack and add, as people mark it and as judges do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from saiten.data import usable_labels
from saiten.demo.files import write_rows
from saiten.demo.gist import gist_labels, load_gist
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.judged.gist_files import read_examples, units_of
from saiten.metrics.naming import write_name
from saiten.papers.design import DataNeed, DesignPlace, DesignStep
from saiten.papers.gist_tables import SideMarks, empties_table, example_tables, figure_tables, figures_tables
from saiten.records import Label, Sample
from saiten.redaction import redact
from saiten.runs import read_run, sample_to_json
from saiten.trust.spans.marks import CLASSES, COMBINATIONS, PeopleMarks, judges_of, people_of
from saiten.views.table import Table
from saiten.words import Composed, Message
from saiten.words.terminal import terminal_language


@dataclass(frozen=True)
class GistAndSupplement:
    """Units found by each judge, in references that it splits itself and in those that people split."""

    place: DesignPlace
    role: str = ""
    examples: Path | None = None
    annotator: str = ""
    """The only annotator who counts; empty: all of them."""
    sample: str = ""
    """The answer in figures 2 and 3; empty: the first that most sides marked."""
    ANSWERS: ClassVar = DataNeed("answers", "samples", ("question", "answer", "reference"))
    LABELS: ClassVar = DataNeed(
        "labels",
        "labels",
        (*CLASSES, *COMBINATIONS),
        of="answers",
        spans=True,
        parts=(Message("paper_gist", "part_people"),),
    )

    def needs(self) -> Sequence[DataNeed]:
        return (self.ANSWERS, self.LABELS)

    def write_samples(self) -> None:
        own = terminal_language()
        demo = sorted(load_gist(), key=lambda one: one.sample.language != own)  # the first ones are in the figures
        write_rows(self.place.data / "answers.jsonl", (sample_to_json(one.sample) for one in demo))
        write_rows(self.place.data / "labels.jsonl", map(asdict, gist_labels(demo)))

    def steps(self) -> Sequence[DesignStep]:
        """Return two commands per judge, the second only if people split the references.

        Raises:
            ConfigurationError: the file of examples cannot be used, or no label is by the annotator.
            BadInput: there is no such sample.
        """
        if self.examples is not None:
            read_examples(self.examples)
        if self.annotator and self._labels and self.annotator not in (names := {one.annotator for one in self._labels}):
            raise ConfigurationError(
                f"no label is by {self.annotator!r}; expected one of {', '.join(sorted(names))} for --annotator"
            )
        if self.sample and self.sample not in self._samples:
            raise BadInput(f"no answer has the id {self.sample!r}; --sample expects one such as {min(self._samples)!r}")
        return tuple(self._step(judge, given) for judge in self.place.judges for given in self._settings())

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        sides = [self._side(judge, given, notify) for judge in self.place.judges for given in (True, False)]
        people = self._people
        if people is None:
            sides = [side for side in sides if not side.given]
        if all(side.marks is None for side in sides) and people is None:
            return
        yield empties_table(people, sides)
        if people is not None:
            yield from figures_tables(people, sides, self._samples)
        yield from figure_tables(people, sides, self._samples, self.sample)
        if people is not None:
            yield from example_tables(people, sides, self._samples)

    def _settings(self) -> tuple[bool, ...]:
        return (False,) if self._not_given else (True, False)

    def _step(self, judge: str, given: bool) -> DesignStep:  # noqa: FBT001 - one of the two settings
        settings = {"role": self.role, "examples": "" if self.examples is None else str(self.examples)}
        if given:
            settings |= {"units": str(self.place.find(self.LABELS)), "annotator": self.annotator}
        metric = write_name("gist", {name: value for name, value in settings.items() if value})
        run = self._run(judge, given)
        answers = str(self.place.find(self.ANSWERS))
        return DesignStep(("score", answers, "-m", metric, "--judge", judge, "-o", str(run)), run)

    def _run(self, judge: str, given: bool) -> Path:  # noqa: FBT001 - one of the two settings
        return self.place.named(judge) / ("by-people" if given else "by-judge")

    def _side(self, judge: str, given: bool, notify: Callable[[str | Message], None]) -> SideMarks:  # noqa: FBT001 - as above
        name, run = redact(judge), self._run(judge, given)
        if given and self._not_given:
            return SideMarks(name, given, None, self._not_given)
        if not run.is_dir():
            return SideMarks(name, given, None, Message("paper_gist", "not_run"))
        try:
            (marks,) = judges_of(read_run(run, notify=notify).scores(), name).values()
        except BadInput as error:
            return SideMarks(name, given, None, Composed(str(error)))
        return SideMarks(name, given, marks)

    @cached_property
    def _labels(self) -> tuple[Label, ...]:
        """The labels of marked spans in the answers; none if the file cannot be used, as the check has said."""
        path = self.place.find(self.LABELS)
        if path is None:
            return ()
        try:
            rows = list(usable_labels(path, lambda _: None))
        except BadInput:
            return ()
        wanted = (*CLASSES, *COMBINATIONS)
        known = self._samples
        return tuple(row for row in rows if row.aspect in wanted and row.spans is not None and row.item in known)

    @cached_property
    def _counted(self) -> tuple[Label, ...]:
        """The labels that count: those of the annotator, and adjudicated ones."""
        chosen = self.annotator
        return tuple(one for one in self._labels if not chosen or one.adjudicated or one.annotator == chosen)

    @cached_property
    def _people(self) -> PeopleMarks | None:
        return people_of(self._counted) if self._counted else None

    @cached_property
    def _not_given(self) -> Message | None:
        """Why people's units of the references cannot be used; None if they can."""
        try:
            units_of(self._labels, self.annotator)
        except ValueError:
            names = sorted({one.annotator for one in self._counted if one.aspect in CLASSES and not one.adjudicated})
            if len(names) > 1:
                return Message("paper_gist", "units_of_several", names=", ".join(names))
            return Message("paper_gist", "no_units")
        return None

    @cached_property
    def _samples(self) -> Mapping[str, Sample]:
        return {row.id: row for row in self.place.rows(self.ANSWERS, lambda _: None)}
