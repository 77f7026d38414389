"""Few labels and the judge's scores of all answers: what would labels of all of them say?"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.data import FEW
from saiten.cli.demo.telling import add, commands, heading, say, table
from saiten.demo import DemoSample
from saiten.demo.labels import few_labels
from saiten.records import Label
from saiten.runs import read_run
from saiten.stats.prediction_powered_records import Mean, Powered
from saiten.trust.estimate import estimate
from saiten.trust.meta_evaluation.outputs import Output, SampleInfo, item_of, outputs_of

METRIC = "accuracy"
TIMES = 100


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """The estimate, beside what is known of all."""
    heading("6 · Few labels, many scores: what would people say of all?", console)
    say(
        f"As if {FEW} answers, drawn at random, were labelled and the others not. The labels correct the judge's bias, "
        "the judge narrows the interval.",
        console,
    )
    reader = read_run(out / "answers")
    items = {sample.id: item_of(sample) for sample in reader.samples()}
    outputs = [one for one in outputs_of(reader.scores()) if one.metric == METRIC]
    known = sum(one.correct for one in samples) / len(samples)
    with notes.status("drawing labels"):
        drawn = [_estimated(items, outputs, few_labels(samples, FEW, seed)) for seed in range(TIMES)]
    one = drawn[0]
    table(
        ("the share of correct answers", "", "95 %"),
        [
            (f"by the judge's accuracy of all {len(samples)}, with its bias", f"{one.judge:.3f}", ""),
            (f"by {FEW} labels alone", f"{one.alone.value:.3f}", _half(one.alone)),
            (f"by {FEW} labels and the judge together", f"{one.powered.value:.3f}", _half(one.powered)),
            ("known, from how the answers were written", f"{known:.3f}", ""),
        ],
        console,
    )
    within = sum(each.powered.holds(known) for each in drawn)
    saved = sum(each.saved or 0 for each in drawn) / TIMES
    add(
        f"The judge's scores stand for {one.saved} further labels. Drawn {TIMES} times, the interval holds what is "
        f"known {within} times, and the judge saves {saved:.0f} labels of {FEW} on average.",
        console,
    )
    commands(console, ["estimate", out / "answers", out / "few-labels.jsonl", "-m", METRIC])


def _estimated(items: Mapping[str, SampleInfo], outputs: Sequence[Output], labels: Sequence[Label]) -> Powered:
    return estimate(items, outputs, labels).rows[0].powered


def _half(mean: Mean) -> str:
    if mean.cut:
        return f"{mean.low:.3f} to {mean.high:.3f}"
    return "" if mean.half is None else f"± {mean.half:.3f}"
