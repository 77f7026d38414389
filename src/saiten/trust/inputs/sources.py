"""Outputs of several runs and files combined: each metric under a unique name, and nothing replaced.

A metric from a single source keeps its name. A metric in several sources is named after the metric, its judge and the
evidence that the judge saw (`correctness · openai:m · reference`), and after the run or file if that is not unique.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from saiten.choices import ScoreBy
from saiten.errors import BadInput
from saiten.records import Sample
from saiten.results.origin import Origin
from saiten.results.place import Place, labeled_place_of
from saiten.runs import read_run
from saiten.runs.journal import SCORES_NAME
from saiten.runs.manifest import MANIFEST_NAME
from saiten.trust.inputs.judge_files import Notify, read_outputs
from saiten.trust.inputs.outputs import BETWEEN, EXPECTED, Output, Said, outputs_of_run


@dataclass(frozen=True, slots=True)
class Source:
    """A run, or a file of outputs or samples, with its contents."""

    path: Path
    outputs: tuple[Output, ...]
    items: Mapping[str, Place] = field(default_factory=dict)
    """The samples of a run."""
    answers: Mapping[str, bytes | None] = field(default_factory=dict)
    """Digests of the samples' answers, since a label refers to one text; texts are not kept."""


def run_folder(path: Path) -> Path | None:
    """Return the folder of the run that a path names by its folder or file of scores; None for another file."""
    if path.is_dir():
        return path
    return path.parent if path.name == SCORES_NAME and (path.parent / MANIFEST_NAME).is_file() else None


@dataclass(frozen=True, slots=True)
class OutputReading:
    """How to read a file of judges' outputs; see `judge_files.read_outputs`."""

    columns: Mapping[str, str] = field(default_factory=dict)
    pattern: str | None = None


def read_source(path: Path, reading: OutputReading | None = None, *, by: ScoreBy = "value", notify: Notify) -> Source:
    """Read a run with its samples, or a file of judges' outputs.

    `by`: the figure of a run's scores to compare; see `outputs_of_run`.

    Raises:
        BadInput: the path is neither, or no score of the run has an expected value.
        ConfigurationError: the file cannot be read with these settings.
    """
    folder = run_folder(path)
    if folder is None:
        how = reading or OutputReading()
        outputs = read_outputs(path, columns=how.columns, pattern=how.pattern, notify=notify)
        return Source(path, tuple(_counted(outputs, path, notify)))
    reader = read_run(folder, notify=notify)
    items, answers = _known(reader.samples())
    return Source(folder, tuple(outputs_of_run(reader, by, notify=notify)), items, answers)


def samples_source(path: Path, samples: Iterable[Sample]) -> Source:
    """Return a source of samples without outputs."""
    return Source(path, (), *_known(samples))


def side_by_side(sources: Sequence[Source], *, notify: Notify) -> tuple[dict[str, Place], list[Output]]:
    """Return the items and the outputs of all sources; a source named twice counts once.

    Outputs on a sample that has a different answer in an earlier source are left out: a label refers to one text.
    """
    items: dict[str, Place] = {}
    answers: dict[str, bytes | None] = {}
    kept: list[Source] = []
    for given in sources:
        source = given
        if any(source.path.resolve() == other.path.resolve() for other in kept):
            notify(f"{source.path} is named twice and read once")
            continue
        others = {item for item, answer in source.answers.items() if answers.get(item, answer) != answer}
        if others:
            notify(
                f"{source.path}: {len(others)} samples have another answer than in {kept[0].path} under the same id, "
                f"for example {min(others)!r}; their scores are left out"
            )
            source = replace(source, outputs=tuple(one for one in source.outputs if one.item not in others))
        items |= {item: place for item, place in source.items.items() if item not in items}
        answers |= {item: answer for item, answer in source.answers.items() if item not in answers}
        kept.append(source)
    return items, list(_named_apart(kept, notify))


def _known(samples: Iterable[Sample]) -> tuple[dict[str, Place], dict[str, bytes | None]]:
    places: dict[str, Place] = {}
    answers: dict[str, bytes | None] = {}
    for sample in samples:
        places[sample.id] = labeled_place_of(sample)
        answers[sample.id] = None if sample.answer is None else _digest(sample.answer)
    return places, answers


def _digest(answer: str) -> bytes:
    return sha256(answer.encode(errors="surrogatepass")).digest()[:16]


def _counted(outputs: Iterable[Output], path: Path, notify: Notify) -> Iterator[Output]:
    """Yield the outputs unchanged; report if a file has several different outputs on one item."""
    said: dict[tuple[str, str, str], Output] = {}
    again = 0
    for one in outputs:
        key = (one.item, one.metric, one.aspect)
        again += key in said and said[key].said != one.said
        said[key] = one
        yield one
    if again:
        notify(f"{path}: {again} outputs differ from an earlier one of the same judge and item; the last counts")


def _named_apart(sources: Sequence[Source], notify: Notify) -> Iterator[Output]:
    """Yield the outputs, with longer names for metrics in several sources."""
    sources = _without_copies(sources)
    having = Counter(family for source in sources for family in {one.made.family for one in source.outputs})
    apart: list[dict[Origin, Origin]] = []
    for source, place in zip(sources, _short([source.path for source in sources]), strict=True):
        several = dict.fromkeys(one.made for one in source.outputs if having[one.made.family] > 1)
        apart.append({made: made if made.judge else replace(made, place=place) for made in several})
    taken = Counter(_name(made) for each in apart for made in each.values())
    for each, place in zip(apart, _short([source.path for source in sources]), strict=True):
        each |= {old: replace(made, place=place) for old, made in each.items() if taken[_name(made)] > 1}
    names = {made: _name(made) for each in apart for made in each.values()}
    if names:
        notify(f"several runs or files have the same metric, so these are named apart: {', '.join(names.values())}")
    for source, each in zip(sources, apart, strict=True):
        for one in source.outputs:
            made = each.get(one.made)
            yield one if made is None else Output(one.item, names[made], one.said, one.aspect, made)


def _name(made: Origin) -> str:
    expected = EXPECTED if made.expected else ""
    return BETWEEN.join(part for part in (made.family, made.judge, made.evidence, expected, made.place) if part)


def _without_copies(sources: Sequence[Source]) -> list[Source]:
    """Return the sources without copies of an earlier source's outputs: a baseline without a judge, in several runs."""
    kept: list[Source] = []
    earlier: list[dict[Origin, dict[tuple[str, str], Said]]] = []
    for source in sources:
        said: dict[Origin, dict[tuple[str, str], Said]] = {}
        for one in source.outputs:
            said.setdefault(one.made, {})[one.item, one.aspect] = one.said
        copies = {
            made
            for made, mine in said.items()
            if not made.judge and any(mine.items() <= theirs.get(made, {}).items() for theirs in earlier)
        }
        kept.append(replace(source, outputs=tuple(one for one in source.outputs if one.made not in copies)))
        earlier.append({made: of for made, of in said.items() if made not in copies})
    return kept


def _short(paths: Sequence[Path]) -> list[str]:
    """Return the fewest last parts of each path that make it unique."""
    whole = [path.resolve().parts for path in paths]
    for size in range(1, max(map(len, whole), default=1) + 1):
        short = ["/".join(parts[-size:]) for parts in whole]
        if len(set(short)) == len(short):
            return short
    raise BadInput(f"the same run or file was named several times: {', '.join(map(str, paths))}")
