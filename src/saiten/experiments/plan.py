"""The plan of an experiment: models and chains that answer questions, and metrics of the answers."""

import json
import re
from collections import Counter
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from saiten.choices import MOST_AT_ONCE, MOST_PASSAGES, ChainName, EvidenceMode, RagForm
from saiten.data.addresses import located
from saiten.durable.whole_file import write_whole
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.yaml_lines import Lines, read_yaml
from saiten.metrics.naming import is_human
from saiten.models.parameters import shown
from saiten.prompts import presets
from saiten.rag.example import read_example
from saiten.rag.extractive import extractive
from saiten.records import Language
from saiten.redaction import redact, redact_headers, redact_options, redact_settings

PLAN_NAME = "plan.json"
"""The plan's file in the folder of an experiment, so that the folder is self-contained."""

_NAME = re.compile(r"\w[\w.-]*")


def _relative_to_plan(path: Path, info: ValidationInfo) -> Path:
    """Resolve a path relative to the plan's folder, if that is known; an address is unchanged."""
    where = located(path)
    return info.context / where if info.context and isinstance(where, Path) else path


def _kb_relative_to_plan(kb: str, info: ValidationInfo) -> str:
    return kb if "://" in kb else str(_relative_to_plan(Path(kb), info)) if info.context else kb


def _prompts_relative_to_plan(named: Path, info: ValidationInfo) -> Path:
    return named if str(named) in presets() else _relative_to_plan(named, info)


_File = Annotated[Path, AfterValidator(_relative_to_plan)]
_BY_NAME = BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value)
"""Accepts a name instead of a table."""


_Options = Annotated[dict[str, Any], PlainSerializer(redact_options)]
_Headers = Annotated[dict[str, str], PlainSerializer(redact_headers)]
"""Written without secrets."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class DataSet(_Part):
    """Questions with references, and the knowledge base with the answers."""

    name: str = ""
    """The name in tables and on disk; by default the file's."""
    questions: _File | None = None
    """A file of questions with references, in any format that `saiten score` reads."""
    answers: _File | None = None
    """Instead: existing answers, for metrics and evidence only."""
    demo: Language | None = None
    """Instead: the built-in questions of this language, with the built-in documents as the knowledge base."""
    kb: Annotated[str, AfterValidator(_kb_relative_to_plan)] | None = None
    """A folder or the address of a server, as in `saiten index --kb`."""
    retriever: str | None = None
    """Where the evidence comes from instead of `kb`, as in `saiten score --retriever`."""
    documents: tuple[_File, ...] = ()
    """Indexed into `kb` before the first question; existing documents are not touched."""
    labels: _File | None = None
    """Human labels of the answers; item ids are QUESTION-ID@SYSTEM, as in the run's samples.jsonl. With
    `main: human` the file may be added after the answers."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Field → column, for names that are not recognized."""
    language: Language | None = None
    """The language of all questions; detected by default."""
    limit: int | None = Field(default=None, ge=1)
    """Use only this many questions, from the first."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [name for name in ("questions", "answers", "demo") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"expected exactly one of questions, answers and demo, found {found}")
        if self.documents and self.kb is None:
            raise ValueError("documents need a kb to be indexed into; name a folder")
        if not self.name:
            source = self.questions or self.answers
            name = f"demo-{self.demo}" if source is None else source.name.partition(".")[0]
            object.__setattr__(self, "name", name)
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"the name {self.name!r} is also a file name: letters, digits, _ - and . only, and no . or - first"
            )
        return self


class ModelTable(_Part):
    """A generator; a plan may give just its name instead."""

    name: str
    """`extractive[:SENTENCES]`, `PROVIDER:MODEL`, `PROVIDER:MODEL@URL`, `hf:NAME_OR_FOLDER`."""
    options: _Options = Field(default_factory=dict)
    """Further parameters of its requests."""
    headers: _Headers = Field(default_factory=dict)
    """Sent with its requests; a value `env:NAME` is that of an environment variable."""
    example: Literal["none"] | _File | None = Field(default=None, union_mode="left_to_right")
    """Its worked example, or `none` for zero-shot; by default the experiment's."""

    @model_validator(mode="after")
    def _reads_examples(self) -> Self:
        if self.is_offline and (given := [*self.options, *self.headers]):
            raise ValueError(f"extractive sends no requests; leave {given[0]} out")
        if self.is_offline and isinstance(self.example, Path):
            raise ValueError("extractive picks sentences and does not use an example; leave the example out")
        return self

    @property
    def is_offline(self) -> bool:
        """Whether it picks sentences without a model."""
        return extractive(self.name) is not None

    @property
    def label(self) -> str:
        """The name in tables and on disk, with options and the kind of prompt if this entry specifies them."""
        parts = [redact(self.name)]
        if self.options:
            parts.append(shown(redact_options(self.options)))
        if self.example is not None:
            parts.append("0-shot" if self.example == "none" else f"1-shot {self.example.stem}")
        return " · ".join(parts)

    def example_of(self, plan: "ExperimentPlan") -> Path | None:
        """Return the worked example in its prompt; None for zero-shot."""
        if self.is_offline or self.example == "none":
            return None
        return self.example or plan.example


class JudgeTable(_Part):
    """The judge that grades the answers; options as on the command line."""

    name: str = "offline"
    embedder: str = "builtin"
    votes: int = Field(default=1, ge=1, le=100)
    temperature: float | None = Field(default=None, ge=0)
    seed: int = 1
    max_tokens: int = Field(default=4096, ge=1)
    logprobs: bool = False
    calibration: tuple[_File, ...] = ()
    separate_calls: bool = False
    retry_refusals: int = Field(default=0, ge=0)
    options: _Options = Field(default_factory=dict)
    headers: _Headers = Field(default_factory=dict)
    embedder_options: _Options = Field(default_factory=dict)
    embedder_headers: _Headers = Field(default_factory=dict)


class ExperimentPlan(_Part):
    """An experiment."""

    title: str = ""
    data: tuple[DataSet, ...] = Field(min_length=1)
    models: tuple[Annotated[ModelTable, _BY_NAME], ...] = ()
    """Generators: names, or tables with a specific example."""
    chains: tuple[ChainName, ...] = ("stuff", "refine", "map_reduce")
    """The ways in which each model combines the passages."""
    forms: tuple[RagForm, ...] = ("qa",)
    """`qa`: each question alone; `mqa`: with a history, which single questions lack."""
    systems: tuple[str, ...] = ()
    """Further systems, as in `saiten answer --system`."""
    k: int = Field(default=5, ge=1, le=MOST_PASSAGES)
    """Passages per question."""
    retrieval: Literal["dense", "hybrid", "bm25"] | None = None
    """The retrieval method; None for the knowledge base's default."""
    example: _File | None = None
    """One worked example, for models without a specific one."""
    temperature: float = Field(default=0.0, ge=0)
    seed: int = 1
    max_tokens: int = Field(default=1024, ge=1)
    prompts: Annotated[Path, AfterValidator(_prompts_relative_to_plan)] | None = None
    """A folder of prompts that replace saiten's, or a preset; for models, chains and judge."""
    metrics: tuple[str, ...] = Field(default=("accuracy",), min_length=1)
    """Names as in `saiten score -m`."""
    main: str = ""
    """The metric used as accuracy in comparisons; by default the first. `human` uses each data set's `labels`;
    `human:ASPECT` selects one of several aspects."""
    judge: Annotated[JudgeTable, _BY_NAME] = JudgeTable()
    evidence: tuple[EvidenceMode, ...] = ()
    """Grade correctness with each of these, to compare `answer` (E2) with `reference` (E3)."""
    at_once: int = Field(default=1, ge=1, le=MOST_AT_ONCE)
    """Concurrent questions per system. With more than one, latencies are those of a system under that load."""

    @field_validator("models", "chains", "forms", "systems", "evidence", mode="after")
    @classmethod
    def _each_once(cls, value: tuple[str | ModelTable, ...]) -> tuple[str | ModelTable, ...]:
        labels = [each.label if isinstance(each, ModelTable) else redact(each) for each in value]
        if twice := [each for each, times in Counter(labels).items() if times > 1]:
            raise ValueError(f"{twice[0]} is listed twice")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        # Some file systems ignore case.
        twice = [name for name, times in Counter(data.name.casefold() for data in self.data).items() if times > 1]
        if twice:
            raise ValueError(f"two data sets are called {twice[0]}; give each its own name")
        asked = [data for data in self.data if data.answers is None]
        if asked and not (self.models or self.systems):
            raise ValueError("no models or systems to answer the questions; name at least one")
        for data in asked:
            if self.models and data.kb is None and data.demo is None:
                raise ValueError(f"the models need a knowledge base for {data.name}; give it a kb")
        for data in self.data:
            if is_human(self.main) and data.labels is None:
                raise ValueError(f"main: {self.main} needs human labels, but {data.name} has none; name their file")
            if "reference" in self.evidence and (data.kb or data.demo or data.retriever) is None:
                raise ValueError(
                    f"evidence: reference is retrieved from a knowledge base, but {data.name} has none; give it a kb, "
                    "or a retriever"
                )
            if "reference" not in self.evidence and data.retriever is not None:
                raise ValueError(f"the retriever of {data.name} is for evidence: [reference], which is not there")
        return self


def read_plan(path: Path) -> ExperimentPlan:
    """Return the plan in a YAML file; paths in it are relative to the file.

    Raises:
        ConfigurationError: the file cannot be read.
        BadInput: the plan is invalid; the text lists every mistake with its line.
    """
    content, lines = read_yaml(path)
    if not isinstance(content, dict):
        raise BadInput(f"{lines.where(())}: expected keys (data, models, chains, metrics, …)")
    try:
        plan = ExperimentPlan.model_validate(content, context=path.parent)
    except ValidationError as error:
        raise BadInput("\n".join(_faults(error, lines))) from error
    for example in dict.fromkeys(each.example_of(plan) for each in plan.models):
        if example is not None:
            read_example(example)  # fails here, before any call
    return plan


def _faults(error: ValidationError, lines: Lines) -> list[str]:
    faults = error.errors()
    # A list with a wrong item is also reported as too short: a consequence, not a mistake.
    return [
        f"{lines.where(fault['loc'])}: {_mistake(fault)}"
        for fault in faults
        if not any(_within(other["loc"], fault["loc"]) for other in faults)
    ]


def _within(inner: tuple[int | str, ...], outer: tuple[int | str, ...]) -> bool:
    return len(inner) > len(outer) > 0 and inner[: len(outer)] == outer


def _mistake(fault: Any) -> str:
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"there is no key {name!r}{_meant(fault['loc'])}"
    message, found = str(fault["msg"]).removeprefix("Value error, "), fault["input"]
    plain = not isinstance(found, dict | ExperimentPlan | DataSet)
    shown = f", but found {redact(str(found))[:60]!r}" if plain else ""
    return f"{name}: {message}{shown}" if name else message


_PLACES: dict[str, tuple[str, type[BaseModel]]] = {
    "": ("the file itself", ExperimentPlan),
    "data": ("each of `data`", DataSet),
    "models": ("each of `models`", ModelTable),
    "judge": ("`judge`", JudgeTable),
}
"""Key of the file → the place, and the model with the keys that belong there."""


def _meant(loc: tuple[int | str, ...]) -> str:
    """Return the place where the key belongs, or the closest key."""
    key = str(loc[-1])
    here = _PLACES.get(str(loc[0]) if len(loc) > 1 else "", _PLACES[""])[1]
    elsewhere = [place for place, model in _PLACES.values() if key in model.model_fields and model is not here]
    if elsewhere:
        return f" here; it is one of {' and of '.join(elsewhere)}"
    near = get_close_matches(key, here.model_fields, n=1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(here.model_fields)}"


def keep_plan(plan: ExperimentPlan, folder: Path) -> None:
    """Write the plan into the folder without secrets, replacing an earlier one; raise ConfigurationError on failure."""
    text = json.dumps(redact_settings(plan.model_dump(mode="json")), ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / PLAN_NAME, text, otherwise="name another folder with --out")


def kept_plan(folder: Path) -> ExperimentPlan:
    """Return the plan of the experiment in this folder.

    Raises:
        ConfigurationError: it cannot be read, or has another version.
    """
    path = folder / PLAN_NAME
    try:
        return ExperimentPlan.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(
            f"{path} is not a plan that this version of saiten can read "
            f"({'.'.join(map(str, first['loc']))}: {first['msg']}); `saiten experiment FILE` rewrites it without "
            "repeating any call"
        ) from error
