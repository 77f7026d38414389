"""Built-in data for the text on chains: questions, documents, and labels of the answers that the default grid gives.

Nobody gave these labels. A *simulated person* calls an answer right if it has the numbers of the reference and most of
its words, and errs in one of ten answers.
"""

import asyncio
import random
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from saiten.choices import ChainName
from saiten.demo.files import write_documents, write_rows
from saiten.demo.samples import LANGUAGES, demo_questions
from saiten.metrics.overlap.word_recall import WordRecall
from saiten.papers.chains_people import ASPECT, SIMULATED
from saiten.records import Inquiry, Label, Sample
from saiten.results.labeled_answers import answer_digest
from saiten.runs import sample_to_json
from saiten.wiring import Models, RagSettings, index_documents, rag_over, ready

_ENOUGH = 0.6
"""The share of the reference's words in an answer that the simulated person calls right."""
_ERRS = 0.1
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class _Systems(Protocol):
    """The systems whose answers are labeled."""

    @property
    def models(self) -> Sequence[str]: ...
    @property
    def chains(self) -> Sequence[ChainName]: ...
    @property
    def k(self) -> int: ...


def write_chain_samples(folder: Path, systems: _Systems) -> None:
    """Write a data set per language, with labels of these systems' answers."""
    for language in LANGUAGES:
        questions, documents = demo_questions(language), folder / language / "documents"
        write_rows(folder / language / "questions.jsonl", map(sample_to_json, questions))
        write_documents(documents, language)
        answers = asyncio.run(_answered(questions, documents, systems))
        write_rows(folder / language / "labels.jsonl", (asdict(label) for label in simulated_labels(answers)))


async def _answered(questions: Sequence[Sample], documents: Path, systems: _Systems) -> list[Sample]:
    with TemporaryDirectory() as kb:
        models = Models()
        await index_documents((documents,), kb, models)
        return [answer async for answer in _answers(questions, kb, models, systems)]


async def _answers(questions: Sequence[Sample], kb: str, models: Models, systems: _Systems) -> AsyncIterator[Sample]:
    for generator in systems.models:
        for chain in systems.chains:
            system = rag_over(kb, RagSettings(chain, k=systems.k, generator=generator), models)
            try:
                await ready(system, models)
                for each in questions:
                    found = await system.answer(Inquiry(each.question, language=each.language))
                    called = f"{each.id}@{generator} · {chain}"
                    yield Sample(
                        called, each.question, found.text, reference=each.reference, alternatives=each.alternatives,
                        language=each.language,
                    )  # fmt: skip
            finally:
                await system.close()


def simulated_labels(answers: Sequence[Sample], seed: int = 0) -> Iterator[Label]:
    """Yield a verdict per answer; deterministic for a seed."""
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    for answer in answers:
        right = any(_says(answer, reference) for reference in answer.references)
        verdict = right != (draw.random() < _ERRS)
        yield Label(answer.id, float(verdict), SIMULATED, ASPECT, answer_digest=answer_digest(answer))


def _says(answer: Sample, reference: str) -> bool:
    given, wanted = (set(_NUMBER.findall(_plain(text))) for text in (answer.answer or "", reference))
    metric = WordRecall()
    units = [metric.units(text, answer.language) for text in (answer.answer or "", reference)]
    return wanted <= given and bool(units[1]) and metric.compare(units[0], units[1])[0] >= _ENOUGH


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
