"""What answers lack and add: taken apart into gist and supplement, held against what is known of them."""

from pathlib import Path

from rich.console import Console

from saiten.cli.demo.answers import score
from saiten.cli.demo.telling import commands, heading, interval, say, table
from saiten.demo.gist import gist_labels, load_gist
from saiten.records import Scored
from saiten.runs import read_run
from saiten.trust.spans import Averages, SpanFigures, compare_spans
from saiten.trust.spans_marks import judges_of, people_of
from saiten.views.gist.screen import print_gist
from saiten.views.gist.view import gist_views

_TOLD = ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement")


def tell(out: Path, console: Console, notes: Console) -> None:
    """How much of it the judge finds, and one answer beside its reference."""
    heading("7 · What is missing, what is extra, and does it matter?", console)
    samples = load_gist()
    run = score([one.sample for one in samples], out / "gist", ["gist"], notes)
    say(
        f"{len(samples)} answers put together from known units: gist is what was asked, supplement what is said beside "
        "it. What the judge marks, held against them:",
        console,
    )
    with notes.status("holding the units against what is known"):
        figures = {one.aspect: one for one in _figures(run)}
    rows = [
        (name.replace("_", " "), one.human, one.judge, one.pairs, _f(one.per_unit), _f(one.per_answer))
        for name, one in ((name, figures[name]) for name in _TOLD)
    ]
    table(("units", "known", "the judge's", "found again", "F per unit [95 %]", "F per answer [95 %]"), rows, console)
    console.print()
    _print_view(run, console)
    commands(console, ["show", run, "--gist"], ["meta-evaluate", run, out / "gist-labels.jsonl", "--spans"])


def _f(one: Averages) -> str:
    return interval(one.f.value, one.f.low, one.f.high)


def _figures(run: Path) -> tuple[SpanFigures, ...]:
    samples = load_gist()
    people = people_of(gist_labels(samples))
    questions = {one.sample.id: one.sample.question for one in samples}
    report = compare_spans(people, judges_of(read_run(run).scores(), "offline"), questions=questions)
    return report.judges[0].aspects


def _print_view(run: Path, console: Console) -> None:
    """The Japanese answer in which the judge found units of the most kinds."""
    found = {one.sample: one for one in read_run(run).scores()}
    scored = [(one.sample, found[one.sample.id]) for one in load_gist("ja") if one.sample.id in found]
    sample, score = max(scored, key=lambda pair: _kinds(pair[1]))
    for view in gist_views(sample, [score]):
        print_gist(view, console)


def _kinds(one: Scored) -> int:
    return sum(bool(units) for units in one.score.details.get("spans", {}).values())
