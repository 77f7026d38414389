"""The thresholds of `score` and `show`: whether a run meets them, and the report for a CI system."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from saiten.choices import COVERAGE, By
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.shared_options import ThresholdOptions
from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.results.summarize import summarize
from saiten.results.summary import Summary
from saiten.results.threshold import Outcome, Threshold
from saiten.results.threshold_reading import against_its_direction, read_threshold
from saiten.results.thresholds import hold, named_in
from saiten.runs import RunReader
from saiten.runs.shards import errors_of
from saiten.views.junit import as_junit, may_write
from saiten.views.tables.gate import missed_line
from saiten.views.tables.run import places_in

_SHOWN = 20
"""Maximum lines on standard error, for many systems or groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The thresholds of a run."""

    thresholds: tuple[Threshold, ...]
    each: By | None = None
    coverage: float = COVERAGE
    junit: Path | None = None

    @classmethod
    def typed(cls, options: ThresholdOptions, measured: Sequence[str], *, writes: bool = True) -> Self | None:
        """Return the typed gate, or None.

        `measured` are the metrics of the run; `writes` is False if the report is not to be written.

        Raises:
            ConfigurationError: a threshold cannot be read or is about no metric of the run, or options of thresholds
                are given without one.
            BadInput: the report cannot be written there.
        """
        each, coverage, junit = options.fail_each, options.min_coverage, options.junit if writes else None
        thresholds = [read_threshold(text, "under", measured) for text in options.fail_under]
        thresholds += [read_threshold(text, "over", measured) for text in options.fail_over]
        given = {"--fail-each": each, "--min-coverage": coverage, "--junit": junit}
        if not thresholds:
            if alone := [name for name, value in given.items() if value is not None]:
                raise ConfigurationError(
                    f"{' and '.join(alone)} cannot be used without a threshold, such as --fail-under "
                    f"{measured[0] if measured else 'METRIC'}=NUMBER"
                )
            return None
        for remark in filter(None, map(against_its_direction, thresholds)):
            notifier(stderr())(remark)
        if junit is not None:
            junit = junit.resolve()
            may_write(junit)
        unique = tuple(dict.fromkeys(thresholds))
        return cls(thresholds=unique, each=each, coverage=COVERAGE if coverage is None else coverage, junit=junit)

    def hold(self, reader: RunReader, summary: Summary) -> tuple[Outcome, ...]:
        """Return the outcomes of a run with this summary; report misses, and write the report."""
        places = places_in(reader)
        if self.each is not None:
            summary = summarize(reader.scores(), places, each=self.each)
        outcomes = hold(
            self.thresholds,
            summary,
            places,
            reader.scores,
            each=self.each,
            coverage=self.coverage,
            finished=not reader.unfinished,
            bad_rows=reader.bad_rows(),
        )
        notes = stderr()
        if self.each is not None and all(outcome.place is None for outcome in outcomes):
            notes.print(
                f"[yellow]note[/] --fail-each {self.each}: no sample has a {self.each}; all are checked together"
            )
        if unusable := reader.bad_rows():
            notes.print(
                f"[yellow]note[/] {unusable} rows could not be used and count as samples without a value; see "
                f"{escape_untrusted(errors_of(reader.folder))}. --strict stops at the first"
            )
        missed = [outcome for outcome in outcomes if outcome.missed]
        for outcome in missed[:_SHOWN]:
            notes.print(f"[bold red]missed:[/] {escape_untrusted(missed_line(outcome, self.each))}")
        if len(missed) > _SHOWN:
            notes.print(f"and {len(missed) - _SHOWN} more; see the table of thresholds")
        if self.junit is not None:
            report = as_junit(
                outcomes,
                named_in(outcomes, reader.samples()),
                each=self.each,
                signatures=reader.manifest.signatures,
                created=reader.manifest.created,
            )
            write_whole(self.junit, report, shared=True, otherwise="name a file in another folder with --junit")
        return outcomes
