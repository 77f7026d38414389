"""A paper's design for one folder of data: what it needs, the commands that it takes, the tables that it makes.

A design is data and two functions. `steps` are ordinary commands, so that everything can be repeated, resumed and
looked at without saiten's papers; `tables` only reads what the commands wrote.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from saiten.data import read_samples
from saiten.data.formats import ENDINGS
from saiten.data.looking import columns_in
from saiten.records import Language, Sample
from saiten.redaction import redact, redact_command
from saiten.text.language import detect_language
from saiten.views.strip_controls import strip_controls
from saiten.views.table import Table
from saiten.words import Message

_UNFIT = re.compile(r"[^\w.=,\[\]-]+")
_LONGEST = 60
"""Maximum characters of a name in a folder's name."""

Kind = Literal["samples", "labels", "outputs", "documents"]
"""Rows that `saiten score` reads · labels as in `saiten meta-evaluate` · judges' outputs as in its `--judges` · files
that `saiten index` reads."""


@dataclass(frozen=True, slots=True)
class DataNeed:
    """A file or folder in the data, and what it must have."""

    name: str
    """Its name without the ending, such as `answers`; a path for a file in a folder: `handbook/questions`."""
    kind: Kind
    fields: tuple[str, ...] = ()
    """Fields of samples that at least one row must have; aspects of labels, of which one must be there."""
    of: str = ""
    """For labels and outputs: the name of the file whose rows they are about."""
    spans: bool = False
    """Whether labels must mark passages."""
    before: str = ""
    """What ends the id of a row of that file in an item, such as `@` in `ID@SYSTEM`; "" if the item is the id."""
    scale: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Aspect → the lowest and the highest value that its labels may have; any, if it is not there."""
    parts: tuple[str | Message, ...] = ()
    """The tables and figures that are left out without it, as in `table 2`; none: nothing can be done without it."""


@dataclass(frozen=True, slots=True)
class DesignStep:
    """A command of saiten."""

    words: tuple[str, ...]
    """What follows `saiten`, without a budget."""
    makes: Path
    """The folder or file that it writes."""
    calls: bool = True
    """Whether it may call a model: it then takes `--max-calls`, `--max-cost`, `--concurrency` and `--dry-run`."""
    first: bool = False
    """Whether a dry run runs it for real, because it is free and quick, and the estimates of others need what it
    writes."""

    @property
    def shown(self) -> str:
        """The command as a user would type it, without passwords."""
        return f"saiten {shlex.join(map(strip_controls, redact_command(self.words)))}"

    def reads(self, other: "DesignStep") -> bool:
        """Whether it reads what another command writes."""
        made = str(other.makes)
        return any(word == made or word.startswith((f"{made}/", f"{made}#")) for word in self.words)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of samples are read."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """Field → column, if its name is not recognized."""
    language: Language | None = None
    """The language of all rows; None: detected."""

    def columns_of(self, path: Path) -> Mapping[str, str]:
        """Return the columns that this file has; other files may have the rest."""
        return columns_in(path, self.columns)

    def rows(self, path: Path, notify: Callable[[str | Message], None]) -> Iterator[Sample]:
        """Yield the usable rows of a file of samples."""
        columns = self.columns_of(path)
        rows = read_samples(
            path, columns=columns, detect_language=detect_language, language=self.language, notify=notify
        )
        yield from (row for row in rows if isinstance(row, Sample))


@dataclass(frozen=True, slots=True)
class DesignPlace:
    """Where a design finds its data and keeps its results, and the judges that grade."""

    data: Path
    out: Path
    judges: tuple[str, ...] = ("offline",)
    without: frozenset[str] = frozenset()
    """Names of needs that are there but cannot be used, as far as nothing else needs them."""
    reading: Reading = Reading()
    """How the commands read rows of samples, by the configuration."""

    def named(self, name: str) -> Path:
        """Return the folder of results of a model or system, within `out`: its name, as far as a file name allows."""
        shown = redact(name)
        readable = _UNFIT.sub("-", shown).strip("-.")[:_LONGEST]
        if readable and readable == shown:
            return self.out / readable
        return self.out / f"{readable}-{blake2b(shown.encode(), digest_size=4).hexdigest()}"

    def find(self, need: DataNeed) -> Path | None:
        """Return the file or folder of a need; None if there is none, or nothing that can be used."""
        if need.name in self.without:
            return None
        return next((path for path in candidates(self.data, need) if path.exists()), None)

    def rows(self, need: DataNeed, notify: Callable[[str | Message], None]) -> Iterator[Sample]:
        """Yield the usable rows of a file of samples, read as the commands read them; none if it is not there."""
        path = self.find(need)
        if path is not None:
            yield from self.reading.rows(path, notify)

    def column_words(self, path: Path) -> tuple[str, ...]:
        """Return what a command on this file needs if it does not have all columns of the configuration; else ()."""
        columns = self.reading.columns_of(path)
        if columns == self.reading.columns:
            return ()
        named = [f"{field}={column}" for field, column in columns.items()] or [""]
        return tuple(word for pair in named for word in ("--column", pair))


def candidates(data: Path, need: DataNeed) -> Iterator[Path]:
    """Yield the names that the need's file may have in this folder."""
    if need.kind == "documents":
        yield data / need.name
    else:
        yield from (data / f"{need.name}{end}" for end in ENDINGS)


def there(path: Path | None) -> Path:
    """Return the file of a need without which nothing is run."""
    if path is None:
        raise AssertionError("the needs were checked")
    return path


class Design(Protocol):
    """A paper's design for one folder of data: a dataclass with its place."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def place(self) -> DesignPlace:
        """Return where its data and its results are."""

    def needs(self) -> Sequence[DataNeed]:
        """Return the files that it reads."""

    def write_samples(self) -> None:
        """Write the built-in samples into the folder of data, as an example of each file.

        Raises:
            ConfigurationError: a file cannot be written.
        """

    def steps(self) -> Sequence[DesignStep]:
        """Return the commands, in their order; those whose data is not there are left out."""

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        """Yield the tables and figures of the paper in its order, from what the commands wrote so far.

        A part whose data is not there is left out, after a note.
        """
