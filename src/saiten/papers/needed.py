"""What a design needs, compared with the folder of data, before anything is run."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saiten.data import BadRow, read_labels, read_samples
from saiten.data.looking import LOOKED_AT, look
from saiten.errors import BadInput
from saiten.papers.design import Need, candidates
from saiten.text.language import detect_language
from saiten.trust.inputs.judge_files import read_outputs
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class Checked:
    """A need, and what the folder has of it."""

    need: Need
    path: Path | None
    """The file or folder; None if it is not there."""
    has: Message | str = ""
    """What is in it."""
    problem: Message | str = ""
    """Why it cannot be used; "" if it can."""

    @property
    def is_missing(self) -> bool:
        """Whether nothing can be done without it."""
        return bool(self.problem) and not self.need.parts


def check_needs(data: Path, needs: Sequence[Need]) -> list[Checked]:
    """Return what the folder has of each need, in their order; reads labels, and the first 1,000 rows of samples."""
    return [_checked(data, need) for need in needs]


def _checked(data: Path, need: Need) -> Checked:
    try:
        found = [path for path in candidates(data, need) if path.exists()]
        if not found:
            return Checked(need, None, problem=Message("paper", "not_there"))
        path = found[0]
        if len(found) > 1:
            return Checked(need, path, problem=Message("paper", "several", names=", ".join(p.name for p in found)))
        if need.kind == "documents":
            return _documents(need, path)
        if need.kind == "outputs":
            return _outputs(need, path, data)
        return _samples(need, path) if need.kind == "samples" else _labels(need, path, data)
    except BadInput as error:
        return Checked(need, None, problem=str(error))


def _documents(need: Need, path: Path) -> Checked:
    from saiten.rag.knowledge.documents import FoundFile  # noqa: PLC0415 - only designs with documents need the readers
    from saiten.rag.knowledge.finding import find_documents  # noqa: PLC0415

    n = sum(isinstance(each, FoundFile) for each in find_documents([path]))
    has = Message("paper", "has_documents", n=n)
    return Checked(need, path, has, "" if n else Message("paper", "no_document"))


def _samples(need: Need, path: Path) -> Checked:
    found = look(path, columns={}, format=None, detect_language=detect_language, language=None, notify=lambda _: None)
    has = {field: found.has(field) for field in need.fields}
    counts = [f"{field} {n}" for field, n in has.items()]
    rows = Message("paper", "first_rows" if found.more else "all_rows", n=LOOKED_AT if found.more else found.rows)
    lacking = [field for field, n in has.items() if not n]
    problem = Message("paper", "lacks", fields=joined(lacking, "listed")) if lacking else ""
    return Checked(need, path, Message("paper", "has", rows=rows, counts=", ".join(counts)), problem)


def _labels(need: Need, path: Path, data: Path) -> Checked:
    labels = [each for each in read_labels(path, notify=lambda _: None) if not isinstance(each, BadRow)]
    aspects = Counter(label.aspect for label in labels)
    listed = ", ".join(f"{aspect or '–'} {n}" for aspect, n in aspects.most_common())
    has = Message("paper", "has_labels", n=len(labels), aspects=listed)
    if not labels:
        return Checked(need, path, has, Message("paper", "no_label"))
    if need.fields and not set(need.fields) & set(aspects) and set(aspects) != {""}:
        return Checked(need, path, has, Message("paper", "no_aspect", aspects=joined(need.fields, "listed")))
    return Checked(need, path, has, _about_others(need, {label.item for label in labels}, data))


def _outputs(need: Need, path: Path, data: Path) -> Checked:
    outputs = list(read_outputs(path, notify=lambda _: None))
    judges = ", ".join(dict.fromkeys(one.metric for one in outputs))
    has = Message("paper", "has_outputs", n=len(outputs), judges=judges)
    return Checked(need, path, has, _about_others(need, {one.item for one in outputs}, data))


def _about_others(need: Need, items: set[str], data: Path) -> Message | str:
    """Return the problem that none of the items is in the file that they should be about; "" if one is."""
    if not need.of or not (ids := set(_ids(data, need.of))) or not ids.isdisjoint(items):
        return ""
    return Message("paper", "other_items", of=need.of, example=min(items), wanted=min(ids))


def _ids(data: Path, name: str) -> Iterator[str]:
    path = next((path for path in candidates(data, Need(name, "samples")) if path.is_file()), None)
    if path is not None:
        rows = read_samples(path, detect_language=detect_language, notify=lambda _: None)
        yield from (row.id for row in rows if not isinstance(row, BadRow))


def check_folder(data: Path, needs: Sequence[Need], say: Callable[[Checked], None]) -> list[Checked]:
    """Check the folder, and report each need; then raise one error for all that is missing.

    Raises:
        BadInput: the folder or something that everything needs is missing or cannot be used; the text lists it all.
    """
    found = check_needs(data, needs)
    for each in found:
        say(each)
    missing = [each for each in found if each.is_missing]
    if missing:
        names = ", ".join(each.need.name for each in missing)
        raise BadInput(
            f"{data} lacks what the design needs: {names} (listed above); to see an example of each file, write the "
            "built-in samples into an empty folder with --samples"
        )
    return found
