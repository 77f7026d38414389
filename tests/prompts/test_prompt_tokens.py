"""The tokens of a sample's prompts, which are what a judge run costs, stay within their limits."""

import asyncio
import json
from dataclasses import replace

import bpe_openai
import pytest

from saiten import make_metrics
from saiten.demo.samples import load_demo
from saiten.judges.joining import joining
from saiten.judges.memo import Memo
from saiten.judges.offline import OfflineJudge
from saiten.judges.rehearsal import Rehearsal
from saiten.judges.reply_schema import schema_of
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.prompts import BUILT_IN
from saiten.records import Language, Sample
from saiten.runs.scoring import score_once
from saiten.tasks.similarity import MeasureSimilarity

O200K = bpe_openai.get_encoding("o200k_base")
MOST = {"en": 5_400, "ja": 7_050}
"""Tokens of prompts and schemas, for the nine metrics and a sample with five contexts of a hundred tokens or so."""


class Listening(Rehearsal):
    """A rehearsal that keeps the tasks."""

    async def perform(self, task):
        """Keep the task, and let the offline judge stand in."""
        if not isinstance(task, MeasureSimilarity):
            heard.append(task)
        return await super().perform(task)


heard = []


def with_five_contexts(language: Language, number: int) -> list[Sample]:
    """This many built-in samples of different questions, each with its own contexts and those of the next ones."""
    by_question = {one.sample.question: one.sample for one in load_demo(language)}
    chosen = list(by_question.values())[:number]
    texts = [text for one in chosen for text in one.contexts or ()]
    return [
        replace(one, contexts=tuple(dict.fromkeys([*(one.contexts or ()), *texts[3 * at :], *texts]))[:5])
        for at, one in enumerate(chosen)
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_nine_metrics_take_eight_calls_and_few_tokens(language: Language):
    """Longer wordings and more calls are paid for in every sample of every run, so they need a reason."""
    samples = with_five_contexts(language, 10)
    heard.clear()
    for sample in samples:
        judge = Memo(joining(Listening(OfflineJudge(BuiltinEmbedder()))))
        await asyncio.gather(*(score_once(sample, metric, judge) for metric in make_metrics(["ragas"])))
    prompts = [sum(4 + len(O200K.encode(each.content)) for each in BUILT_IN.render(task)) for task in heard]
    schemas = [
        {key: value for key, value in schema_of(task.reply, language).items() if key != "title"} for task in heard
    ]
    sent = [json.dumps(schema, separators=(",", ":")) for schema in schemas]
    assert len(heard) <= 8 * len(samples)
    assert len(heard) > 7 * len(samples)  # of a refusal nothing is verified
    assert sum(prompts) / len(samples) + sum(len(O200K.encode(each)) for each in sent) / len(samples) <= MOST[language]
