"""The rows that a command works on."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saiten.cli.python_data import is_python, load_data, name_of_object
from saiten.data import BadRow, read_samples
from saiten.data.addresses import located
from saiten.data.chat_logs import ChatUse
from saiten.data.files import files_of, folder_name, name_of_file
from saiten.data.formats import has_traces
from saiten.data.samples import WISHED
from saiten.data.sampling import SampleSettings, sampled
from saiten.data.set_names import is_hub
from saiten.data.traces.reading import TRACE_FORMATS, no_shards
from saiten.errors import ConfigurationError
from saiten.options import read_columns
from saiten.records import Sample
from saiten.redaction import redact
from saiten.runs.manifest import RunSettings
from saiten.settings import CallSettings, DataSettings, JudgeSettings
from saiten.text.language import detect_language

if TYPE_CHECKING:
    from saiten.cluster.input import Input

_COUNT_UP_TO = 64 * 2**20
"""Bytes of files whose lines are counted beforehand, for the time left."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """Files or an object in Python, and the settings for reading their rows."""

    path: str
    """A path, a pattern of paths, an address, a data set of the hub, `FILE.py:NAME`, or `-` for standard input."""
    settings: DataSettings
    wished: Sequence[str] = WISHED
    """The fields that the command uses, as for `read_samples`."""
    chats: ChatUse = "answers"
    """What becomes of a conversation."""

    @property
    def run_name(self) -> str:
        """Return the name of the run's folder, if none is chosen: the file's name, or for a pattern its folder's."""
        if is_python(self.path):
            return name_of_object(self.path)
        return "stdin" if self.path == "-" else folder_name(self.path).replace(":", "-")

    @property
    def columns(self) -> dict[str, str]:
        """Field → column; raises ConfigurationError for other forms."""
        return read_columns(self.settings.column)

    def run_settings(
        self, judge: JudgeSettings, calls: CallSettings, more: Mapping[str, Any] | None = None
    ) -> RunSettings:
        """Return the settings of a judged run over these rows; `more`: those of this kind of run alone."""
        return RunSettings(
            data=self.path if self.path == "-" or is_hub(self.path) else name_of_file(self.path),
            judge=judge.kept(),
            columns=self.columns,
            language=self.settings.language,
            currency=calls.currency,
            more={**self.sample_settings(), **(more or {})},
        )

    def sample_settings(self) -> dict[str, Any]:
        """Return the settings of the sample for a run's manifest; empty if all rows are used."""
        sample = self.sample
        return {} if sample is None else {"sample": {"rows": sample.size, "seed": sample.seed, "by": sample.by}}

    @property
    def sample(self) -> SampleSettings | None:
        """The sample to draw of the rows; None for all of them."""
        how = self.settings
        return None if how.sample is None else SampleSettings(how.sample, how.sample_seed, how.stratify)

    def rows(
        self, notify: Callable[[str], None], row_read: Callable[[], object] | None = None
    ) -> Iterator[Sample | BadRow]:
        """Yield the rows, or a sample of them, read on demand; `row_read` as for `read_samples`."""
        return self.drawn(self._all_rows(notify, row_read), notify)

    def _all_rows(
        self, notify: Callable[[str], None], row_read: Callable[[], object] | None = None
    ) -> Iterator[Sample | BadRow]:
        return read_samples(
            self.opened(),
            columns=self.columns,
            format=self.settings.data_format,
            detect_language=detect_language,
            language=self.settings.language,
            wished=self.wished,
            chats=self.chats,
            limit=self.settings.limit,
            notify=notify,
            row_read=row_read,
        )

    def drawn(self, rows: Iterator[Sample | BadRow], notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
        """Yield the sample of the rows, if one is to be drawn, else all."""
        return rows if self.sample is None else sampled(rows, self.sample, notify)

    def opened(self) -> Any:
        """Return the source for the readers: standard input, the object of a Python file, or the path."""
        if is_python(self.path):
            return load_data(self.path)
        return sys.stdin.buffer if self.path == "-" else self.path

    def peeked(self, notify: Callable[[str], None], *, questions: bool = False) -> Iterator[Sample | BadRow]:
        """Return the rows; the first is read at once, so that a wrong file or column shows before a folder is made.

        `questions`: answers in the data are not used, which is noted.
        """
        rows = self.rows(notify)
        first = next(rows, None)
        if questions and isinstance(first, Sample) and first.answer is not None:
            notify(
                "the answers in the data are not used; if they are reference answers to grade against, add "
                "--column reference=answer"
            )
        return rows if first is None else chain([first], rows)

    def input(self, begun: Iterator[Sample | BadRow] | None = None) -> "Input":
        """Return the rows, or a sample of them, as workers read them; raises ConfigurationError for standard input.

        `begun`: the rows as `peeked` returned them. They are not read a second time if only this process can read them:
        an object in Python may yield its rows once.
        """
        from saiten.cluster.input import FilesInput, RowsInput

        if self.path == "-":
            raise ConfigurationError("workers cannot read standard input; name a file, or leave out --executor ray")
        if is_python(self.path) or self.sample is not None:  # this process alone has it; notes were given before
            return RowsInput(tuple(self.rows(lambda _: None) if begun is None else begun), redact(self.path))
        how, where = self.settings, self.path if is_hub(self.path) else located(self.path)
        if how.data_format in TRACE_FORMATS or (isinstance(where, Path) and self._has_traces()):
            raise no_shards(name_of_file(self.path))  # before a cluster is started
        path = str(where.absolute()) if isinstance(where, Path) else where
        answers = "answer" in self.wished
        return FilesInput(path, self.columns, how.data_format, how.language, how.limit, answers, self.chats)

    def _has_traces(self) -> bool:
        """Return whether the first of its files has traces."""
        return any(has_traces(file, self.settings.data_format) for file in files_of(self.path)[:1])

    def count(self) -> int | None:
        """Return the number of samples if the lines of files show it quickly; for the time left only."""
        how = self.settings
        limit = min((most for most in (how.limit, how.sample) if most is not None), default=None)
        if self.path == "-" or is_python(self.path) or isinstance(located(self.path), str):
            return limit
        paths = [Path(file.path) for file in files_of(self.path)]
        if any(path.suffix != ".jsonl" or not path.is_file() for path in paths):
            return limit
        if sum(path.stat().st_size for path in paths) > _COUNT_UP_TO:
            return limit
        if self._has_traces():  # whose number the lines do not show
            return limit
        if isinstance(first := next(self._all_rows(lambda _: None), None), Sample) and first.conversation is not None:
            return None  # a conversation is several samples
        lines = 0
        for path in paths:
            with path.open("rb") as file:
                lines += sum(1 for line in file if line.strip())
        return lines if limit is None else min(lines, limit)
