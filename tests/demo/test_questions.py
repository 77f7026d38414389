"""The demo's questions, and whether a knowledge base of its texts finds what they need."""

import asyncio
import re

from saiten.demo import load_demo
from saiten.demo.samples import corpus, demo_questions
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.wiring import Models, index_documents, open_knowledge_base


def test_every_question_is_asked_once():
    """24 per language, each with its reference, in four groups."""
    pairs = demo_questions()
    assert len(pairs) == len({pair.question for pair in pairs}) == 48
    assert all(pair.reference and pair.answer is None for pair in pairs)
    assert {pair.group for pair in pairs} == {"ja handbook", "ja manual", "en handbook", "en manual"}
    assert len(list(corpus().rglob("*.md"))) == 4


def bare(text):
    """A text without white space."""
    return re.sub(r"\s+", "", text)


def test_evidence_is_found_more_often_with_the_reference(tmp_path):
    """Of 48 questions with known paragraphs, as the tour says: 31 with the question alone, 37 with both."""
    needed = {one.sample.id.rpartition("-")[0]: one.sample.evidence or () for one in load_demo()}

    async def found(query):
        base = await open_knowledge_base(str(tmp_path / "kb"), Models())
        hits = 0
        for pair in demo_questions():
            passages = (await base.retrieve(query(pair), 3)).passages
            text = bare(" ".join(passage.text for passage in passages))
            sentences = [each for one in needed[pair.id] for each in re.split(r"(?<=[.!?])\s+|(?<=。)", one)]
            hits += all(bare(sentence) in text for sentence in sentences)
        await base.close()
        return hits

    asyncio.run(index_documents([corpus()], str(tmp_path / "kb"), Models()))
    assert asyncio.run(found(lambda pair: pair.question)) == 31
    assert asyncio.run(found(evidence_query)) == 37
