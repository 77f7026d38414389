"""Quality of the extractive generator: its answers and the first retrieved sentences, compared with references.

    SAITEN_DATA=/where/they/are python benchmarks/extractive.py

English: the answerable questions of clapnq_human and their references. Japanese: jhars_dev has no references; instead
each of three models' answers, reduced to the sentences that people marked free of hallucination, is one, and the best
match counts. Passages are the question's own, or the five that the built-in embedder finds among all passages of the
set. Intervals are 95 % bootstraps over questions; differences are paired, from the first three sentences.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saiten.metrics.overlap.rouge import RougeL
from saiten.metrics.overlap.word_recall import WordRecall
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.rag.chains import CHAIN_NAMES
from saiten.rag.extractive import ExtractiveGenerator
from saiten.rag.system import Rag
from saiten.records import Inquiry, Language, Passage, Retrieved, Sample
from saiten.stats.estimate import bootstrap_mean
from saiten.stats.paired import compare_paired
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences

K = 5
YARDSTICK = "first 3 sentences"


@dataclass(frozen=True)
class Question:
    """A question, its own passages, and its references: none if it cannot be answered."""

    text: str
    passages: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A retriever with fixed results."""

    passages: Mapping[str, Sequence[str]]
    name: str = "found"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """Return the passages of the question."""
        return Retrieved(tuple(Passage(text) for text in self.passages[query]))

    async def close(self) -> None:
        """There is nothing to close."""


def rows(file: Path) -> list[dict[str, Any]]:
    """Read the lines of a JSONL file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def clapnq(folder: Path) -> list[Question]:
    """Read the questions of clapnq_human."""
    return [
        Question(
            row["question"],
            tuple(context["text"] for context in row["contexts"]),
            tuple(row["references"]) if row["answerability"] == "ANSWERABLE" else (),
        )
        for row in rows(folder / "questions.jsonl")
    ]


def jhars(folder: Path) -> list[Question]:
    """Read the questions of jhars_dev, with the sound parts of three models' answers as references."""
    sound: dict[str, list[str]] = {}
    for row in rows(folder / "responses.jsonl"):
        text = "".join(each["sentence"] for each in row["sentences"] if each["label"] == "No_hallucination")
        sound.setdefault(row["qid"], []).append(text)
    return [
        Question(row["question"], tuple(row["contexts"]), tuple(filter(None, sound[row["qid"]])))
        for row in rows(folder / "questions.jsonl")
    ]


async def nearest(questions: Sequence[Question]) -> dict[str, Sequence[str]]:
    """Return the passages that the built-in embedder finds for each question, among all."""
    passages = list(dict.fromkeys(text for question in questions for text in question.passages))
    embedder = BuiltinEmbedder()
    asked = (await embedder.embed([question.text for question in questions])).vectors
    near = np.argsort(-(asked @ (await embedder.embed(passages)).vectors.T), axis=1, kind="stable")[:, :K]
    return {question.text: [passages[at] for at in row] for question, row in zip(questions, near, strict=True)}


def first_sentences(passages: Sequence[str], count: int, language: Language) -> str:
    """Return the first sentences of the passages."""
    found = [sentence.text for text in passages for sentence in split_sentences(text, language)]
    return (" " if language == "en" else "").join(found[:count])


async def answers_of(
    questions: Sequence[Question], found: Mapping[str, Sequence[str]], language: Language
) -> dict[str, list[str]]:
    """Return the answers by method: the first sentences, and each chain."""
    made = {
        f"first {count} sentence{'s' * (count > 1)}": [
            first_sentences(found[question.text], count, language) for question in questions
        ]
        for count in (1, 3)
    }
    for chain in CHAIN_NAMES:
        rag = Rag(Found(found), ExtractiveGenerator(), chain)
        made[chain] = [(await rag.answer(Inquiry(each.text, language=language))).text for each in questions]
    return made


async def report(name: str, questions: Sequence[Question], language: Language) -> None:
    """Print the tables of one set."""
    answerable = [question for question in questions if question.references]
    for title, found in (
        ("the question's own passage", {question.text: question.passages for question in questions}),
        (f"{K} passages found by the built-in embedder", await nearest(questions)),
    ):
        print(f"\n{name}, n = {len(answerable)}, {title}")
        made = await answers_of(answerable, found, language)
        for metric in (WordRecall(), RougeL()):
            values = {way: [await _value(metric, *pair, language) for pair in zip(answerable, texts, strict=True)]
                      for way, texts in made.items()}  # fmt: skip
            for way, column in values.items():
                mean, gain = bootstrap_mean(column), compare_paired(values[YARDSTICK], column)
                more = f"  {gain.difference:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})" if way in CHAIN_NAMES else ""
                print(f"{metric.name:12} {way:18} {mean.mean:.3f} ({mean.low:.3f} to {mean.high:.3f}){more}")
        if unanswerable := [question for question in questions if not question.references]:
            texts = await answers_of(unanswerable, found, language)
            declined = {way: sum(is_refusal(text, language) for text in texts[way]) for way in CHAIN_NAMES}
            print(f"declines of {len(unanswerable)} that cannot be answered: {declined}")


async def _value(metric: WordRecall | RougeL, question: Question, answer: str, language: Language) -> float:
    sample = Sample(
        "q", answer=answer, reference=question.references[0], alternatives=question.references[1:], language=language
    )
    return (await metric.score(sample, None)).value or 0.0  # type: ignore[arg-type] - these metrics use no judge


def main() -> None:
    """Measure and print the tables."""
    named = os.environ.get("SAITEN_DATA")
    if not named:
        sys.exit("set SAITEN_DATA to the folder with clapnq_human and jhars_dev")
    for name, read, language in (("clapnq_human", clapnq, "en"), ("jhars_dev", jhars, "ja")):
        folder = Path(named) / name
        if folder.is_dir():
            asyncio.run(report(name, read(folder), language))  # type: ignore[arg-type]
        else:
            print(f"{folder} does not exist; skipped")


if __name__ == "__main__":
    main()
