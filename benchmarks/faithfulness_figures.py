"""Which figure of faithfulness agrees best with people: the share of statements, of sentences, or the worst statement.

    SAITEN_DATA=/where/they/are python benchmarks/faithfulness_figures.py [--replies FOLDER] [--format md]

The offline judge scores all answers of clapnq_human and jhars_dev; a large language model those whose replies were
recorded (`large_model_replies`, or FOLDER: `replies.jsonl`, and the samples in `SET.samples.jsonl`). A recorded request
is found by its run and by the text or the statements in its last message, so that recordings survive a change of the
prompts. An answer that a judge declines to score has no figure, and is left out. Intervals are 95 % bootstraps over
questions.
"""

import argparse
import asyncio
import json
import os
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from judge_prompts import written
from judged_figures import CORRELATIONS, Column
from judged_sets import pairs, rows, share, spans_of, verified, words
from saiten.judges.memo import Memo
from saiten.judges.offline import OfflineJudge
from saiten.judges.reading import read_reply
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metrics
from saiten.metrics.ragas.supported import Verified, support_of
from saiten.protocols import Judge, R, Task
from saiten.records import Sample, Score
from saiten.stats.auroc import auroc
from saiten.stats.estimate import Estimate, Statistic, bootstrap_statistic
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements

Fits = Callable[[str, str], bool]
"""Whether a recorded request, by its last message and the reply, is that of a task."""
Statistics = Mapping[str, Statistic]

METRICS = ("faithfulness", "faithfulness[sentences]", "faithfulness[worst]")
TIES = "ties by overlap"
LARGE = "a large language model, answering in batches"

# ------------------------------------------------------------------------------------------------- recorded replies


class Recorded:
    """A judge that gives the recorded replies of one run again."""

    def __init__(self, folder: Path, data: str) -> None:
        self.records = [each for each in lines_of(folder / "replies.jsonl") if each["run"] == f"{data} faithfulness"]
        self.samples = {each["id"] for each in lines_of(folder / f"{data}.samples.jsonl")}
        self.judge = ScriptedJudge({SplitStatements: self._split, VerifyStatements: self._verified})

    def _split(self, task: SplitStatements) -> Statements:
        return self._reply(task, "statements", _showing(task.text))

    def _verified(self, task: VerifyStatements) -> StatementVerdicts:
        def fits(shown: str, reply: str) -> bool:
            return reply.count('"verdict":') == len(task.statements) and all(each in shown for each in task.statements)

        return self._reply(task, "statement_verdicts", fits)

    def _reply(self, task: Task[R], title: str, fits: Fits) -> R:
        reply = self._found(title, fits)
        if reply is None:
            raise LookupError(f"no reply is recorded for {task!r:.300}")
        return read_reply(task, reply)

    def _found(self, title: str, fits: Fits) -> str | None:
        replies = ((each["messages"][-1]["content"], each["reply"]) for each in self.records if _title(each) == title)
        return next((reply for shown, reply in replies if fits(shown, reply)), None)


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Read a JSONL file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _title(record: Mapping[str, Any]) -> str:
    return str(record["schema"]["title"])


def _showing(text: str) -> Fits:
    block = re.compile(rf"<(\w+)>\s*{re.escape(text.strip())}\s*</\1>")
    return lambda shown, _: bool(block.search(shown))


# -------------------------------------------------------------------------------------------------------- the sets


@dataclass(frozen=True)
class Item:
    """One answer with people's labels."""

    sample: Sample
    question: Hashable
    truth: float
    """The mean grade (clapnq_human), or 1 if no sentence is marked (jhars_dev)."""
    overlap: float
    people: Sequence[tuple[float, float]]
    """For each annotator, the others' label and the annotator's own."""
    sentences: Sequence[Mapping[str, Any]] = ()
    """The sentences with their labels."""


def clapnq() -> list[Item]:
    """English answers, with the mean faithfulness of three people."""
    asked = {row["qid"]: row for row in rows("clapnq_human", "questions.jsonl")}
    items = []
    for row in rows("clapnq_human", "responses.jsonl"):
        question = asked[row["qid"]]
        contexts = tuple(f"{context['title']}\n{context['text']}" for context in question["contexts"])
        grades = [float(grade) for grade in row["human"]["faithfulness"].values()]
        people = [(fmean(grades[:at] + grades[at + 1 :]), grade) for at, grade in enumerate(grades)]
        sample = Sample(f"{row['qid']}-{row['system']}", question["question"], row["answer"], contexts)
        overlap = share(words(row["answer"]), words(" ".join(contexts)))
        items.append(Item(sample, row["qid"], fmean(grades), overlap, people))
    return items


def jhars() -> list[Item]:
    """Japanese answers, with the sentences that three people marked as not supported."""
    asked = {row["qid"]: row for row in rows("jhars_dev", "questions.jsonl")}
    items = []
    for row in rows("jhars_dev", "responses.jsonl"):
        question = asked[row["qid"]]
        labeled = [each for each in row["sentences"] if decided(each)]
        marked = [any(each["flags"][who] for each in labeled) for who in range(3)]
        people = [(float(not any(marked[:at] + marked[at + 1 :])), float(not own)) for at, own in enumerate(marked)]
        contexts = tuple(question["contexts"])
        items.append(
            Item(
                Sample(f"{row['qid']}-{row['system']}", question["question"], row["answer"], contexts, language="ja"),
                row["qid"],
                float(all(each["label"] == GOOD for each in labeled)),
                share(pairs(row["answer"]), pairs(" ".join(contexts))),
                people,
                row["sentences"],
            )
        )
    return items


GOOD = "No_hallucination"


def decided(sentence: Mapping[str, Any]) -> bool:
    """Return whether people agreed on a label."""
    return sentence["label"] not in {"DISPUTED", None}


# ------------------------------------------------------------------------------------------------------ the figures


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    data: str
    judge: str
    figure: str
    statistic: str
    found: Estimate


async def scored(items: Sequence[Item], judge: Judge) -> list[Mapping[str, Score]]:
    """Return the three scores of each answer."""
    metrics = make_metrics(METRICS)
    return [
        {metric.name: await metric.score(item.sample, memo) for metric in metrics}
        for item in items
        for memo in [Memo(judge)]
    ]


def tied(column: Column, overlaps: Column) -> list[float | None]:
    """Return the column with its ties broken by the overlap, which never reverses an order."""
    steps = sorted({each for each in column if each is not None})
    least = min((after - before for before, after in pairwise(steps)), default=1.0)
    return [
        None if each is None or overlap is None else each + least * overlap / 2
        for each, overlap in zip(column, overlaps, strict=True)
    ]


def of_answers(
    data: str, judge: str, items: Sequence[Item], scores: Sequence[Mapping[str, Score]], statistics: Statistics
) -> Iterator[Line]:
    """Yield the agreement of each figure with the labels of whole answers."""
    measured = [at for at, one in enumerate(scores) if all(score.value is not None for score in one.values())]
    columns: dict[str, list[float | None]] = {
        "share": [scores[at]["faithfulness"].value for at in measured],
        "sentences": [scores[at]["faithfulness[sentences]"].value for at in measured],
        "worst": [scores[at]["faithfulness[worst]"].value for at in measured],
        "mean p": [scores[at]["faithfulness"].expected for at in measured],
        "sentences, expected": [scores[at]["faithfulness[sentences]"].expected for at in measured],
        "context overlap": [items[at].overlap for at in measured],
    }
    for figure in ("share", "worst"):
        columns[f"{figure}, {TIES}"] = tied(columns[figure], [items[at].overlap for at in measured])
    truth, questions = [items[at].truth for at in measured], [items[at].question for at in measured]
    for figure, column in columns.items():
        known = [each for each in column if each is not None]
        if len(known) == len(truth):
            for name, statistic in statistics.items():
                yield Line(data, judge, figure, name, bootstrap_statistic(statistic, truth, known, questions))
    people = [(*pair, items[at].question) for at in measured for pair in items[at].people]
    others, own, whose = zip(*people, strict=True)
    for name, statistic in statistics.items():
        yield Line(data, judge, "people among themselves", name, bootstrap_statistic(statistic, others, own, whose))


def of_sentences(data: str, judge: str, items: Sequence[Item], scores: Sequence[Mapping[str, Score]]) -> Iterator[Line]:
    """Yield how well the least and the mean support of a sentence's statements find those that people marked."""
    columns: dict[str, list[float | None]] = {"least support": [], "mean support": [], "context overlap": []}
    truth, questions, people = [], [], []
    for item, score in zip(items, scores, strict=True):
        answer, source = item.sample.answer or "", pairs(" ".join(item.sample.contexts or ()))
        found = verified(score["faithfulness"], answer, item.sample.language)
        if found is None:
            continue
        spans = spans_of(answer, [each["sentence"] for each in item.sentences])
        for sentence, supports in zip(item.sentences, supports_in(found, spans), strict=True):
            if decided(sentence):
                truth.append(float(sentence["label"] == GOOD))
                questions.append(item.question)
                columns["least support"].append(min(supports, default=1.0))
                columns["mean support"].append(fmean(supports or [1.0]))
                columns["context overlap"].append(share(pairs(sentence["sentence"]), source))
                flags = sentence["flags"]
                people += [
                    (float(not any(flags[:at] + flags[at + 1 :])), float(not own), item.question)
                    for at, own in enumerate(flags)
                ]
    columns[f"least support, {TIES}"] = tied(columns["least support"], columns["context overlap"])
    for figure, column in columns.items():
        known = [each for each in column if each is not None]
        yield Line(data, judge, f"sentences: {figure}", "AUROC", bootstrap_statistic(auroc, truth, known, questions))
    others, own, whose = zip(*people, strict=True)
    ceiling = bootstrap_statistic(auroc, others, own, whose)
    yield Line(data, judge, "sentences: people among themselves", "AUROC", ceiling)


def supports_in(found: Verified, spans: Sequence[tuple[int, int]]) -> list[list[float]]:
    """Return the supports of the statements in each span that shares most of their sentence."""
    supports: list[list[float]] = [[] for _ in spans]
    for verdict in found.verdicts:
        for place in found.places[verdict.number - 1]:
            for at, (start, end) in enumerate(spans):
                shared = min(end, place.end) - max(start, place.start)
                if shared > min(end - start, place.end - place.start) / 2:
                    supports[at].append(support_of(verdict))
    return supports


async def measured(folder: Path) -> list[Line]:
    """Return all figures: of the offline judge on all answers, of both judges on those with recorded replies."""
    lines: list[Line] = []
    sets: Sequence[tuple[str, list[Item], Statistics]] = (
        ("clapnq_human", clapnq(), CORRELATIONS),
        ("jhars_dev", jhars(), {"AUROC": auroc}),
    )
    for name, items, statistics in sets:
        recorded = Recorded(folder, name)
        some = [item for item in items if item.sample.id in recorded.samples]
        judged: Sequence[tuple[str, list[Item], Judge]] = (
            (LARGE, some, recorded.judge),
            ("offline judge, the same answers", some, OfflineJudge()),
            ("offline judge, all answers", items, OfflineJudge()),
        )
        for judge, of, performing in judged:
            scores = await scored(of, performing)
            lines += of_answers(name, judge, of, scores, statistics)
            if name == "jhars_dev":
                lines += of_sentences(name, judge, of, scores)
    return lines


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--replies", type=Path, help="the folder of recordings; default: that in SAITEN_DATA")
    options.add_argument("--format", choices=("text", "md"), default="text")
    chosen = options.parse_args()
    if not os.environ.get("SAITEN_DATA"):
        print("SAITEN_DATA is not a folder with evaluation sets; nothing was measured")
        return
    folder = chosen.replies or Path(os.environ["SAITEN_DATA"], "large_model_replies")
    cells = [
        (x.data, x.judge, x.figure, x.statistic, written(x.found), str(x.found.n))
        for x in asyncio.run(measured(folder))
    ]
    head = ("set", "judge", "figure", "statistic", "value [95 %]", "n")
    if chosen.format == "md":
        print("\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *cells)))
        return
    widths = [max(len(line[at]) for line in (head, *cells)) for at in range(len(head))]
    print("\n".join("  ".join(map(str.ljust, line, widths)) for line in (head, *cells)))


if __name__ == "__main__":
    main()
