"""What a metric should tell apart in the demo, and what it cannot see."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from saiten.metrics.naming import read_name

Fact = Literal["correct", "faithful", "correct and faithful"]
"""What the answers with high scores should be."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked of a metric here."""

    fact: Fact | None
    """None: it measures something that no defect of the demo is about."""
    note: str
    """What it cannot see."""


_WORDS = "counts words: right answers in other words look bad, and one changed number or a 'not' hardly shows"
_JUDGE = "the offline judge reads no negation, no number swapped within the contexts, no paraphrase; a model can"
_QUESTION = "looks at the question, not at the facts: a wrong answer to the question asked scores high"
_CONTEXTS = "does not look at the answer: the same for all systems that saw the same contexts"

_ALONE = "sees no reference and no contexts: what the judge itself knows decides; the offline judge rates hardly any"

TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        **dict.fromkeys(("rouge_1", "rouge_2", "rouge_l", "bleu4", "chrf", "token_f1"), Target("correct", _WORDS)),
        "word_recall": Target("correct", f"{_WORDS}; additions cost nothing"),
        "exact_match": Target("correct", "sees only answers that equal the reference, and no answer here does"),
        "bertscore": Target(
            "correct", "compares meanings word by word: opposites and other numbers lie close together"
        ),
        "perplexity": Target(
            None, "says how usual an answer's words are to a network; lower is better, and a fluent mistake is as usual"
        ),
        "answer_similarity": Target(
            "correct", "compares the texts as a whole: an opposite or another number lies close to the reference"
        ),
        "answer_correctness": Target("correct", _JUDGE),
        "correctness": Target("correct", f"{_JUDGE}; refusals are left out"),
        "accuracy": Target("correct", f"{_JUDGE}; additions pass, which accuracy[grounded] is there for"),
        "accuracy[grounded]": Target("correct and faithful", _JUDGE),
        "context_overlap": Target("faithful", "counts words: the context's own words in a wrong order look faithful"),
        "faithfulness": Target("faithful", f"{_JUDGE}; says nothing about whether the question was answered"),
        "answer_relevancy": Target(None, _QUESTION),
        **dict.fromkeys(
            ("context_precision", "context_recall", "context_entity_recall", "context_relevance"),
            Target(None, _CONTEXTS),
        ),
        "summarization_score": Target(None, "takes the answer for a summary of all contexts, which none here is"),
        "aspect_critique": Target(None, "asks for one criterion, which is none of the demo's facts"),
        "gist": Target(
            None, "says what is missing and what is extra; lower is better, and no defect is about either alone"
        ),
        "aspects": Target(None, _ALONE),
        "direct": Target("correct", _ALONE),
        "mate": Target("correct", _ALONE),
        "length": Target(None, "only a length: what an answer says does not matter"),
    }
)
"""By title, with `[grounded]` where it decides."""

OTHER = Target(None, "not one of the metrics whose aim the demo knows")


def target_of(metric: str) -> Target:
    """The target of a metric, by its name with settings as it stands in results."""
    title, settings = read_name(metric)
    grounded = any(item in {(None, "grounded"), ("grounded", "true"), ("grounded", "True")} for item in settings)
    return (TARGETS.get(f"{title}[grounded]") if grounded else None) or TARGETS.get(title, OTHER)
