"""The checks of a soak: every figure of the tool against what the server, the people and the system saw."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from crowd import held_against
from soak_outcome import PRICES, Outcome
from soak_set import FINAL, PASSING, UNKNOWN, UNPAID, UNREADABLE, overlap, verdict

GROWTH = {
    ("score", "rss"): 60.0,
    ("score", "descriptors"): 100.0,
    ("annotate", "rss"): 10.0,
    ("annotate", "descriptors"): 10.0,
}
"""The most that a process may grow: MB and descriptors per 100,000 samples, or per 10,000 saves. Calls in flight come
and go, so descriptors vary by dozens; one left open per thousand samples would exceed this.
"""
_UNITS = {"score": ("done", 100_000, "samples"), "annotate": ("saves", 10_000, "saves")}
_WARM = 1 / 3  # of a life, in which a process still loads what it needs and fills its caches
_FULL = {"score": 0, "annotate": 2_000}
"""Of the units, how many a life takes to fill what is bounded: eight connections, opened one by one as people happen to
ask at once, with their pages and statements, and the heaps of eight threads."""
_ENOUGH = {"score": 5_000, "annotate": 2_000}
"""Of the units, over how many growth is measured; below, noise exceeds it."""

LATE = 0.01
"""Of the calls, how many may be given up although the server did answer; more say that the machine was too slow."""
_FILES = {".lock", "answers.sqlite", "answers.sqlite-claims", "calls.jsonl", "errors.jsonl", "manifest.json", "prices.jsonl", "samples.jsonl", "scores.jsonl"}  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One line of the table; `held` is None if nothing could be measured."""

    name: str
    measured: str
    wanted: str
    held: bool | None


def read(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of lines."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


@dataclass(frozen=True)
class Ledger:
    """The server's account."""

    got: Sequence[Mapping[str, Any]]
    """The requests in order."""
    sent: frozenset[int]
    """Numbers of the requests whose reply was sent whole."""

    @classmethod
    def read(cls, path: Path) -> "Ledger":
        """Read the server's file."""
        lines = read(path)
        return cls(
            [line for line in lines if "got" in line], frozenset(line["sent"] for line in lines if "sent" in line)
        )

    def paid(self, life: int) -> dict[tuple[int, int], float]:
        """Return the cost of the replies to this life that were sent whole and have a usage, by their tokens."""
        return {
            (line["prompt_tokens"], line["completion_tokens"]): _price(line)
            for line in self.got
            if line["life"] == life and line["got"] in self.sent and line["kind"] not in (*UNPAID, *UNKNOWN)
        }

    def count(self, life: int, kinds: Sequence[str] = ()) -> int:
        """Return how many requests of this life came; with `kinds`, those that were treated so."""
        return sum(line["life"] == life and (not kinds or line["kind"] in kinds) for line in self.got)


def _price(line: Mapping[str, int]) -> float:
    return (line["prompt_tokens"] * PRICES["prompt"] + line["completion_tokens"] * PRICES["completion"]) / 1e6


def check(outcome: Outcome) -> list[Check]:
    """Return all checks."""
    ledger = Ledger.read(outcome.folder / "ledger.jsonl")
    return [
        *_scores(outcome, ledger),
        *_account(outcome, ledger),
        *_people(outcome),
        *_growth(outcome),
        *_rest(outcome),
    ]


def _equal(name: str, measured: object, wanted: object) -> Check:
    return Check(name, f"{measured}", f"{wanted}", measured == wanted)


def _scores(outcome: Outcome, ledger: Ledger) -> Iterator[Check]:
    count, seed = outcome.soak.samples, outcome.soak.seed
    scores = read(outcome.folder / "run" / "scores.jsonl")
    pairs = Counter((score["sample"], score["metric"]) for score in scores)
    wanted = {(f"s{part}", metric) for part in range(count) for metric in ("accuracy", "token_f1")}
    yield _equal("scores that are there", len(pairs.keys() & wanted), 2 * count)
    yield _equal("scores that are there twice, or of no sample", sum(pairs.values()) - len(pairs.keys() & wanted), 0)
    samples = Counter(sample["id"] for sample in read(outcome.folder / "run" / "samples.jsonl"))
    yield _equal("samples kept once", sum(number == 1 for number in samples.values()), count)
    heard: dict[int, list[str]] = defaultdict(list)
    for line in ledger.got:
        heard[line["part"]].append(line["kind"])
    statuses, wrong = Counter(), []
    for score in scores:
        part = int(score["sample"][1:])
        statuses[score["metric"], score["status"]] += 1
        if score["metric"] == "token_f1":
            right = score["status"] == "ok" and math.isclose(score["value"], overlap(seed, part), abs_tol=1e-9)
        else:
            right = _is_right(score, heard[part], verdict=float(verdict(seed, part)))
        if not right:
            wrong.append(f"{score['sample']} {score['metric']} {score['status']} {score['value']} {heard[part][-3:]}")
    yield Check(
        "scores with another value or status than the server's replies imply",
        f"{len(wrong)} {wrong[:3] or ''}",
        "0",
        not wrong,
    )
    said = ", ".join(
        f"{number:,} {status}" for (metric, status), number in sorted(statuses.items()) if metric == "accuracy"
    )
    yield Check(
        "statuses of `accuracy`", said, "some of each", {"ok", "failed", "unreadable"} <= {s for _, s in statuses}
    )


def _is_right(score: Mapping[str, Any], heard: Sequence[str], *, verdict: float) -> bool:
    """Return whether the last replies about a sample lead to this score: nothing was asked after it was known."""
    last = heard[-1] if heard else "never asked"
    if "given up after 5 attempts" in (score["reason"] or "") and score["usage"]["unpriced"] > _lost(heard):
        return score["status"] == "failed" and score["value"] is None  # the client did not wait for a reply, see `LATE`
    if last == "good":
        return score["status"] == "ok" and score["value"] == verdict
    if last in FINAL:
        return score["status"] == "failed" and score["value"] is None
    if last in UNREADABLE:
        return score["status"] == "unreadable" and sum(kind in UNREADABLE for kind in heard) >= 2
    return (
        last in PASSING
        and score["status"] == "failed"
        and len(heard) >= 5
        and all(kind in PASSING for kind in heard[-5:])
    )


def _lost(heard: Sequence[str]) -> int:
    return sum(kind in UNKNOWN for kind in heard)


def _account(outcome: Outcome, ledger: Ledger) -> Iterator[Check]:
    """Yield the checks of the money, life by life.

    The accounts may differ by the calls in flight at an end, and by those that the client gave up although the server
    did answer, later than the time-out: a machine that stalls. The run's account has both, as calls of unknown cost.
    """
    unsent, unread, strange, twice, late, gaps = 0, 0, 0, 0, 0, []
    known = 0.0
    for life in outcome.lives:
        booked = Counter((prompt, completion) for prompt, completion, _ in life.paid)
        sent = ledger.paid(life.number)
        strange += len(booked.keys() - sent.keys())
        twice += sum(booked.values()) - len(booked)
        missing = len(sent.keys() - booked.keys())
        ahead = life.calls - ledger.count(life.number)
        charged = ledger.count(life.number, UNKNOWN) - (life.unknown - life.unanswered)
        given_up = max(0, -charged)
        late += given_up
        unsent, unread, known = (
            unsent + ahead,
            unread + missing,
            known + sum(sent[each] for each in booked.keys() & sent.keys()),
        )
        most = life.unanswered + given_up
        gaps += [(life.number, gap, most) for gap in (missing, ahead, charged + given_up) if not 0 <= gap <= most]
    flight, cost = (
        sum(life.unanswered for life in outcome.lives),
        sum(cost for life in outcome.lives for *_, cost in life.paid),
    )
    most = outcome.soak.concurrency
    yield _equal("replies in the account that the server never sent", strange, 0)
    yield _equal("replies in the account twice", twice, 0)
    yield Check(
        "cost of the run, and of these replies at the server",
        f"{cost:.6f}, {known:.6f}",
        "equal",
        math.isclose(cost, known, rel_tol=1e-9),
    )
    yield Check(
        "calls in flight when a process was ended",
        f"{flight}",
        f"at most {most} each",
        all(0 <= life.unanswered <= most for life in outcome.lives),
    )
    last = outcome.lives[-1]
    yield Check(
        "calls in flight at the end", f"{last.unanswered}", "0", last.unanswered == 0 or last.ended != "by itself"
    )
    yield Check(
        "replies that the server sent and nobody read",
        f"{unread}",
        f"0 to {flight + late}",
        0 <= unread <= flight + late,
    )
    yield Check(
        "calls that were booked and never arrived", f"{unsent}", f"0 to {flight + late}", 0 <= unsent <= flight + late
    )
    yield Check(
        "the same life by life", f"{len(gaps)} {gaps[:3] or ''}", "0 beyond what was in flight or given up", not gaps
    )
    limit = math.ceil(LATE * len(ledger.got))
    yield Check("calls given up although the server answered, too late", f"{late}", f"at most {limit}", late <= limit)
    yield from _shown(outcome, cost)


def _shown(outcome: Outcome, cost: float) -> Iterator[Check]:
    """Yield the check of what people read: the summary has the sums of the account."""
    lives = outcome.lives
    flight = sum(life.unanswered for life in lives)
    calls, prompt, completion = (
        sum(life.calls for life in lives),
        sum(prompt for life in lives for prompt, _, _ in life.paid),
        sum(completion for life in lives for _, completion, _ in life.paid),
    )
    parts = [f"{calls} calls", f"{prompt:,} + {completion:,} tokens", f"at least {cost:.4f} USD"]
    parts += [f"calls of unknown cost: {sum(life.unknown - life.unanswered for life in lives)}"]
    parts += [f"interrupted before the reply: {flight}"] if flight else []
    lacking = [part for part in parts if part not in outcome.shown]
    yield Check("what `saiten show` says of calls, tokens and cost", ", ".join(parts), "the account", not lacking)


def _people(outcome: Outcome) -> Iterator[Check]:
    kept = held_against(outcome.exported, outcome.acknowledged)
    yield Check("labels exported", f"{kept.rows:,}", "some", kept.rows > 0)
    yield _equal("acknowledged saves that are lost or different", kept.lost, 0)
    yield _equal("labels that are there twice", kept.double, 0)
    yield _equal("labels that nobody saved", kept.unasked, 0)
    yield Check(
        "saves sent twice, replies never read, undone, pages left", str(outcome.counted), "some", bool(outcome.counted)
    )


def growth(rows: Sequence[Mapping[str, Any]], process: str, figure: str) -> float | None:
    """Return the growth per 100,000 samples or 10,000 saves: the median slope of all pairs of measurements.

    Theil and Sen's estimator, over the process that did most, since short lives show how one starts. None if none
    lived long enough.
    """
    over, unit, _ = _UNITS[process]
    by_pid: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["what"] == "use" and row["process"] == process:
            by_pid[row["pid"]].append(row)
    life = max(by_pid.values(), key=lambda life: life[-1][over] - life[0][over], default=[])
    full = life[0][over] + _FULL[process] if life else 0
    warm = [(row[over], row[figure]) for row in life[int(len(life) * _WARM) :] if row[over] >= full]
    if not warm or warm[-1][0] - warm[0][0] < _ENOUGH[process]:
        return None
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(warm, 2) if x2 > x1]
    return median(slopes) * unit if slopes else None


def _growth(outcome: Outcome) -> Iterator[Check]:
    rows = outcome.records.rows
    for (process, figure), most in GROWTH.items():
        slope = growth(rows, process, figure)
        peak = max((row[figure] for row in rows if row["what"] == "use" and row["process"] == process), default=0)
        measured = "not measured" if slope is None else f"{slope:.1f} (peak {peak:.0f})"
        _, unit, what = _UNITS[process]
        name = f"growth of `{process}` in {'MB' if figure == 'rss' else figure} per {unit:,} {what}"
        yield Check(name, measured, f"at most {most:.0f}", None if slope is None else slope <= most)


def _rest(outcome: Outcome) -> Iterator[Check]:
    folder = outcome.folder
    files = {path.name for path in (folder / "run").iterdir()}
    odd = [*outcome.left, *sorted(files - _FILES), *(path.name for path in (folder / "people").glob("*-wal"))]
    yield Check("files and processes left behind", f"{len(odd)} {odd or ''}", "0", not odd)
    manifest = orjson.loads((folder / "run" / "manifest.json").read_bytes())
    yield _equal(
        "the run is finished, its last process ended well", (manifest["finished"], outcome.lives[-1].status), (True, 0)
    )
    said = [path.name for path in folder.glob("life-*.txt") if b"Traceback" in path.read_bytes()]
    yield Check("tracebacks", f"{said}", "[]", not said)
    yield _equal("errors of the server itself", (folder / "server.txt").read_text(), "")


def table(outcome: Outcome, checks: Sequence[Check]) -> str:
    """Return what happened, and a line per check."""
    ends = Counter(life.ended for life in outcome.lives)
    width = max(len(each.name) for each in checks)
    marks = {True: "ok", False: "FAILED", None: "–"}
    lines = [f"{marks[each.held]:7} {each.name:{width}}  {each.measured}  (wanted: {each.wanted})" for each in checks]
    return "\n".join([str(outcome.soak), f"{outcome.records.seconds():.0f} s; processes ended: {dict(ends)}", *lines])
