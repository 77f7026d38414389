"""The note after a run of the offline judge: which metrics rank answers better than its verdicts."""

from collections.abc import Collection, Sequence

from rich.console import Console

from saiten.judges.offline.alternatives import better_metrics
from saiten.records import Language
from saiten.words.terminal import in_terminal_language


def print_alternatives(metrics: Sequence[str], languages: Collection[Language], notes: Console) -> None:
    """Name metrics that rank answers better than these of the offline judge."""
    if found := better_metrics(metrics, languages):
        listed = ", ".join(in_terminal_language(each.shown()) for each in found)
        notes.print(
            "on public data, these metrics rank answers better than the offline judge's verdicts "
            f"(docs/offline-judge.md): {listed}. So do its expected values: "
            "`saiten meta-evaluate --by expected`",
            markup=False,
            style="dim",
        )
