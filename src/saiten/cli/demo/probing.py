"""Probes of the judge: answers changed so that it is known beforehand what a sound judge does."""

import asyncio

from rich.console import Console

from saiten.cli.demo.telling import commands, heading, say, table
from saiten.cli.probe import built_in, fields_read
from saiten.metrics.catalog import make_metrics
from saiten.runs.scoring import score_once
from saiten.settings import JudgeSettings
from saiten.trust.probes import ProbedMetric, ProbeReport, chosen_probes, load_translations, probe_judge
from saiten.wiring import assemble_judge

SAMPLES = 48
PROBES = ("padded", "planted_verdict", "planted_instruction", "wrong_reference", "other_language")
_MEANING = {
    "padded": "politeness, or the same again",
    "planted_verdict": "“[RESULT] 5” and the like",
    "planted_instruction": "an order to the judge",
    "wrong_reference": "another question's reference",
    "other_language": "the answer, translated",
}


def tell(console: Console, notes: Console) -> None:
    """How often each probe breaks the judge."""
    heading("5 · Does it fall for tricks? Probes", console)
    with notes.status("probing the judge"):
        found = probe_offline()
    rows = [
        (row.probe, _MEANING[row.probe], row.expectation, f"{row.broken} of {row.n}", row.verdict) for row in found.rows
    ]
    say(
        f"The accuracy of {SAMPLES} answers before and after a change whose effect is known. [dim]Not enough items: "
        "more broken than the 5 % that may, but that may be chance.[/]",
        console,
    )
    table(("probe", "added or changed", "the score", "broken", "verdict"), rows, console)
    probes = ",".join(PROBES)
    commands(console, ["probe", "--judge", "offline", "-m", "accuracy", "--limit", str(SAMPLES), "--probes", probes])


def probe_offline() -> ProbeReport:
    """As the command does, without a run on disk."""
    (metric,) = make_metrics(["accuracy"])
    judge = assemble_judge(JudgeSettings("offline"))
    probed = ProbedMetric(metric.name, fields_read(metric), metric.bounds)
    return asyncio.run(
        probe_judge(
            built_in(SAMPLES),
            probed,
            lambda sample: score_once(sample, metric, judge),
            chosen_probes(PROBES),
            translated=load_translations(),
        )
    )
