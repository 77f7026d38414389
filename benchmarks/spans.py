"""Real marked spans: agreement among people (the ceiling), agreement of the offline judge with them, and its speed.

    SAITEN_DATA=/where/they/are python benchmarks/spans.py [--markdown FILE]

`squality_human`: passages that three reviewers per summary marked as wrong or weak, with four references.
`jhars_dev`: passages of Japanese answers that three annotators marked as not supported by the context.

The judge marks what the answer adds to the references (SQuALITY) or to the context (JHARS). People marked mistakes,
which is not the same: an extra unit may be true, and a mistake may be one word of a unit. The figures show how well the
former finds the latter. Two simpler markers are compared: the statements that the sources do not support (the verdicts
of faithfulness), and every sentence.

The built-in samples, whose units are known by construction, are marked as well: they show whether the judge works as
intended, but are no evidence about other data.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saiten.demo.gist import gist_labels, load_gist
from saiten.judges.offline import OfflineJudge
from saiten.metrics.judged.gist import Gist
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Language, Sample, Scored, Span
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.text.sentences import split_sentences
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import PeopleMarks, judges_of, people_of
from saiten.trust.spans.pairing import pair_units
from saiten.views.render import as_markdown
from saiten.views.tables.span import span_tables

Held = dict[tuple[str, str], tuple[Span, ...]]
ASPECT = "mistakes"


# ----------------------------------------------------------------------------------------------- what people marked


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """Read the lines of a JSONL file."""
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Data:
    """The answers of a set, and the marks of each annotator."""

    def __init__(self, name: str, language: Language) -> None:
        self.name = name
        self.language = language
        self.answers: dict[str, str] = {}
        self.sources: dict[str, tuple[str, ...]] = {}
        """By item: the texts that the answer is compared with."""
        self.questions: dict[str, str] = {}
        self.people: dict[str, Held] = {}


def squality(folder: Path) -> Data:
    """Read summaries of stories; a summary's reviewers are those who graded it, even if they marked nothing."""
    data = Data("squality_human", "en")
    asked = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    for row in rows(folder / "responses.jsonl"):
        item = f"{row['qid']}/{row['system']}"
        question = asked[row["qid"]]
        data.answers[item] = row["answer"]
        data.questions[item] = row["qid"]
        own = row["answer"].split()  # the reviewers' copy of a reference differs in white space
        data.sources[item] = tuple(text for text in question["references"] if text.split() != own)
        for who in row["human"]["correctness"]:
            marks = [each for each in row["spans"] if each["annotator"] == who]
            spans = tuple(Span(each["text"], each["start"], each["end"]) for each in marks)
            data.people.setdefault(who, {})[item, ASPECT] = spans
    return data


def jhars(folder: Path) -> Data:
    """Read answers; offsets within a sentence are converted to offsets in the answer."""
    data = Data("jhars_dev", "ja")
    asked = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    for row in rows(folder / "responses.jsonl"):
        item = f"{row['qid']}/{row['system']}"
        data.answers[item] = row["answer"]
        data.questions[item] = str(row["qid"])
        data.sources[item] = tuple(asked[row["qid"]]["contexts"])
        marks: dict[int, list[Span]] = {0: [], 1: [], 2: []}
        end = 0
        for sentence in row["sentences"]:
            start = row["answer"].index(sentence["sentence"], end)
            end = start + len(sentence["sentence"])
            for each in sentence["spans"]:
                marks[each["annotator"]].append(Span(each["text"], start + each["start"], start + each["end"]))
        for who, spans in marks.items():
            data.people.setdefault(f"annotator {who}", {})[item, ASPECT] = tuple(spans)
    return data


# ------------------------------------------------------------------------------------------------- what is compared


def sentences(data: Data) -> Held:
    """Return every sentence, as an uninformed judge would mark it."""
    return {
        (item, ASPECT): tuple(Span(one.text, one.start, one.end) for one in split_sentences(text, data.language))
        for item, text in data.answers.items()
    }


def placed(answer: str, units: Sequence[str]) -> Iterator[Span]:
    """Yield each unit with its position, searched for after the previous unit first."""
    end = 0
    for unit in units:
        start = answer.find(unit, end)
        start = answer.find(unit) if start < 0 else start
        if start < 0:
            yield Span(unit)
        else:
            end = start + len(unit)
            yield Span(unit, start, end)


async def unsupported(data: Data, judge: OfflineJudge) -> Held:
    """Return the answer's statements that the sources do not support: the verdicts of faithfulness as spans."""
    found: Held = {}
    for item, answer in data.answers.items():
        split = await judge.perform(SplitStatements("", answer, language=data.language))
        task = VerifyStatements(tuple(split.statements), data.sources[item], language=data.language)
        verdicts = (await judge.perform(task)).verdicts
        marks = [unit for unit, one in zip(placed(answer, split.statements), verdicts, strict=True) if not one.verdict]
        found[item, ASPECT] = tuple(marks)
    return found


async def extra(data: Data, judge: OfflineJudge) -> Held:
    """Return the gist metric's extra units (gist and supplement), with all sources joined as the reference."""
    found: Held = {}
    for item, answer in data.answers.items():
        reference = "\n".join(data.sources[item])
        sample = Sample(item, answer=answer, reference=reference, language=data.language)
        spans = (await Gist().score(sample, judge)).details["spans"]
        units = [*spans["extra_gist"], *spans["extra_supplement"]]
        found[item, ASPECT] = tuple(Span(one["text"], one["start"], one["end"]) for one in units)
    return found


async def measured(data: Data) -> str:
    """Return the tables of one set as Markdown."""
    judge = OfflineJudge(embedder=BuiltinEmbedder())
    began = time.process_time()
    judges = {"gist, offline judge, extra": await extra(data, judge)}
    spent = time.process_time() - began
    judges |= {"unsupported statements": await unsupported(data, judge), "every sentence": sentences(data)}
    report = compare_spans(PeopleMarks(data.people, {}), judges, questions=data.questions)
    text = as_markdown(span_tables(report))
    return f"## {data.name}: {len(data.answers)} answers, {spent:.0f} s of CPU time for the gist metric\n\n{text}\n"


async def own_samples(language: Language, units: Path) -> str:
    """Return the tables of the built-in samples, with the reference's units by the judge and as written."""
    judge = OfflineJudge(embedder=BuiltinEmbedder())
    demo = load_gist(language)
    labels = list(gist_labels(demo))
    with units.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(label), ensure_ascii=False) + "\n" for label in labels)
    judges = {}
    for name, metric in (("units by the judge", Gist()), ("units as written", Gist(units=str(units)))):
        scored = [Scored(one.sample.id, metric.name, await metric.score(one.sample, judge)) for one in demo]
        judges |= judges_of(scored, name)
    report = compare_spans(people_of(labels), judges)
    return f"## Built-in samples, {language}: {len(demo)} answers\n\n{as_markdown(span_tables(report))}\n"


# ------------------------------------------------------------------------------------------------------- how fast


def speed() -> str:
    """Return the CPU seconds to pair 2,000 units with 2,000 on one text: separate, in chains, or all overlapping."""
    draw = random.Random(0)
    lines = []
    pair_units([Span("", 0, 1)] * 2, [Span("", 0, 1)] * 2)  # loads scipy before the measurement
    for name, length, reach in (
        ("separate", 1_000_000, 60),
        ("in chains", 100_000, 300),
        ("all overlapping", 5_000, 2_000),
    ):
        sides = []
        for _ in range(2):
            starts = [draw.randrange(length) for _ in range(2_000)]
            sides.append([Span("", start, start + draw.randint(1, reach)) for start in starts])
        began = time.process_time()
        pairs = pair_units(*sides)
        lines.append(f"2,000 x 2,000 units, {name}: {time.process_time() - began:.2f} s, {len(pairs):,} pairs")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and print the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--markdown", type=Path, help="also write the tables to this file")
    chosen = options.parse_args()
    texts = [speed()]
    with tempfile.TemporaryDirectory() as temporary:
        texts += [asyncio.run(own_samples(each, Path(temporary) / "units.jsonl")) for each in ("ja", "en")]
    folder = Path(os.environ.get("SAITEN_DATA") or "/nowhere")
    for name, read in (("squality_human", squality), ("jhars_dev", jhars)):
        if (folder / name).is_dir():
            texts.append(asyncio.run(measured(read(folder / name))))
        else:
            print(f"{name} is not under SAITEN_DATA: skipped")
    print("\n".join(texts))
    if chosen.markdown:
        chosen.markdown.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
