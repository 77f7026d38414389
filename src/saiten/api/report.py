"""The report of results of `saiten.evaluate`, including those that are only in memory."""

import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from saiten.records import Language
from saiten.runs import Journal, RunReader, RunSettings, read_run
from saiten.views.notebook import ShownPage
from saiten.views.report.document import Report, check_report_place, make_report, write_report, write_report_to

if TYPE_CHECKING:
    from saiten.api.result import Evaluation


def write_to(
    file: Path, results: "Mapping[str, Evaluation]", title: str, language: Language | None, limit: int
) -> None:
    """Write the report of results by name, of which the first is the baseline, to a file; raises as `make_report`."""
    check_report_place(file)
    with _reported(results, title, language, limit) as report:
        write_report(report, file)


def page_of(results: "Mapping[str, Evaluation]", title: str, language: Language | None, limit: int) -> ShownPage:
    """Return the report as a page for a notebook; otherwise like `write_to`."""
    out = io.StringIO()
    with _reported(results, title, language, limit) as report:
        write_report_to(report, out)
    return ShownPage(report.title, out.getvalue())


@contextmanager
def _reported(
    results: "Mapping[str, Evaluation]", title: str, language: Language | None, limit: int
) -> Iterator[Report]:
    """Yield the report; its samples are read while it is written."""
    with ExitStack() as stack:
        readers = [stack.enter_context(on_disk(name, result)) for name, result in results.items()]
        yield make_report(readers, title=title, language=language, limit=limit)


@contextmanager
def on_disk(name: str, result: "Evaluation") -> Iterator[RunReader]:
    """Yield the result's run: its own, or one in a temporary folder."""
    if result.folder is not None:
        yield read_run(result.folder)
        return
    with TemporaryDirectory(prefix="saiten-") as temporary:
        folder = Path(temporary) / name
        # Its settings have the form of a manifest already, and replace all others.
        with Journal.open(folder, RunSettings(more=result.settings), signatures=result.signatures) as journal:
            if result.paid is not None:
                journal.paid.enter(result.paid)  # before the scores, whose cost it includes
            for sample in result.samples:
                journal.sample(sample)
            for scored in result.scores:
                journal.score(scored)
            for row in result.bad_rows:
                journal.bad_row(row.where, row.reason, row.raw)
            journal.finish()
        yield read_run(folder)
