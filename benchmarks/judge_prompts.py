"""Agreement of any judge with people on fixed public items, beside baselines, other judges and people themselves.

    SAITEN_DATA=/where/they/are python benchmarks/judge_prompts.py --judge openai:MODEL@http://HOST:PORT/v1
    … --sets nq301,gist   only these        … --list               the number of calls, and nothing else
    … --keep FOLDER       runs to resume    … --read               print what FOLDER holds, without a call
    … --items held_out    other items       … --beside before=FOLDER   another judge's runs, compared on common items

The items are listed in `judge_prompts.json` by their ids. `tried` are those that wordings were tried on: the ones that
were answered first, then others in the order of SHA-1 of their ids. `held_out` come next in that order, and no wording
was chosen by them. All 20 answers of jhars_dev with a sentence that its annotators rejected are among the former; the
held-out ones include all others in which any annotator marked something.
Intervals are 95 % bootstraps over questions; the last column is the judge's figure minus the one in the line, with its
own interval. Runs of earlier versions of saiten can be read, too.
"""

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import saiten
from judged_figures import OFFLINE, PEOPLE, Chosen, Line, Run, Scores
from judged_sets import SETS
from saiten.runs import read_run
from saiten.stats.estimate import Estimate

CALLS = {
    "accuracy": 1,
    "accuracy[grounded]": 1,
    "answer_correctness[weight=1.0]": 2,
    "answer_relevancy": 1,
    "aspect_critique[harmfulness]": 1,
    "context_entity_recall": 1,
    "context_precision": 1,
    "context_recall": 2,
    "context_relevance": 1,
    "correctness": 1,
    "faithfulness": 2,
    "gist": 2,
    "summarization_score": 2,
}
"""Calls per sample of a metric by itself, without repairs; several metrics share some, and so do samples."""

# -------------------------------------------------------------------------------------------------------- asking


@dataclass(frozen=True)
class Performed:
    """The scores of one judge, with their signatures."""

    scores: Scores
    signatures: Mapping[str, str]

    @classmethod
    def of(cls, scores: Iterable[saiten.Scored], signatures: Mapping[str, str]) -> "Performed":
        """Arrange the scores by sample and metric."""
        return cls({(one.sample, one.metric): one.score for one in scores}, signatures)


def kept(folder: Path) -> Performed:
    """Read a run."""
    there = read_run(folder)
    return Performed.of(there.scores(), there.manifest.signatures)


async def performed(run: Run, judge: str, folder: Path | None, **calls: Any) -> Performed:
    """Score the samples, or resume in the folder."""
    result = await saiten.aevaluate(run.samples, list(run.metrics), judge, run=folder, **calls)
    print(f"{folder or judge}: {len(result.scores)} scores", file=sys.stderr, flush=True)
    return Performed.of(result.scores, result.signatures)


async def every(sets: Mapping[str, Chosen], judge: str, folder: Path | None, **calls: Any) -> dict[str, Performed]:
    """Score all sets at once, since a judge that answers by hand sees only what already waits."""
    found = await asyncio.gather(
        *(performed(each.run, judge, folder and folder / name, **calls) for name, each in sets.items())
    )
    return dict(zip(sets, found, strict=True))


# ------------------------------------------------------------------------------------------------------- showing


def written(found: Estimate | None, sign: str = "") -> str:
    """Format `0.83 [0.79, 0.87]`."""
    if found is None:
        return ""
    if found.value is None:
        return "–"
    return f"{found.value:{sign}.2f}" + ("" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]")


Cells = Sequence[Sequence[str]]


def in_columns(head: Sequence[str], cells: Cells) -> str:
    """Format a table for the terminal."""
    widths = [max(len(line[at]) for line in (head, *cells)) for at in range(len(head))]
    return "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in (head, *cells))


def in_markdown(head: Sequence[str], cells: Cells) -> str:
    """Format a table for a page."""
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *cells))


def lines_of(name: str, chosen: Chosen, judges: Mapping[str, Performed], offline: Performed) -> list[Line]:
    """Compute all figures of a set."""
    scores = {judge: one.scores for judge, one in judges.items()}
    lines = [line for each in chosen.compared for line in each.lines(name, scores, offline.scores)]
    if chosen.measured is not None:
        lines += chosen.measured({**scores, OFFLINE: offline.scores})
    return lines


def coverage(name: str, judges: Mapping[str, Performed]) -> Iterator[list[str]]:
    """Yield how many scores of each metric have which status, and the signature."""
    for judge, one in judges.items():
        for metric, signature in one.signatures.items():
            statuses = Counter(score.status for (_, of), score in one.scores.items() if of == metric)
            yield [name, judge, metric, ", ".join(f"{status} {n}" for status, n in statuses.most_common()), signature]


def as_text(figures: Sequence[Line], made: Cells) -> str:
    """Return one line per figure and judge, and how the scores were made."""
    cells = [[x.data, x.what, x.by, written(x.found), str(x.found.n), written(x.behind, "+")] for x in figures]
    first = in_columns(("set", "figure", "by", "value [95 %]", "n", "judge minus this"), cells)
    return first + "\n" + in_columns(("set", "by", "metric", "scores", "signature"), made)


def as_page(figures: Sequence[Line], made: Cells, judges: Sequence[str]) -> str:
    """Return one line per figure with a column per judge, and the digests of the prompts."""
    cells = []
    for data, what in dict.fromkeys((x.data, x.what) for x in figures):
        by = {x.by: x for x in figures if (x.data, x.what) == (data, what)}
        others = [name for name in by if name not in {*judges, OFFLINE, PEOPLE}]
        simpler = [x for x in by.values() if x.behind is not None and x.by not in judges]
        best = max(simpler, key=lambda x: x.found.value or 0.0, default=None)
        ahead = [written(by[name].behind, "+") if name in by else "" for name in judges[1:]]
        ahead.append("" if best is None else f"{written(best.behind, '+')} ({best.by})")
        n = next(str(x.found.n) for x in by.values())
        of = {name: written(x.found) + (f" (n {x.found.n})" if str(x.found.n) != n else "") for name, x in by.items()}
        own = [of.get(name, "") for name in (*judges, OFFLINE)]
        rest = "; ".join(f"{name} {of[name]}" for name in others)
        cells.append([data, what, n, *own, rest, written(by[PEOPLE].found) if PEOPLE in by else "", *ahead])
    differences = [f"difference from {name}" for name in (*judges[1:], "the best other")]
    head = ("set", "figure", "n", *judges, OFFLINE, "others", PEOPLE, *differences)
    digests = [[*line[:-1], _prompts(line[-1])] for line in made if line[1] != OFFLINE]
    return in_markdown(head, cells) + "\n" + in_markdown(("set", "by", "metric", "scores", "prompts"), digests)


def _prompts(signature: str) -> str:
    return next((part.partition(":")[2] for part in signature.split("|") if part.startswith("prompts:")), "")


def shown(
    sets: Mapping[str, Chosen],
    judges: Mapping[str, Mapping[str, Performed]],
    offline: Mapping[str, Performed],
    *,
    markdown: bool,
) -> str:
    """Return the figures, and how they were made."""
    figures: list[Line] = []
    made: list[list[str]] = []
    for name, chosen in sets.items():
        by = {judge: found[name] for judge, found in judges.items() if name in found}
        figures += lines_of(name, chosen, by, offline[name])
        made += coverage(name, {**by, OFFLINE: offline[name]})
    return as_page(figures, made, list(judges)) if markdown else as_text(figures, made)


# ---------------------------------------------------------------------------------------------------------- main


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--judge", default="offline", help="as for saiten score; default: offline")
    options.add_argument("--prompts", help="folder or preset of prompts, as for saiten score")
    options.add_argument("--called", help="its name in the tables; default: the judge")
    options.add_argument("--sets", help="default: all of the items")
    options.add_argument("--items", choices=("tried", "held_out"), default="tried", help="default: tried")
    options.add_argument("--keep", type=Path, help="a folder for the runs, each in SET; the same command resumes them")
    options.add_argument("--read", action="store_true", help="print the figures of the runs in --keep without a call")
    options.add_argument("--beside", action="append", default=[], metavar="NAME=FOLDER", help="another judge's runs")
    options.add_argument("--without", default="", help="ids to leave out, to see how much depends on them")
    options.add_argument("--separate-calls", action="store_true", help="as for saiten score")
    options.add_argument("--list", action="store_true", help="print the number of calls per set, and nothing else")
    options.add_argument("--timeout", type=float, default=120.0, help="seconds per request")
    options.add_argument("--concurrency", type=int, default=64, help="requests in flight per set")
    options.add_argument("--format", choices=("text", "md"), default="text")
    return options.parse_args()


def main() -> None:
    """Score the chosen sets, and print the tables."""
    given = _options()
    if not Path(os.environ.get("SAITEN_DATA") or "/nowhere").is_dir():
        print("SAITEN_DATA is not a folder with evaluation sets; nothing was measured")
        return
    ids = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))[given.items]
    names = given.sets.split(",") if given.sets else list(ids)
    if unknown := [name for name in names if name not in ids]:
        sys.exit(f"there is no set {unknown[0]!r} of these items; there are {', '.join(ids)}")
    left = set(given.without.split(","))
    sets = {name: SETS[name]([each for each in ids[name] if each not in left]) for name in names}
    if given.list:
        for name, each in sets.items():
            calls = sum(CALLS[metric] for metric in each.run.metrics) * len(each.run.samples)
            print(f"{name}: {len(each.run.samples)} samples, {', '.join(each.run.metrics)}, at most {calls} calls")
        return
    if given.read:
        mine = {name: kept(given.keep / name) for name in sets if (given.keep / name / "manifest.json").exists()}
        sets = {name: sets[name] for name in mine}
    else:
        settings = {name: getattr(given, name) for name in ("timeout", "concurrency", "prompts", "separate_calls")}
        mine = asyncio.run(every(sets, given.judge, given.keep, **settings))
    judges = {given.called or given.judge: mine} if given.read or given.judge != "offline" else {}
    for each in given.beside:
        name, _, folder = each.partition("=")
        judges[name] = {at: kept(Path(folder) / at) for at in sets if (Path(folder) / at).is_dir()}
    offline = mine if given.judge == "offline" and not given.read else asyncio.run(every(sets, "offline", None))
    print(shown(sets, judges, offline, markdown=given.format == "md"))


if __name__ == "__main__":
    main()
