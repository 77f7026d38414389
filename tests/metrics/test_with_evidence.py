from dataclasses import dataclass, field, replace

from saiten.errors import CallFailed
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.correctness import Correctness
from saiten.metrics.judged.with_evidence import WithEvidence, with_evidence
from saiten.records import Passage, Retrieved, Sample, Usage
from saiten.runs.scoring import score_once
from saiten.runs.signatures import signature_of
from saiten.tasks.correctness import Grade, GradeAnswer

SAMPLE = Sample("1", question="Which port?", answer="50000", contexts=("Wrong.",), reference="25000 over SSL.")


@dataclass
class Shelf:
    """A retriever over a fixed list that records its queries."""

    passages: tuple[Passage, ...] = (
        Passage("The SSL port is 25000.", "ports.md", 0.9, 10, 32),
        Passage("Ports are opened by the installer."),
    )
    asked: list = field(default_factory=list)
    name: str = "shelf"

    async def retrieve(self, query, k=None):
        self.asked.append((query, k))
        return Retrieved(self.passages[:k], Usage(calls=1, prompt_tokens=7))

    async def close(self):
        """Nothing is open."""


@dataclass
class Burnt(Shelf):
    """One that always fails."""

    async def retrieve(self, query, k=None):
        raise CallFailed("the server is gone")


def _judge(grade=2):
    return ScriptedJudge({GradeAnswer: Grade(feedback="review", grade=grade)})


async def test_the_judge_sees_what_question_and_reference_retrieve_together():
    """Spec 01, mode `reference` (E3): not what the question alone retrieved for the answer."""
    judge, shelf = _judge(), Shelf()
    await with_evidence(Correctness(), shelf, 2).score(SAMPLE, judge)
    assert shelf.asked == [("Which port?\n25000 over SSL.", 2)]
    assert judge.asked[0].evidence == ("The SSL port is 25000.", "Ports are opened by the installer.")


async def test_what_was_retrieved_is_in_the_details():
    """Text, source, position and score, so a reader of the run sees what the judge saw."""
    score = await with_evidence(Correctness(), Shelf(), 1).score(SAMPLE, _judge())
    assert score.details["evidence"] == {
        "mode": "reference",
        "pieces": 1,
        "passages": [
            {"text": "The SSL port is 25000.", "source": "ports.md", "score": 0.9, "start": 10, "end": 32},
        ],
    }


async def test_evidence_that_the_sample_brings_is_kept():
    """Somebody chose it; nothing is retrieved."""
    judge, shelf = _judge(), Shelf()
    await with_evidence(Correctness(), shelf).score(replace(SAMPLE, evidence=("Chosen.",)), judge)
    assert (judge.asked[0].evidence, shelf.asked) == (("Chosen.",), [])


async def test_an_empty_answer_retrieves_nothing():
    """It is declined without any call."""
    shelf = Shelf()
    score = await with_evidence(Correctness(), shelf).score(replace(SAMPLE, answer=" "), _judge())
    assert (score.status, shelf.asked) == ("declined", [])


async def test_retrieval_that_fails_fails_the_score_with_its_reason():
    """There is no grade without the requested evidence, and no crash."""
    score = await score_once(SAMPLE, with_evidence(Correctness(), Burnt()), _judge())
    assert (score.value, score.status, score.reason) == (None, "failed", "the server is gone")


async def test_what_the_retrieval_cost_is_counted():
    """A query embedded by a paid model costs something."""
    score = await score_once(SAMPLE, with_evidence(Correctness(), Shelf()), _judge())
    assert (score.usage.calls, score.usage.prompt_tokens) == (1, 7)


def test_the_knowledge_base_is_in_the_signature():
    """A grade with other evidence is another figure; the name stays, so runs can be compared."""
    metric = with_evidence(Correctness(), Shelf(), 3)
    assert metric.name == "correctness"
    assert "evidence_from:shelf|evidence_k:3" in str(signature_of(metric, _judge()))


def test_only_a_metric_that_takes_evidence_by_reference_is_changed():
    """E2, no evidence and other metrics stay as they are."""
    others = (Correctness(evidence="answer"), Correctness(evidence="none"), Accuracy())
    assert tuple(with_evidence(metric, Shelf()) for metric in others) == others
    assert isinstance(with_evidence(Correctness(), Shelf()), WithEvidence)
