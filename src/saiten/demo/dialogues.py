"""The demo's dialogues: 48 pairs of question and reference about the built-in texts, put to our RAG without a model."""

from collections.abc import Sequence
from pathlib import Path

from saiten.choices import RagForm
from saiten.demo.questions import demo_questions
from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.running import Conversations, Conversing, open_journal
from saiten.executor import LocalExecutor
from saiten.judges.offline import OfflineJudge
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever, System
from saiten.rag.extractive import ExtractiveGenerator
from saiten.rag.system import FORMS, Rag
from saiten.records import Retrieved, Sample
from saiten.runs import RunSettings
from saiten.runs.engine import Watch, run_all

DATA = "the built-in questions of saiten"
"""What the runs were made of, so that a later demo knows them for its own."""

PASSAGES = 3
"""Passages a question; a text has some twenty."""


def demo_system(retriever: Retriever, form: RagForm) -> System:
    """Our RAG with the generator that needs no model."""
    return Rag(retriever, ExtractiveGenerator(), form=form, k=PASSAGES)


async def hold_dialogues(
    folder: Path, retriever: Retriever, watch: Watch[Dialogue], forms: Sequence[RagForm] = FORMS
) -> list[Path]:
    """A run for each form, in `folder/qa` and `folder/mqa`, with the offline judge as grader, composer and questioner.

    The same again goes on where it stopped. The retriever is not closed.
    """

    async def find(pair: Sample) -> Retrieved:
        return await retriever.retrieve(evidence_query(pair), PASSAGES)

    runs = []
    for form in forms:
        system = demo_system(retriever, form)
        conversations = Conversations(system, OfflineJudge(), find_evidence=find, evidence_from=retriever.name)
        settings = RunSettings(data=DATA, judge={"judge": "offline"}, more=conversations.settings())
        with open_journal(folder / form, settings, conversations.signatures()) as journal:
            await run_all(Conversing(journal, conversations), demo_questions(), LocalExecutor(4), watch)
        runs.append(folder / form)
    return runs
