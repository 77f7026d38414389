"""What is particular to a run of dialogues, as tables: how they ended, what leaked, what it took."""

from collections.abc import Mapping, Sequence

from saiten.dialogue.dialogue import Ended
from saiten.dialogue.outcomes import Outcomes
from saiten.records import Usage
from saiten.views.table import Cell, Table

_ENDS: tuple[Ended, ...] = ("grade 5", "no question needed", "turn limit", "repeated question")
_FAULTS: Mapping[tuple[str, str], str] = {
    ("system", "failed"): "the system failed",
    ("system", "timeout"): "the system did not answer in time",
    ("system", "unreadable"): "the system's reply was no answer",
    ("judge", "failed"): "a call to the judge failed",
    ("judge", "unreadable"): "the judge's reply could not be read",
}
_CAPTION = "A dialogue that failed enters no mean: it tells nothing about the answers. "
_LEAK = (
    "Leak: the share of the final answer's content words that stand in the reference but nowhere in the history; the "
    "composer may not add such words. A stating question tells the system what only the reference says instead of "
    "asking for it. Words are compared, so a paraphrase is not seen, and a word that is common in the field may count."
)


def dialogue_tables(found: Outcomes, currency: str = "USD") -> list[Table]:
    """The tables, those with nothing in them left out."""
    return [_ended(found), _leaked(found), _took(found, currency)] if found.dialogues else []


def without_repeats(tables: Sequence[Table]) -> list[Table]:
    """The summary's tables, with each failed dialogue's reason told once instead of once a score."""
    return [_once(table) if table.title == "Why scores are missing" else table for table in tables]


def _once(table: Table) -> Table:
    rows = [row for row in table.rows if row[0] not in {"lscore", "mscore"} and row[:2] != ("leak", "failed")]
    return Table(table.title, table.columns, tuple(rows), "Of the scores of a dialogue: wscore stands for all.")


def _ended(found: Outcomes) -> Table:
    rows: list[tuple[Cell, ...]] = [(end, n, n / found.dialogues) for end in _ENDS if (n := found.ended.get(end))]
    rows += [
        (f"failed: {_FAULTS.get(fault, ' '.join(fault))}", n, n / found.dialogues)
        for fault, n in sorted(found.failures.items())
    ]
    seen = "The grader saw no evidence beside the reference."
    if found.with_evidence:
        seen = f"The grader saw evidence beside the reference in {found.with_evidence} of {found.dialogues} dialogues."
    return Table("How the dialogues ended", ("ended", "dialogues", "share"), tuple(rows), _CAPTION + seen)


def _leaked(found: Outcomes) -> Table:
    cells: dict[str, Cell] = {
        "mean leak": found.leak,
        "dialogues": found.measured,
        "with a leak": found.leaking,
        "most in": found.worst or None,
        "questions asked": found.asked,
        "stating questions": found.stating,
    }
    return Table("Leak check", tuple(cells), (tuple(cells.values()),), _LEAK)


def _took(found: Outcomes, currency: str) -> Table:
    latency = found.latency
    times: tuple[Cell, ...] = (None, None, None, 0)
    if latency is not None:
        times = (latency.median, latency.mean, latency.p95, latency.n)
    rows = (
        ("system", found.turns, *_spent(found.of_system), *times),
        ("agents", None, *_spent(found.of_agents), None, None, None, None),
    )
    columns = ("who", "answers", "calls", "prompt tokens", "completion tokens", f"cost ({currency})")
    return Table(
        "What it took",
        (*columns, "median s", "mean s", "p95 s", "n"),
        rows,
        "Seconds: from a question in to the whole answer, over the answers where it was measured (n). Agents: grader, "
        "composer and questioner, and finding the evidence.",
    )


def _spent(usage: Usage) -> tuple[Cell, ...]:
    cost = None if usage.unpriced and not usage.cost else usage.cost
    return (usage.calls, usage.prompt_tokens, usage.completion_tokens, cost)
