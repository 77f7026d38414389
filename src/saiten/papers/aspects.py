"""The text on long answers and LLM-MATE: grades on several aspects, by people and judges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from saiten.choices import HELD_OUT, NoneGood
from saiten.data import usable_labels
from saiten.demo.files import write_rows
from saiten.demo.grades import simulated_grades, simulated_judge, simulated_preferences
from saiten.demo.samples import load_demo
from saiten.metrics.naming import write_name
from saiten.metrics.neural.bertscore import BertScore
from saiten.metrics.neural.perplexity import Perplexity
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import read_weights
from saiten.models.networks import LocalModel
from saiten.papers.aspect_grades import (
    GradedAnswers,
    JudgeOnAspects,
    judge_of_run,
    judges_of_outputs,
    metrics_of_run,
    not_measured,
)
from saiten.papers.aspect_judges import bias_table, correlations_table, held_out_table, means_table, weights_tables
from saiten.papers.aspect_people import agreement_table, grades_table, preferred_table, unanimity_table
from saiten.papers.design import DataNeed, DesignPlace, DesignStep, there
from saiten.results.labeled_answers import noting_others
from saiten.results.place import digests_of, labeled_place_of
from saiten.runs import read_run, sample_to_json
from saiten.trust.inputs.judge_files import read_outputs
from saiten.trust.inputs.picks import GOOD, pairs_of
from saiten.tuning.judge.judge_plan import make_head
from saiten.views.table import Table
from saiten.words import Message

_ANNOTATORS = ("simulated annotator 1", "simulated annotator 2", "simulated annotator 3")
_SLIPS = 0.1
"""How often a simulated annotator gives a grade next to the known one."""


@dataclass(frozen=True, slots=True)
class SeveralAspects:
    """Long answers, graded and preferred by people, rated at once and aspect by aspect by each judge."""

    place: DesignPlace
    votes: int | None = None
    perplexity: str = ""
    bertscore: str = ""
    base: str = ""
    held_out: float = HELD_OUT
    none_good: NoneGood = "counted"
    ANSWERS: ClassVar = DataNeed("answers", "samples", ("question", "answer"))
    LABELS: ClassVar = DataNeed(
        "labels",
        "labels",
        read_rubric().names,
        of="answers",
        scale={aspect.name: aspect.bounds for aspect in read_rubric().aspects},
    )
    PREFERENCES: ClassVar = DataNeed("preferences", "labels", parts=("figure 3", "figure 6"))
    JUDGES: ClassVar = DataNeed("judges", "outputs", of="answers", parts=("rows of other judges",))

    def needs(self) -> Sequence[DataNeed]:
        return (self.ANSWERS, self.LABELS, self.PREFERENCES, self.JUDGES)

    def check(self) -> None:
        """Raise ConfigurationError if a package or model is missing that an option needs."""
        if self.perplexity:
            Perplexity(model=self.perplexity).describe()
        if self.bertscore:
            BertScore(model=self.bertscore).describe()
        if self.base:
            LocalModel.find(self.base)
            make_head("chat").check()

    def write_samples(self) -> None:
        demo = load_demo()
        weights = {one.name: one.weight for one in read_weights().aspects}
        grades = list(simulated_grades(demo, graders=_ANNOTATORS, weights=weights, slips=_SLIPS))
        rows: Mapping[str, Iterator[Mapping[str, object]]] = {
            "answers": (sample_to_json(one.sample) for one in demo),
            "labels": map(asdict, grades),
            "preferences": map(asdict, simulated_preferences(demo, grades)),
            "judges": simulated_judge(demo, weights=weights),
        }
        for name, each in rows.items():
            write_rows(self.place.data / f"{name}.jsonl", each)

    def steps(self) -> Sequence[DesignStep]:
        answers = str(self.place.find(self.ANSWERS))
        votes = () if self.votes is None else ("--votes", str(self.votes))
        names = ["rouge_1", "rouge_2", "rouge_l", "length"]
        names += [write_name("bertscore", {"which": "f1", "model": self.bertscore})] if self.bertscore else []
        names += [write_name("perplexity", {"model": self.perplexity})] if self.perplexity else []
        metrics = tuple(word for name in names for word in ("-m", name))
        steps = [_step("score", answers, *metrics, "--judge", "offline", makes=self._metrics)]
        rated = ("-m", "aspects", "-m", "direct", "-m", "mate")
        steps += [
            _step("score", answers, *rated, "--judge", judge, *votes, makes=self._run(judge))
            for judge in self.place.judges
        ]
        if self.base:
            labels = str(self.place.find(self.LABELS))
            labeled = {label.aspect for label in usable_labels(Path(labels), lambda _: None)}
            aspects = tuple(word for name in read_rubric().names if name in labeled for word in ("-a", name))
            train = ["tune", "judge", labels, "-s", answers, "--base", self.base, "--held-out", str(self.held_out)]
            for field, column in self.place.reading.columns.items():  # which this command has no configuration for
                train += ["--sample-column", f"{field}={column}"]
            steps.append(_step(*train, *aspects, makes=self._own, calls=False))
            own = f"hf:{self._own}"
            steps.append(_step("score", answers, *rated, "--judge", own, makes=self._run(own), calls=False))
        return steps

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        answers = self._answers(notify)
        judges = list(self._judges(notify))
        metrics = list(metrics_of_run(read_run(self._metrics, notify=notify))) if self._metrics.is_dir() else []
        metrics += not_measured(metrics)
        if self.place.find(self.PREFERENCES):
            yield preferred_table(answers, self.none_good)
        yield grades_table(answers)
        yield means_table(answers, judges, metrics)
        yield correlations_table(answers, judges, metrics)
        yield held_out_table(answers, judges, self.held_out)
        if self.place.find(self.PREFERENCES):
            yield unanimity_table(answers)
        yield agreement_table(answers)
        yield from weights_tables(answers)
        yield bias_table(answers, judges)

    def _answers(self, notify: Callable[[str | Message], None]) -> GradedAnswers:
        places = {row.id: labeled_place_of(row) for row in self.place.rows(self.ANSWERS, notify)}
        digests, known = digests_of(places), {item: place.question for item, place in places.items()}
        rubric = read_rubric().names
        said = noting_others(usable_labels(there(self.place.find(self.LABELS)), lambda _: None), digests, notify)
        labels = tuple(one for one in said if one.aspect in rubric and one.item in places)
        file = self.place.find(self.PREFERENCES)
        preferences = [] if file is None else list(usable_labels(file, lambda _: None))
        pairs = pairs_of([one for one in preferences if one.aspect != GOOD], known)
        kept = tuple(one for one in preferences if one.item in (known if one.aspect == GOOD else pairs))
        return GradedAnswers(places, labels, kept)

    def _judges(self, notify: Callable[[str | Message], None]) -> Iterator[JudgeOnAspects]:
        own = (f"hf:{self._own}",) if self.base else ()
        for judge in (*self.place.judges, *own):
            if (run := self._run(judge)).is_dir():
                yield judge_of_run(judge, read_run(run, notify=notify))
        if file := self.place.find(self.JUDGES):
            yield from judges_of_outputs(read_outputs(file, notify=notify))

    @property
    def _own(self) -> Path:
        """The judge of one's own."""
        return self.place.out / "own-judge"

    @property
    def _metrics(self) -> Path:
        return self.place.out / "metrics"

    def _run(self, judge: str) -> Path:
        return self.place.named(judge)


def _step(*words: str, makes: Path, calls: bool = True) -> DesignStep:
    return DesignStep((*words, "-o", str(makes)), makes, calls)
