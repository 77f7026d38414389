"""Agreement of the offline judge with people, compared with simple baselines and, if in the data, LLM judges.

    SAITEN_DATA=/where/they/are python benchmarks/offline_judge.py [--markdown FILE] [--only SET]

Intervals are 95 % bootstraps over questions. Missing sets are skipped with a message. Reading the data and the simple
baselines are implemented only in this file; the judge performs its tasks as it does for metrics.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from rapidfuzz.distance import LCSseq

from saiten.errors import BadInput
from saiten.judges.offline import Aspect, Calibration, OfflineJudge
from saiten.metrics.catalog import make_metric
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Language, Sample
from saiten.runs.scoring import score_once
from saiten.stats.auroc import auroc
from saiten.stats.classification import agreement, balanced_accuracy, cohen_kappa
from saiten.stats.correlation import kendall, pearson
from saiten.stats.estimate import Estimate, Statistic, bootstrap_statistic
from saiten.tasks.contexts import SelectRelevantSentences
from saiten.tasks.correctness import DecideCorrect
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import ClassifyStatements, SplitStatements, VerifyStatements
from saiten.text.sentences import split_sentences
from saiten.tuning.calibrating import calibrate
from saiten.tuning.fitted_line import LabeledPoint

JUDGE = OfflineJudge(embedder=BuiltinEmbedder())
NOW = "**offline judge**"
Row = dict[str, Any]
Columns = tuple[Sequence[float], Sequence[float], Sequence[Any]]
"""Two columns of figures, and the questions to resample."""

# ------------------------------------------------------------------------------------------------ simple baselines


def tokens(text: str, language: Language) -> list[str]:
    """Return the words (for Japanese, the alphanumeric characters) of the normalized, lowercased text."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return [c for c in plain if c.isalnum()] if language == "ja" else re.findall(r"[^\W_]+", plain)


def pairs(text: str) -> list[str]:
    """Return the pairs of adjacent characters."""
    signs = tokens(text, "ja")
    return [a + b for a, b in pairwise(signs)]


def share(wanted: Sequence[str], there: Sequence[str]) -> float:
    """Return the share of the wanted tokens that are there; 0 if none are wanted."""
    known = set(there)
    return sum(each in known for each in wanted) / len(wanted) if wanted else 0.0


def f1(one: Sequence[str], other: Sequence[str]) -> float:
    """Return token F1 on multisets."""
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def rouge_l(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the F1 of the longest common subsequence."""
    shared = LCSseq.similarity(one, other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def contains(answer: str, reference: str) -> bool:
    """Return whether the answer contains the reference's words as a sequence."""
    return f" {' '.join(tokens(reference, 'en'))} " in f" {' '.join(tokens(answer, 'en'))} "


# --------------------------------------------------------------------------------------------- asking the judge


async def supports(question: str, answer: str, contexts: Sequence[str], language: Language) -> list[float]:
    """Return the probability of each statement of the answer; 0.5 if the judge has none."""
    split = await JUDGE.perform(SplitStatements(question, answer, language=language))
    task = VerifyStatements(tuple(split.statements), tuple(contexts), language=language)
    return [0.5 if v.p is None else v.p for v in (await JUDGE.perform(task)).verdicts]


async def p_correct(question: str, answer: str, references: Sequence[str], language: Language = "en") -> float:
    """Return the probability that the answer is correct."""
    decision = await JUDGE.perform(DecideCorrect(question, answer, tuple(references), language=language))
    return decision.p or 0.0


async def mean_support(question: str, answer: str, reference: str) -> tuple[float, float]:
    """Return the mean p of the answer's statements given the reference, and of the reference's given the answer."""
    ours = (await JUDGE.perform(SplitStatements(question, answer, language="en"))).statements
    theirs = (await JUDGE.perform(SplitStatements(question, reference, language="en"))).statements
    found = await JUDGE.perform(ClassifyStatements(question, tuple(ours), tuple(theirs), language="en"))
    means = [fmean([v.p or 0.0 for v in verdicts] or [0.0]) for verdicts in (found.answer, found.reference)]
    return means[0], means[1]


# -------------------------------------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    data: str
    what: str
    by: str
    found: Estimate


RESAMPLES = 400


def line(data: str, what: str, by: str, statistic: Statistic, columns: Columns) -> Line:
    """Compute one figure with its interval."""
    x, y, questions = columns
    return Line(data, what, by, bootstrap_statistic(statistic, x, y, questions, resamples=RESAMPLES))


def pick(chosen: Sequence[int], x: Sequence[Any], y: Sequence[Any], questions: Sequence[Any]) -> Columns:
    """Return the chosen rows of three columns."""
    return [x[at] for at in chosen], [y[at] for at in chosen], [questions[at] for at in chosen]


def rows(file: Path) -> Iterator[Row]:
    """Read the lines of a JSONL file."""
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def clapnq(folder: Path) -> list[Line]:
    """Measure faithfulness of English RAG answers: three annotators per answer, 1 to 4."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    people, qids, of_models = [], [], []
    by: dict[str, list[float]] = {
        name: [] for name in (NOW + ", mean p", NOW + ", weakest p", "context overlap", "length")
    }
    spent, statements = 0.0, 0
    for row in rows(folder / "responses.jsonl"):
        asked = questions[row["qid"]]
        contexts = [f"{context['title']}\n{context['text']}" for context in asked["contexts"]]
        began = time.process_time()
        found = await supports(asked["question"], row["answer"], contexts, "en") or [0.0]
        spent += time.process_time() - began
        statements += len(found)
        words = tokens(row["answer"], "en")
        figures = (fmean(found), min(found), share(words, tokens(" ".join(contexts), "en")), len(words))
        for name, figure in zip(list(by)[:4], figures, strict=True):
            by[name].append(figure)
        for name, figure in row["metrics"].items():
            by.setdefault(f"stored {name}", []).append(figure)
        people.append(fmean(row["human"]["faithfulness"].values()))
        qids.append(row["qid"])
        of_models.append(row["system"] != "reference")
    print(
        f"clapnq_human: {statements / spent:,.0f} statements per CPU second, including splitting and indexing",
        file=sys.stderr,
    )
    lines = []
    for what, kept in (("faithfulness", [True] * len(qids)), ("faithfulness, the three models", of_models)):
        chosen = [at for at, keep in enumerate(kept) if keep]
        for name, column in by.items():
            for label, statistic in (("Pearson", pearson), ("Kendall", kendall)):
                columns = pick(chosen, column, people, qids)
                lines.append(line("clapnq_human", f"{what}, {label}", name, statistic, columns))
    return lines


WITH_EXPECTED = ("faithfulness", "accuracy", "answer_correctness")
"""Metrics whose expected value differs from the value."""


async def figures_of(names: Sequence[str], sample: Sample) -> Row:
    """Return the value of each metric, and the expected value where it differs; None where there is none."""
    found: Row = {}
    for name in names:
        score = await score_once(sample, make_metric(name), JUDGE)
        found[name] = score.value
        if name in WITH_EXPECTED:
            found[f"{name}, expected"] = score.value if score.expected is None else score.expected
    return found


def compared(
    data: str, what: str, statistic: Statistic, scored: Sequence[tuple[Row, float, Any]], *, against: str
) -> list[Line]:
    """Compare metrics by the same answers: each figure, and its difference from `against` (expected: from the value).

    `scored`: the metrics' figures, people's, and the question, per answer; answers without a figure are left out.
    """
    names = list(dict.fromkeys(name for found, _, _ in scored for name in found))
    kept = [each for each in scored if all(each[0].get(name) is not None for name in names)]
    people, questions = [each[1] for each in kept], [each[2] for each in kept]
    columns = {name: [each[0][name] for each in kept] for name in names}
    lines = [line(data, what, f"metric {name}", statistic, (people, columns[name], questions)) for name in names]
    rows_of: dict[Any, list[int]] = {}
    for at, question in enumerate(questions):
        rows_of.setdefault(question, []).append(at)
    draw = random.Random(0)
    units = list(rows_of)
    drawn = [[at for unit in draw.choices(units, k=len(units)) for at in rows_of[unit]] for _ in range(RESAMPLES)]

    def value(name: str, rows: Sequence[int]) -> float:
        return statistic([people[at] for at in rows], [columns[name][at] for at in rows]).value or 0.0

    whole = range(len(kept))
    for name in names:
        base = name.removesuffix(", expected") if name.endswith(", expected") else against
        if name != base:
            gains = sorted(value(name, rows) - value(base, rows) for rows in drawn)
            low, high = gains[round(0.025 * RESAMPLES)], gains[round(0.975 * RESAMPLES) - 1]
            found = Estimate(value(name, whole) - value(base, whole), len(kept), low=low, high=high)
            lines.append(Line(data, f"{what}, more than {base}", f"metric {name}", found))
    return lines


async def values_or_expected(folder: Path) -> list[Line]:
    """Compare values, expected values and plain metrics as commands give them: what ranks answers as people do."""
    lines: list[Line] = []
    questions = {row["qid"]: row for row in rows(folder / "clapnq_human" / "questions.jsonl")}
    names = ("faithfulness", "faithfulness[worst]", "context_overlap")
    found, systems = [], []
    for row in rows(folder / "clapnq_human" / "responses.jsonl"):
        asked = questions[row["qid"]]
        contexts = tuple(f"{context['title']}\n{context['text']}" for context in asked["contexts"])
        figures = await figures_of(names, Sample("1", asked["question"], row["answer"], contexts))
        found.append((figures, fmean(row["human"]["faithfulness"].values()), row["qid"]))
        systems.append(row["system"])
    models = [each for each, system in zip(found, systems, strict=True) if system != "reference"]
    for label, statistic in (("Pearson", pearson), ("Kendall", kendall)):
        lines += compared("clapnq_human", f"faithfulness, {label}", statistic, models, against="faithfulness")
    lines += system_means("clapnq_human", found, systems)
    questions = {row["qid"]: row for row in rows(folder / "jhars_dev" / "questions.jsonl")}
    found = []
    for row in rows(folder / "jhars_dev" / "responses.jsonl"):
        asked = questions[row["qid"]]
        sample = Sample("1", asked["question"], row["answer"], tuple(asked["contexts"]), language="ja")
        good = all(each["label"] in ("No_hallucination", "DISPUTED", None) for each in row["sentences"])
        found.append((await figures_of(names, sample), float(good), row["qid"]))
    lines += compared("jhars_dev", "whole answer, AUROC", auroc, found, against="faithfulness")
    names = ("accuracy", "correctness", "word_recall", "token_f1")
    for data, file in (("NQ301", "nq301_judged"), ("EVOUNA-NQ", "evouna_nq")):
        found, systems = [], []
        for row in rows(folder / "qa_correctness" / f"{file}.jsonl"):
            answers = row.get("answers") or {"": row["answer"]}
            for system, answer in answers.items():
                label = row["human"][system or "correct"]
                if label is None:
                    continue
                references = row["references"]
                sample = Sample(
                    "1", row["question"], answer or "", reference=references[0], alternatives=tuple(references[1:])
                )
                figures = await figures_of(names, sample)
                figures["correctness"] = figures["correctness"] or 0.0  # None: the answer declines
                found.append((figures, float(label), row["qid"]))
                systems.append(system)
        lines += compared(data, "correct, AUROC", auroc, found, against="accuracy")
        lines += system_means(data, found, systems) if any(systems) else []
    return lines


def system_means(data: str, found: Sequence[tuple[Row, float, Any]], systems: Sequence[str]) -> list[Line]:
    """Return each system's mean by people, and by each metric."""
    lines = []
    for system in sorted(set(systems)):
        mine = [each for each, one in zip(found, systems, strict=True) if one == system]
        lines.append(Line(data, f"mean of {system}", "people", Estimate(fmean(each[1] for each in mine), len(mine))))
        for name in mine[0][0]:
            values = [each[0][name] for each in mine if each[0].get(name) is not None]
            lines.append(Line(data, f"mean of {system}", f"metric {name}", Estimate(fmean(values), len(values))))
    return lines


async def long_references(folder: Path) -> list[Line]:
    """Compare metrics against long references as commands give them: differences of pairs, and summaries."""
    names = ("accuracy", "correctness", "answer_correctness", "token_f1", "rouge_l")
    found = []
    for row in rows(folder / "ragchecker_meta" / "pairs.jsonl"):
        both = []
        for which in ("1", "2"):
            sample = Sample("1", row["question"], row[f"answer_{which}"], reference=row["reference"])
            figures = await figures_of(names, sample)
            both.append({name: figure or 0.0 for name, figure in figures.items()})
        gap = {name: both[1].get(name, 0.0) - both[0].get(name, 0.0) for name in both[0] | both[1]}
        found += [(gap, float(row["human"]["overall"][who]), row["id"]) for who in ("a1", "a2")]
    lines = compared("ragchecker_meta", "overall, Pearson", pearson, found, against="token_f1")
    asked = {row["qid"]: row for row in rows(folder / "squality_human" / "questions.jsonl")}
    found = []
    for row in rows(folder / "squality_human" / "responses.jsonl"):
        if row["system"] != "human":
            first, *others = asked[row["qid"]]["references"]
            question = asked[row["qid"]]["question"]
            sample = Sample("1", question, row["answer"], reference=first, alternatives=tuple(others))
            figures = {name: figure or 0.0 for name, figure in (await figures_of(names, sample)).items()}
            found.append((figures, fmean(row["human"]["correctness"].values()), row["qid"]))
    return lines + compared("squality_human", "correctness, Pearson", pearson, found, against="rouge_l")


async def jhars(folder: Path) -> list[Line]:
    """Measure Japanese RAG answers with hallucinations marked per sentence."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    good, qids = [], []
    by: dict[str, list[float]] = {
        name: [] for name in (NOW, "context overlap (characters)", "context overlap (character pairs)", "length")
    }
    whole_good, whole_qids, weakest, overlaps = [], [], [], []
    for row in rows(folder / "responses.jsonl"):
        asked = questions[row["qid"]]
        source = " ".join(asked["contexts"])
        kept = [s for s in row["sentences"] if s["label"] not in ("DISPUTED", None)]
        task = VerifyStatements(tuple(s["sentence"] for s in kept), tuple(asked["contexts"]), language="ja")
        found = [0.5 if v.p is None else v.p for v in (await JUDGE.perform(task)).verdicts]
        for sentence, p in zip(kept, found, strict=True):
            text = sentence["sentence"]
            figures = (
                p,
                share(tokens(text, "ja"), tokens(source, "ja")),
                share(pairs(text), pairs(source)),
                len(text),
            )
            for name, figure in zip(by, figures, strict=True):
                by[name].append(figure)
            good.append(float(sentence["label"] == "No_hallucination"))
            qids.append(row["qid"])
        whole_good.append(float(all(s["label"] == "No_hallucination" for s in kept)))
        whole_qids.append(row["qid"])
        weakest.append(min(await supports(asked["question"], row["answer"], asked["contexts"], "ja")))
        overlaps.append(share(pairs(row["answer"]), pairs(source)))
    lines = [
        line("jhars_dev", "sentence without hallucination, AUROC", name, auroc, (good, column, qids))
        for name, column in by.items()
    ]
    for name in list(by)[:3]:
        decided = [float(p >= 0.5) for p in by[name]]
        lines.append(
            line("jhars_dev", "sentence, balanced accuracy at 0.5", name, balanced_accuracy, (good, decided, qids))
        )
    for name, column in ((NOW + ", weakest p", weakest), ("context overlap (character pairs)", overlaps)):
        lines.append(line("jhars_dev", "whole answer, AUROC", name, auroc, (whole_good, column, whole_qids)))
    return lines


def _decisions(
    data: str, truth: Sequence[float], by: dict[str, Sequence[float | None]], qids: Sequence[Any]
) -> list[Line]:
    """Compute agreement, kappa and AUROC of several judges, each without the items that it did not decide."""
    lines = []
    for name, figures in by.items():
        kept = [at for at, figure in enumerate(figures) if figure is not None]
        y, p, q = pick(kept, truth, figures, qids)
        decided = [float(each >= 0.5) for each in p]
        lines.append(line(data, "correct, agreement", name, agreement, (y, decided, q)))
        lines.append(line(data, "correct, kappa", name, cohen_kappa, (y, decided, q)))
        lines.append(line(data, "correct, AUROC", name, auroc, (y, p, q)))
    return lines


async def nq301(folder: Path) -> list[Line]:
    """Measure short English answers: two annotators per answer, and verdicts of three models."""
    items = list(rows(folder / "nq301_judged.jsonl"))
    by: dict[str, Sequence[float | None]] = {
        NOW: [await p_correct(row["question"], row["answer"], row["references"]) for row in items],
        "contains the reference": [
            float(any(contains(row["answer"], each) for each in row["references"])) for row in items
        ],
        "token recall ≥ 0.5": [
            max(share(tokens(each, "en"), tokens(row["answer"], "en")) for each in row["references"]) for row in items
        ],
    }
    for judge in items[0]["judges"]:
        by[judge] = [row["judges"][judge] for row in items]
    return _decisions(
        "qa_correctness NQ301", [float(row["human"]["correct"]) for row in items], by, [row["qid"] for row in items]
    )


async def evouna(folder: Path) -> list[Line]:
    """Measure answers of five systems to Natural Questions, one annotator per answer."""
    items = [
        (row["question"], answer or "", row["references"], float(row["human"][system]), row["qid"])
        for row in rows(folder / "evouna_nq.jsonl")
        for system, answer in row["answers"].items()
        if row["human"][system] is not None
    ]
    by: dict[str, Sequence[float | None]] = {
        NOW: [await p_correct(question, answer, references) for question, answer, references, _, _ in items],
        "contains the reference": [
            float(any(contains(answer, each) for each in refs)) for _, answer, refs, _, _ in items
        ],
        "token recall ≥ 0.5": [
            max(share(tokens(each, "en"), tokens(answer, "en")) for each in refs) for _, answer, refs, _, _ in items
        ],
    }
    return _decisions("qa_correctness EVOUNA-NQ", [item[3] for item in items], by, [item[4] for item in items])


async def ragchecker(folder: Path) -> list[Line]:
    """Compare differences of figures with two annotators' grades (−2 to 2) of pairs of long English answers."""
    differences: dict[str, dict[str, list[float]]] = {}
    people: dict[str, list[float]] = {aspect: [] for aspect in ("correctness", "completeness", "overall")}
    ids: list[Any] = []
    for row in rows(folder / "pairs.jsonl"):
        figures = []
        reference = tokens(row["reference"], "en")
        for which in ("1", "2"):
            answer = row[f"answer_{which}"]
            precision, recall = await mean_support(row["question"], answer, row["reference"])
            checker = row[f"ragchecker_{which}"]
            words = tokens(answer, "en")
            both = precision + recall
            figures.append(
                {
                    "correctness": {NOW + ", answer's statements": precision, "RAGChecker": checker["correctness"]},
                    "completeness": {NOW + ", reference's statements": recall, "RAGChecker": checker["completeness"]},
                    "overall": {
                        NOW + ", F1 of the two": 2 * precision * recall / both if both else 0.0,
                        "RAGChecker": checker["overall"],
                    },
                }
            )
            p = await p_correct(row["question"], answer, [row["reference"]])
            for by in figures[-1].values():
                by |= {
                    NOW + ", p correct": p,
                    "ROUGE-L": rouge_l(words, reference),
                    "token F1": f1(words, reference),
                    "length": len(words),
                }
        for aspect, by in figures[0].items():
            for name, first in by.items():
                differences.setdefault(aspect, {}).setdefault(name, []).extend([figures[1][aspect][name] - first] * 2)
            people[aspect].extend(row["human"][aspect][who] for who in ("a1", "a2"))
        ids.extend([row["id"]] * 2)
    return [
        line("ragchecker_meta", f"{aspect}, Pearson", name, pearson, (figures, people[aspect], ids))
        for aspect, by in differences.items()
        for name, figures in by.items()
    ]


def parsed(raw: str) -> float | None:
    """Return 1 for *Yes, answer is present*, 0 for *I don't know*, None for both or anything else."""
    small = raw.lower().replace("’", "'")
    yes, no = "yes, answer is present" in small or small.strip().startswith("yes"), "i don't know" in small
    return None if yes == no else float(yes)


async def nomiracl(folder: Path) -> list[Line]:
    """Measure whether ten contexts contain the answer to a Japanese question; with eleven LLM judges."""
    items = [*rows(folder / "relevant.jsonl"), *rows(folder / "non_relevant.jsonl")]
    truth, ids = [float(row["human_answer_present"]) for row in items], [row["id"] for row in items]
    shares, any_selected = [], []
    for row in items:
        sentences = tuple(s.text for context in row["contexts"] for s in split_sentences(context, "ja"))
        found = await JUDGE.perform(SelectRelevantSentences(row["question"], sentences, language="ja"))
        shares.append(len(found.numbers) / len(sentences))
        any_selected.append(float(bool(found.numbers)))
    overlap = [max(share(pairs(row["question"]), pairs(context)) for context in row["contexts"]) for row in items]
    name, what = "nomiracl_ja_dev", "the contexts contain the answer"
    lines = [
        line(name, f"{what}, AUROC", NOW + ", share of sentences selected", auroc, (truth, shares, ids)),
        line(name, f"{what}, AUROC", "question overlap (character pairs)", auroc, (truth, overlap, ids)),
        line(name, f"{what}, agreement", NOW + ", any sentence selected", agreement, (truth, any_selected, ids)),
    ]
    for judge in sorted(items[0]["judge_raw"]):
        said = [parsed(row["judge_raw"][judge] or "") for row in items]
        kept = [at for at, verdict in enumerate(said) if verdict is not None]
        lines.append(line(name, f"{what}, agreement", judge, agreement, pick(kept, truth, said, ids)))
    return lines


async def japanese_pairs(folder: Path) -> list[Line]:
    """Measure similarity (0 to 5) and entailment of Japanese sentence pairs."""
    lines = []
    items = list(rows(folder / "jsts.jsonl"))
    people, ids = [row["label"] for row in items], [row["id"] for row in items]
    cosines = []
    for row in items:
        task = MeasureSimilarity(row["sentence1"], (row["sentence2"],), language="ja")
        cosines.append((await JUDGE.perform(task)).values[0])
    plain = [f1(tokens(row["sentence1"], "ja"), tokens(row["sentence2"], "ja")) for row in items]
    for name, figures in ((f"{NOW}, {BuiltinEmbedder().name}", cosines), ("character F1", plain)):
        lines.append(line("ja_sim_nli JSTS", "similarity, Pearson", name, pearson, (figures, people, ids)))
    entailment = [
        ("JNLI", [(r["sentence1"], r["sentence2"], r["label"], r["id"]) for r in rows(folder / "jnli.jsonl")]),
        (
            "JSICK",
            [
                (r["sentence_A"], r["sentence_B"], r["entailment_gold"], r["id"])
                for r in rows(folder / "jsick_annotators.jsonl")
            ],
        ),
    ]
    for data, texts in entailment:
        truth = [float(label == "entailment") for _, _, label, _ in texts]
        ids = [each[3] for each in texts]
        ours = []
        for premise, hypothesis, _, _ in texts:
            held = VerifyStatements((hypothesis,), (premise,), language="ja")
            ours.append((await JUDGE.perform(held)).verdicts[0].p or 0.5)
        plain = [share(tokens(hypothesis, "ja"), tokens(premise, "ja")) for premise, hypothesis, _, _ in texts]
        for name, figures in ((NOW, ours), ("context overlap (characters)", plain)):
            lines.append(line(f"ja_sim_nli {data}", "entailment, AUROC", name, auroc, (truth, figures, ids)))
        decided = [float(p >= 0.5) for p in ours]
        lines.append(
            line(
                f"ja_sim_nli {data}",
                "entailment, balanced accuracy at 0.5",
                NOW,
                balanced_accuracy,
                (truth, decided, ids),
            )
        )
    return lines


async def squality(folder: Path) -> list[Line]:
    """Measure long English summaries: three reviewers, correctness 0 to 100, four human references."""
    references = {row["qid"]: row["references"] for row in rows(folder / "questions.jsonl")}
    questions = {row["qid"]: row["question"] for row in rows(folder / "questions.jsonl")}
    by: dict[str, list[float]] = {name: [] for name in (NOW + ", p correct", "token F1", "ROUGE-L", "length")}
    people, qids = [], []
    for row in rows(folder / "responses.jsonl"):
        if row["system"] == "human":  # also one of the references
            continue
        others, words = references[row["qid"]], tokens(row["answer"], "en")
        by[NOW + ", p correct"].append(await p_correct(questions[row["qid"]], row["answer"], others))
        by["token F1"].append(max(f1(words, tokens(each, "en")) for each in others))
        by["ROUGE-L"].append(max(rouge_l(words, tokens(each, "en")) for each in others))
        by["length"].append(len(words))
        people.append(fmean(row["human"]["correctness"].values()))
        qids.append(row["qid"])
    return [
        line("squality_human", "correctness of two systems, Pearson", name, pearson, (figures, people, qids))
        for name, figures in by.items()
    ]


# ------------------------------------------------------------------------------------------------- calibration


async def clapnq_points(folder: Path) -> list[LabeledPoint]:
    """Return the weakest statement of each answer; faithful if the mean grade of people is at least 3."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    points = []
    for row in rows(folder / "responses.jsonl"):
        contexts = [f"{context['title']}\n{context['text']}" for context in questions[row["qid"]]["contexts"]]
        found = await supports("", row["answer"], contexts, "en")
        faithful = float(fmean(row["human"]["faithfulness"].values()) >= 3)
        if found and row["system"] != "reference":
            points.append(LabeledPoint(f"{row['qid']}/{row['system']}", min(found), faithful, row["qid"]))
    return points


async def jhars_points(folder: Path) -> list[LabeledPoint]:
    """Return the weakest statement of each answer; faithful if no sentence is marked."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    points = []
    for row in rows(folder / "responses.jsonl"):
        weakest = min(await supports("", row["answer"], questions[row["qid"]]["contexts"], "ja"))
        faithful = all(s["label"] in ("No_hallucination", "DISPUTED", None) for s in row["sentences"])
        points.append(LabeledPoint(f"{row['qid']}/{row['system']}", weakest, float(faithful), str(row["qid"])))
    return points


async def jnli_points(folder: Path) -> list[LabeledPoint]:
    """Return one statement per pair; supported if it is entailed."""
    points = []
    for row in rows(folder / "jnli.jsonl"):
        p = (await supports("", row["sentence2"], [row["sentence1"]], "ja"))[0]
        points.append(LabeledPoint(row["id"], p, float(row["label"] == "entailment"), row["id"]))
    return points


async def nq301_points(folder: Path) -> list[LabeledPoint]:
    """Return one point per answer; correct by the final human verdict."""
    points = []
    for row in rows(folder / "nq301_judged.jsonl"):
        p = await p_correct(row["question"], row["answer"], row["references"])
        points.append(LabeledPoint(row["id"], p, float(row["human"]["correct"]), str(row["qid"])))
    return points


async def squality_points(folder: Path) -> list[LabeledPoint]:
    """Return one point per summary; the grade is the mean correctness, rescaled from 0–100 to 1–5."""
    references = {row["qid"]: row["references"] for row in rows(folder / "questions.jsonl")}
    points = []
    for row in rows(folder / "responses.jsonl"):
        if row["system"] != "human":
            p = await p_correct("", row["answer"], references[row["qid"]])
            grade = 1 + fmean(row["human"]["correctness"].values()) / 25
            points.append(LabeledPoint(f"{row['qid']}/{row['system']}", p, grade, row["qid"]))
    return points


LEARNT: tuple[tuple[str, Aspect, Callable[[Path], Coroutine[Any, Any, list[LabeledPoint]]]], ...] = (
    ("clapnq_human", "support", clapnq_points),
    ("jhars_dev", "support", jhars_points),
    ("ja_sim_nli", "support", jnli_points),
    ("qa_correctness", "correct", nq301_points),
    ("squality_human", "grade", squality_points),
)
DRAWS = 40


async def calibration(data: Path) -> list[Line]:
    """Measure the effect of 20 and 50 labels: fitted on random samples, tested on all other questions, 40 times."""
    lines = []
    for folder, aspect, read in LEARNT:
        if (data / folder).is_dir():
            points = await read(data / folder)
            lines += [each for n in (20, 50) for each in learnt(folder, aspect, points, n)]
    return lines


def learnt(data: str, aspect: Aspect, points: Sequence[LabeledPoint], n: int) -> list[Line]:
    """Return the mean over the draws, with the range without the lowest and the highest."""
    draw = random.Random(n)
    found: dict[str, list[float]] = {}
    drawn = 0
    while drawn < DRAWS:
        chosen = draw.sample(points, n)
        try:
            made = calibrate(chosen, aspect, "-")
        except BadInput:
            continue  # too few of one kind: a user would be asked to label more
        drawn += 1
        asked = {point.question for point in chosen}
        rest = [point for point in points if point.question not in asked]
        for name, figure in held_out_figures(aspect, chosen, rest, made).items():
            found.setdefault(name, []).append(figure)
    what = "mean absolute error on 1 to 5" if aspect == "grade" else "balanced accuracy"
    return [
        Line(
            f"{data}, {aspect}",
            f"{what} after {n} labels ({DRAWS} draws: mean, and range without the extremes)",
            name,
            Estimate(fmean(figures), len(points), low=sorted(figures)[1], high=sorted(figures)[-2]),
        )
        for name, figures in found.items()
    ]


def held_out_figures(
    aspect: Aspect, chosen: Sequence[LabeledPoint], rest: Sequence[LabeledPoint], made: Calibration
) -> dict[str, float]:
    """Return the figure without and with the calibration, on held-out samples."""
    truth = [point.label for point in rest]
    if aspect == "grade":
        constant = fmean(point.label for point in chosen)
        guesses = {
            "one constant grade": [constant] * len(rest),
            f"{NOW}, not calibrated": [1 + 4 * point.x for point in rest],
            f"{NOW}, calibrated": [made.apply(point.x) for point in rest],
        }
        return {name: fmean(abs(a - b) for a, b in zip(guess, truth, strict=True)) for name, guess in guesses.items()}
    decided = {
        f"{NOW}, not calibrated": [float(point.x >= 0.5) for point in rest],
        f"{NOW}, calibrated": [float(made.apply(point.x) >= 0.5) for point in rest],
    }
    return {name: balanced_accuracy(truth, verdicts).value or 0.0 for name, verdicts in decided.items()}


# ------------------------------------------------------------------------------------------------------- main

SETS: dict[str, tuple[str, Callable[[Path], Coroutine[Any, Any, list[Line]]]]] = {
    "clapnq_human": ("clapnq_human", clapnq),
    "jhars_dev": ("jhars_dev", jhars),
    "nq301": ("qa_correctness", nq301),
    "evouna": ("qa_correctness", evouna),
    "ragchecker_meta": ("ragchecker_meta", ragchecker),
    "squality_human": ("squality_human", squality),
    "nomiracl_ja_dev": ("nomiracl_ja_dev", nomiracl),
    "ja_sim_nli": ("ja_sim_nli", japanese_pairs),
    "values_or_expected": (".", values_or_expected),
    "long_references": (".", long_references),
    "calibration": (".", calibration),
}


def written(found: Estimate) -> str:
    """Format `0.83 [0.79, 0.87]`, or the reason why there is no figure."""
    if found.value is None:
        return found.reason or "–"
    return f"{found.value:.3f}" + ("" if found.low is None else f" [{found.low:.3f}, {found.high:.3f}]")


def table(lines: Sequence[Line]) -> str:
    """Format a Markdown table."""
    head = "| data | figure | by | value [95 % interval] | n |\n|---|---|---|---|---|\n"
    return head + "".join(f"| {x.data} | {x.what} | {x.by} | {written(x.found)} | {x.found.n:,} |\n" for x in lines)


def main() -> None:
    """Measure every available set, and print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--markdown", type=Path, help="also write the table to this file")
    options.add_argument("--only", choices=SETS, help="measure only this set")
    chosen = options.parse_args()
    data = Path(os.environ.get("SAITEN_DATA", ""))
    if not os.environ.get("SAITEN_DATA") or not data.is_dir():
        print("SAITEN_DATA is not a folder with evaluation sets; nothing was measured")
        return
    lines: list[Line] = []
    for name, (folder, measure) in SETS.items():
        if chosen.only not in (None, name):
            continue
        if not (data / folder).is_dir():
            print(f"{folder} is not under {data}: skipped", file=sys.stderr)
            continue
        began = time.process_time()
        lines += asyncio.run(measure(data / folder))
        print(f"{name}: {time.process_time() - began:.0f} s of CPU time", file=sys.stderr)
    print(table(lines))
    if chosen.markdown:
        chosen.markdown.write_text(table(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
