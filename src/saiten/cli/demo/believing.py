"""Is the judge to be believed: the metrics held against what is known of the answers."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import add, commands, heading, interval, say, short, table
from saiten.demo import DemoSample
from saiten.demo.labels import known_labels
from saiten.runs import read_run
from saiten.trust.meta_evaluation.meta_evaluation import meta_evaluate
from saiten.trust.meta_evaluation.outputs import item_of, outputs_of
from saiten.trust.meta_evaluation.pairing import pair
from saiten.trust.meta_evaluation.results import AspectResult, MetricResult
from saiten.trust.meta_evaluation.scales import declared_bounds
from saiten.views.table import Cell

TOLD = {
    "correct": ("accuracy", "correctness", "token_f1", "length"),
    "faithful": ("accuracy[grounded]", "faithfulness", "context_overlap"),
}
"""By what is known: the metrics that should tell it, and one that cannot."""


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """Agreement, ranks of systems, and decisions, in one table."""
    heading("4 · Can the judge be believed? Held against labels", console)
    say(
        "Nobody labelled these answers: whether each is correct and faithful is known from how it was written. With "
        "people's labels it is the same command.",
        console,
    )
    with notes.status("holding the metrics against what is known"):
        found = [row for aspect in _results(out, samples) for row in _rows(aspect)]
    table(("label", "metric", "AUROC [95 %]", "agreement", "kappa", "systems alike"), found, console)
    add(
        "[dim]AUROC: how often a good answer scores higher than a bad one; 0.5 is a coin. Systems alike: "
        "pairs that metric and labels order alike. Half of the defects were "
        "chosen to mislead a judge that counts words; on real systems see docs/offline-judge.md.[/]",
        console,
    )
    commands(console, ["meta-evaluate", out / "answers", out / "labels.jsonl"])


def _results(out: Path, samples: Sequence[DemoSample]) -> Sequence[AspectResult]:
    reader = read_run(out / "answers")
    items = {sample.id: item_of(sample) for sample in reader.samples()}
    labels = list(known_labels(samples))
    every: list[AspectResult] = []
    for aspect, metrics in TOLD.items():
        outputs = [one for one in outputs_of(reader.scores()) if one.metric in metrics]
        every += meta_evaluate(pair(items, outputs, labels, aspects=[aspect]), bounds=declared_bounds(metrics)).aspects
    return every


def _rows(aspect: AspectResult) -> list[tuple[Cell, ...]]:
    by_name = {one.metric: one for one in aspect.metrics}
    return [(aspect.aspect, name, *_figures(by_name[name], aspect)) for name in TOLD[aspect.aspect]]


def _figures(one: MetricResult, aspect: AspectResult) -> tuple[str, str, str, str]:
    places = aspect.ranking.places if aspect.ranking else ()
    figure = next(place.figure for place in places if place.metric == one.metric)
    decided, systems = one.decisions, one.systems
    alike = "–" if systems is None else f"{systems.pairs.agree} of {systems.pairs.ordered.n}"
    return (
        interval(figure.value, figure.low, figure.high),
        short(decided.agreement.value if decided else None),
        short(decided.kappa.value if decided else None),
        alike,
    )
