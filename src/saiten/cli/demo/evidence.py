"""The evidence that the judge sees: retrieved with the question and the reference together."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import commands, heading, say, table
from saiten.demo import DemoSample
from saiten.demo.dialogues import PASSAGES
from saiten.demo.questions import demo_questions
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever
from saiten.records import Sample
from saiten.wiring import Models, open_knowledge_base

SHOWN = "en-m02"


def tell(out: Path, samples: Sequence[DemoSample], console: Console) -> None:
    """How often the whole paragraph that is needed is found, and what one query finds."""
    heading("9 · What does the judge get to see? A knowledge base, and evidence", console)
    base = out / "dialogues" / "kb"
    pairs = demo_questions()
    found = asyncio.run(_found(base, pairs, needed_by(samples)))
    say(
        "A judge that sees what a wrong answer was made of takes it for right; so evidence is retrieved with question "
        f"and reference. The needed paragraph is known; among {PASSAGES} passages it is found whole:",
        console,
    )
    table(("searched with", f"of {len(pairs)} questions"), list(found.items()), console)
    question = next(pair.question for pair in pairs if pair.id == SHOWN)
    commands(
        console,
        ["index", "handbook/", "--kb", "kb"],
        ["search", question, "--kb", base, "-k", str(PASSAGES)],
        ["score", "answers.jsonl", "-m", "correctness", "--evidence", "reference", "--kb", "kb"],
    )


def needed_by(samples: Sequence[DemoSample]) -> Mapping[str, Sequence[str]]:
    """By question: the paragraphs that are needed."""
    return {one.sample.id.rpartition("-")[0]: one.sample.evidence or () for one in samples}


async def _found(base: Path, pairs: Sequence[Sample], needed: Mapping[str, Sequence[str]]) -> dict[str, int]:
    opened = await open_knowledge_base(str(base), Models())
    try:
        ways: dict[str, Callable[[Sample], str]] = {
            "the question alone": lambda pair: pair.question,
            "question and reference": evidence_query,
        }
        return {name: await _hits(opened, pairs, needed, query) for name, query in ways.items()}
    finally:
        await opened.close()


async def _hits(
    base: Retriever, pairs: Sequence[Sample], needed: Mapping[str, Sequence[str]], query: Callable[[Sample], str]
) -> int:
    hits = 0
    for pair in pairs:
        passages = (await base.retrieve(query(pair), PASSAGES)).passages
        text = _bare(" ".join(passage.text for passage in passages))
        hits += all(sentence in text for paragraph in needed[pair.id] for sentence in _sentences(paragraph))
    return hits


def _sentences(paragraph: str) -> list[str]:
    """A paragraph may be cut in two, between sentences."""
    return [_bare(each) for each in re.split(r"(?<=[.!?])\s+|(?<=。)", paragraph) if each.strip()]


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)
