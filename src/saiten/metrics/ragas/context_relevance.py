"""Context relevance: the share of the contexts' sentences that are needed to answer the question.

1 if every sentence is needed, 0 if none; undefined for contexts without a sentence.
Source: Es et al. 2024, section 3.
"""

from dataclasses import dataclass

from saiten.metrics.base import BaseMetric
from saiten.metrics.ragas.compat import first_blank
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.contexts import SelectRelevantSentences
from saiten.text.sentences import split_sentences


@dataclass(frozen=True)
class ContextRelevance(BaseMetric):
    """|needed sentences| / |sentences| over all contexts, as the first RAGAS paper defines it.

    RAGAS 0.4.3 has dropped it, and calls another metric context relevance (a grade of 0, 1 or 2 by two prompts), so
    there is no `compat`. Saiten splits the sentences itself, so that a judge can only select existing ones.
    """

    title = "context_relevance"
    needs = ("question", "contexts")
    tasks = (SelectRelevantSentences,)

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := first_blank(sample, self.needs):
            return nothing
        sentences = [
            (number, sentence.text)
            for number, context in enumerate(sample.contexts or (), start=1)
            for sentence in split_sentences(context, sample.language)
        ]
        if not sentences:
            return Score.undefined("the contexts have no sentence")
        texts = tuple(text for _, text in sentences)
        task = SelectRelevantSentences(sample.question, texts, language=sample.language, conversation=sample.history)
        needed = set((await judge.perform(task)).numbers)
        return Score(
            len(needed) / len(texts),
            reason=f"{len(needed)} of {len(texts)} sentences of the contexts are needed",
            details={
                "sentences": [
                    {"context": context, "text": text, "needed": number in needed}
                    for number, (context, text) in enumerate(sentences, start=1)
                ]
            },
        )
