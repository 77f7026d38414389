"""The text on serial and parallel joining of documents: a grid of models and chains on one's own data sets.

A data set is a folder with `questions`, `documents` and, if people judged the answers, `labels`; the folder of data is
one, or has one per subfolder. The grid is an ordinary experiment, whose file is written from the options.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from saiten.choices import ChainName
from saiten.data.formats import ENDINGS
from saiten.durable.private import private_folder
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.plan import PLAN_NAME, ExperimentPlan, read_plan
from saiten.experiments.results import read_results
from saiten.experiments.tables import experiment_tables
from saiten.metrics.catalog import make_metrics
from saiten.metrics.naming import write_name
from saiten.papers.chains_passed import passed_table
from saiten.papers.chains_people import PeoplesVerdicts, about_people, agreement_table, ranking_table, verdicts_on
from saiten.papers.chains_samples import write_chain_samples
from saiten.papers.chains_tables import accuracy_table, statistics_table
from saiten.papers.design import DataNeed, DesignPlace, DesignStep
from saiten.rag.example import read_example
from saiten.rag.extractive import extractive
from saiten.records import Scored
from saiten.redaction import redact, redact_headers, redact_options
from saiten.settings import JudgeSettings
from saiten.views.table import Table
from saiten.words import Message

GENERATORS = ("extractive:1", "extractive:2", "extractive:3")
"""Without a model: three systems per chain, the fewest whose order can be compared with people's being three."""
CHAINS: tuple[ChainName, ...] = ("refine", "map_reduce")
"""The text's two: serial and parallel."""
JUDGED = "accuracy"

_BY_PEOPLE = tuple(Message("paper_chains", f"part_{part}") for part in ("people", "passed", "ranking", "agreement"))
_UNFIT = re.compile(r"[^\w.-]+")
_OUT = "name another folder with --out"


@dataclass(frozen=True, slots=True)
class ChainGrid:
    """The settings of the grid; by default those of the text, without a model."""

    models: tuple[str, ...] = GENERATORS
    chains: tuple[ChainName, ...] = CHAINS
    k: int = 5
    at_once: int = 1
    example: Path | None = None
    """A worked example; None for zero-shot."""
    bertscore: str | None = None
    """The network of BERTScore; None leaves it out."""
    judge: JudgeSettings = field(default_factory=JudgeSettings)

    @property
    def bertscore_name(self) -> str | None:
        """The metric as typed, and as named in results."""
        return None if self.bertscore is None else write_name("bertscore", {"model": self.bertscore}, main="f1")

    @property
    def of_text(self) -> tuple[str, ...]:
        """The metrics of the text, whether asked for or not, in its order."""
        return ("rouge_l", "bleu4", self.bertscore_name or "bertscore", JUDGED)

    @property
    def unasked(self) -> dict[str, Message]:
        """The metrics of the text that were not asked for, with what to do."""
        return {} if self.bertscore_name else {"bertscore": Message("paper_chains", "no_bertscore")}

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are asked for, the judge's verdict last."""
        return tuple(name for name in self.of_text if name not in self.unasked)

    def check(self) -> None:
        """Check what the options need before anything runs.

        Raises:
            ConfigurationError: the network of BERTScore is not there, no model reads the example, or a secret would
                be written to the plan.
            BadInput: the example cannot be read.
        """
        for metric in make_metrics(self.metrics):
            metric.describe()  # BERTScore looks for its network
        if self.example is not None:
            read_example(self.example)
            if all(extractive(name) is not None for name in self.models):
                raise ConfigurationError("--example is for models, which read it; name one with --model")
        for name in (*self.models, self.judge.judge, self.judge.embedder):
            if redact(name) != name:
                raise ConfigurationError(
                    f"{redact(name)} has a secret, which the experiment's file would contain; leave it out and set it "
                    "in the environment"
                )
        for headers in (self.judge.judge_headers, self.judge.embedder_headers):
            hidden = redact_headers({name: value for name, value in headers.items() if not value.startswith("env:")})
            if secret := [name for name, value in hidden.items() if value != headers[name]]:
                raise ConfigurationError(
                    f"the experiment's file would contain the header {secret[0]}; write env:VARIABLE as its value, and "
                    "set the variable"
                )
        for options in (self.judge.judge_options, self.judge.embedder_options):
            if redact_options(options) != dict(options):
                raise ConfigurationError(
                    "the experiment's file would contain a secret of the judge's options; leave it out and set it in "
                    "the environment"
                )


@dataclass(frozen=True, slots=True)
class SerialAndParallel:
    """Models × chains × data sets: accuracy by judge and people, text similarity, latency."""

    place: DesignPlace
    grid: ChainGrid
    QUESTIONS: ClassVar = DataNeed("questions", "samples", ("question", "reference"))
    DOCUMENTS: ClassVar = DataNeed("documents", "documents")
    LABELS: ClassVar = DataNeed("labels", "labels", of="questions", before="@", parts=_BY_PEOPLE)

    def needs(self) -> Sequence[DataNeed]:
        return [need for _, needs in self._sets() for need in needs]

    def write_samples(self) -> None:
        write_chain_samples(self.place.data, self.grid)

    def steps(self) -> Sequence[DesignStep]:
        folder, file = self._folder, self.place.out / "experiment.yaml"
        private_folder(self.place.out)
        write_whole(file, _as_yaml(self._plan()), otherwise=_OUT)
        read_plan(file)  # mistakes are reported before anything runs
        return (DesignStep(("experiment", str(file), "-o", str(folder)), folder),)

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        plan, folder = ExperimentPlan.model_validate(self._plan()), self._folder
        if not (folder / PLAN_NAME).is_file():
            return
        said = [verdicts_on(data, folder, notify) for data in plan.data]
        people = {one.data: tuple(one.scores()) for one in said}
        found = read_results(plan, folder, lambda _: None, people)
        labeled = any(one.labeled for one in said)
        yield statistics_table(found, folder)
        if labeled:
            yield passed_table(said, JUDGED)
        yield accuracy_table(found, said, self.grid.bertscore_name)
        of_grid = {table.key: table for table in experiment_tables(found)}
        if "chains" in of_grid:
            yield replace(of_grid["chains"], title=Message("paper_chains", "chains_by_judge"))
            yield from self._by_people(plan, said, people, notify)
            yield replace(of_grid["latency_ratios"], title=Message("paper_chains", "latency_ratios"))
        if labeled:
            yield ranking_table(said, self.grid.of_text, self.grid.unasked)
            yield agreement_table(said, JUDGED)

    def _by_people(
        self,
        plan: ExperimentPlan,
        said: Sequence[PeoplesVerdicts],
        people: Mapping[str, Sequence[Scored]],
        notify: Callable[[str | Message], None],
    ) -> Iterator[Table]:
        """Yield the comparison of the chains by what people said, over the data sets that have labels."""
        labeled = {one.data: one.figure for one in said if one.figure is not None}
        if len(aspects := set(labeled.values())) > 1:
            notify(Message("paper_chains", "several_aspects", aspects=", ".join(sorted(aspects))))
        if len(aspects) != 1:
            return
        data = tuple(each for each in plan.data if each.name in labeled)
        main = {"main": aspects.pop(), "data": data}
        found = read_results(plan.model_copy(update=main), self._folder, lambda _: None, people)
        title, about = Message("paper_chains", "chains_by_people"), tuple(about_people(said))
        for table in experiment_tables(found):
            if table.key == "chains":
                yield replace(table, title=title, caption=(*table.caption, *about))

    @property
    def _folder(self) -> Path:
        return self.place.out / "experiment"

    def _sets(self) -> list[tuple[str, tuple[DataNeed, DataNeed, DataNeed]]]:
        """Return the data sets by name, with the files that each needs."""
        every = (self.QUESTIONS, self.DOCUMENTS, self.LABELS)
        data = self.place.data
        inside = sorted(each for each in data.iterdir() if each.is_dir() and not each.name.startswith("."))
        parts = [each for each in inside if any(_has(each, need) for need in every)]
        if any(_has(data, need) for need in every) or not parts:
            return [(_name(data.resolve().name), every)]
        named = [(_name(each.name), each.name) for each in parts]
        if len({name.casefold() for name, _ in named}) < len(named):
            raise BadInput(f"the folders of data sets in {data} have the same name; rename one of them")
        return [
            (name, tuple(_inside(folder, need) for need in every))  # type: ignore[misc]
            for name, folder in named
        ]

    def _plan(self) -> dict[str, Any]:
        """Return the experiment; its paths are absolute, so that it can be resumed from any folder."""
        grid, reading = self.grid, self.place.reading
        read: dict[str, Any] = {} if reading.language is None else {"language": reading.language}
        data = []
        for name, (questions, documents, labels) in self._sets():
            answers, asked = self.place.find(labels), self.place.find(questions)
            columns = {} if asked is None else dict(reading.columns_of(asked))
            data.append(
                {
                    "name": name,
                    "questions": _absolute(asked),
                    "kb": _absolute(self._folder / "kb" / name),
                    "documents": [_absolute(self.place.find(documents))],
                    **({} if answers is None else {"labels": _absolute(answers)}),
                    **({"columns": columns} if columns else {}),
                    **read,
                }
            )
        more = {} if grid.example is None else {"example": _absolute(grid.example)}
        more |= {} if grid.judge.prompts is None else {"prompts": _absolute(grid.judge.prompts)}
        return {
            "data": data,
            "models": list(grid.models),
            "chains": list(grid.chains),
            "k": grid.k,
            "metrics": list(grid.metrics),
            "main": JUDGED,
            "judge": _judge(grid.judge),
            "at_once": grid.at_once,
            **more,
        }


def _inside(folder: str, need: DataNeed) -> DataNeed:
    return replace(need, name=f"{folder}/{need.name}", of=need.of and f"{folder}/{need.of}")


def _has(folder: Path, need: DataNeed) -> bool:
    if need.kind == "documents":
        return (folder / need.name).is_dir()
    return any((folder / f"{need.name}{end}").is_file() for end in ENDINGS)


def _name(folder: str) -> str:
    return _UNFIT.sub("-", folder).strip("-.") or "data"


def _absolute(path: Path | None) -> str:
    return "" if path is None else str(path.resolve())


def _judge(judge: JudgeSettings) -> dict[str, Any]:
    """Return the settings that are not the defaults, under their names in a plan."""
    names = {"judge": "name", "judge_options": "options", "judge_headers": "headers"}
    same = ("embedder", "temperature", "seed", "votes", "max_tokens", "logprobs", "separate_calls", "retry_refusals")
    fields = {**names, **{name: name for name in (*same, "embedder_options", "embedder_headers")}}
    usual = JudgeSettings()
    found = {
        kept: getattr(judge, name) for name, kept in fields.items() if getattr(judge, name) != getattr(usual, name)
    }
    if judge.calibration:
        found["calibration"] = [_absolute(each) for each in judge.calibration]
    return {"name": judge.judge, **found}


def _as_yaml(plan: dict[str, Any]) -> str:
    import yaml  # noqa: PLC0415 - only experiments need it

    note = "# Written by `saiten paper chains` from its options.\n"
    return note + yaml.safe_dump(plan, allow_unicode=True, sort_keys=False)
