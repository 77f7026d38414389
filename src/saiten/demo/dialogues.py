"""The demo's dialogues: 48 pairs of question and reference about the built-in texts, put to our RAG without a model."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from saiten.demo.samples import load_demo
from saiten.dialogue.naming import open_journal
from saiten.dialogue.running import Conversations, Watch, converse_into
from saiten.execution import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever, System
from saiten.rag.extractive import ExtractiveGenerator
from saiten.rag.system import FORMS, Form, Rag
from saiten.records import Language, Retrieved, Sample

DATA = "the built-in questions of saiten"
"""What the runs were made of, so that a later demo knows them for its own."""

PASSAGES = 3
"""Passages a question; a text has some twenty."""


def corpus() -> Path:
    """The folder with the texts, Japanese and English."""
    return Path(str(files("saiten.demo") / "corpus"))


def demo_pairs(language: Language | None = None) -> list[Sample]:
    """The questions with their references, each once; grouped by language and text: `ja handbook`, `en manual`."""
    pairs: dict[str, Sample] = {}
    for one in load_demo(language):
        sample = one.sample
        identity = sample.id.rpartition("-")[0]
        group = f"{sample.language} {sample.group}"
        pair = Sample(identity, sample.question, reference=sample.reference, group=group, language=sample.language)
        pairs.setdefault(identity, pair)
    return list(pairs.values())


def demo_system(retriever: Retriever, form: Form) -> System:
    """Our RAG with the generator that needs no model."""
    return Rag(retriever, ExtractiveGenerator(), form=form, k=PASSAGES)


async def hold_dialogues(folder: Path, retriever: Retriever, watch: Watch, forms: Sequence[Form] = FORMS) -> list[Path]:
    """A run for each form, in `folder/qa` and `folder/mqa`, with the offline judge as grader, composer and questioner.

    The same again goes on where it stopped. The retriever is not closed.
    """

    async def find(pair: Sample) -> Retrieved:
        return await retriever.retrieve(evidence_query(pair), PASSAGES)

    runs = []
    for form in forms:
        system = demo_system(retriever, form)
        conversations = Conversations(
            system, OfflineJudge(), LocalExecutor(4), find_evidence=find, evidence_from=retriever.name
        )
        settings = {
            "data": DATA,
            "system": {"name": system.name, **system.describe()},
            "max_turns": conversations.max_turns,
            "judge": "offline",
            "evidence_from": retriever.name,
        }
        with open_journal(folder / form, settings, conversations.signatures()) as journal:
            await converse_into(journal, demo_pairs(), conversations, watch)
        runs.append(folder / form)
    return runs
