"""What the extractive generator is worth: its answers against references, beside the first sentences of what was found.

    SAITEN_DATA=/where/they/are python benchmarks/extractive.py

English: the answerable questions of clapnq_human and their reference. Japanese: jhars_dev has no references; the
sentences of three models' answers that people found free of hallucination stand in for them, the best of three counts.
Passages are the question's own one, or the five that the built-in embedder finds among all passages of the set. Every
interval is a 95 % bootstrap over questions, and each difference is paired with the first three sentences.
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
    """A question, its own passages, and its references; none where it cannot be answered."""

    text: str
    passages: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A retriever that knows beforehand what it will find."""

    passages: Mapping[str, Sequence[str]]
    name: str = "found"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """What belongs to the question."""
        return Retrieved(tuple(Passage(text) for text in self.passages[query]))

    async def close(self) -> None:
        """Nothing to let go of."""


def rows(file: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def clapnq(folder: Path) -> list[Question]:
    """The questions of clapnq_human."""
    return [
        Question(
            row["question"],
            tuple(context["text"] for context in row["contexts"]),
            tuple(row["references"]) if row["answerability"] == "ANSWERABLE" else (),
        )
        for row in rows(folder / "questions.jsonl")
    ]


def jhars(folder: Path) -> list[Question]:
    """The questions of jhars_dev with what is sound of three models' answers."""
    sound: dict[str, list[str]] = {}
    for row in rows(folder / "responses.jsonl"):
        text = "".join(each["sentence"] for each in row["sentences"] if each["label"] == "No_hallucination")
        sound.setdefault(row["qid"], []).append(text)
    return [
        Question(row["question"], tuple(row["contexts"]), tuple(filter(None, sound[row["qid"]])))
        for row in rows(folder / "questions.jsonl")
    ]


async def nearest(questions: Sequence[Question]) -> dict[str, Sequence[str]]:
    """For each question the passages that the built-in embedder finds among all."""
    passages = list(dict.fromkeys(text for question in questions for text in question.passages))
    embedder = BuiltinEmbedder()
    asked = (await embedder.embed([question.text for question in questions])).vectors
    near = np.argsort(-(asked @ (await embedder.embed(passages)).vectors.T), axis=1, kind="stable")[:, :K]
    return {question.text: [passages[at] for at in row] for question, row in zip(questions, near, strict=True)}


def first_sentences(passages: Sequence[str], count: int, language: Language) -> str:
    """The beginning of what was found."""
    found = [sentence.text for text in passages for sentence in split_sentences(text, language)]
    return (" " if language == "en" else "").join(found[:count])


async def answers_of(
    questions: Sequence[Question], found: Mapping[str, Sequence[str]], language: Language
) -> dict[str, list[str]]:
    """The answers of each way to make them."""
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
    """The tables of one set."""
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
    return (await metric.score(sample, None)).value or 0.0  # type: ignore[arg-type] - they ask a judge nothing


def main() -> None:
    """Measure and print."""
    named = os.environ.get("SAITEN_DATA")
    if not named:
        sys.exit("set SAITEN_DATA to the folder with clapnq_human and jhars_dev")
    for name, read, language in (("clapnq_human", clapnq, "en"), ("jhars_dev", jhars, "ja")):
        folder = Path(named) / name
        if folder.is_dir():
            asyncio.run(report(name, read(folder), language))  # type: ignore[arg-type]
        else:
            print(f"{folder} is not there; skipped")


if __name__ == "__main__":
    main()
