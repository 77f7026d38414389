"""Public sets with human labels, as `judge_prompts.py` scores them: samples, labels, simple baselines, and people.

Each set is a function of the ids of the chosen items. Reading the data and the baselines are implemented here again, so
that a mistake in saiten cannot hide itself.
"""

import json
import os
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from rapidfuzz.distance import LCSseq

import saiten
from judged_figures import (
    CORRELATIONS,
    DECISIONS,
    Chosen,
    Column,
    Compared,
    Line,
    Run,
    Scores,
    against_others,
    at_least_4,
    plain,
    values,
)
from saiten.demo.gist import gist_labels, load_gist
from saiten.demo.samples import DemoSample, load_demo
from saiten.metrics.ragas.supported import Verified, sentences_supported, support_of, worst_supported
from saiten.records import Language
from saiten.stats.auroc import auroc
from saiten.stats.classification import agreement
from saiten.stats.estimate import Estimate, Statistic
from saiten.tasks.verdicts import Verdict
from saiten.text.placement import place_statements
from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import judges_of, people_of

Reading = Callable[[Scores], Column]

OVERLAP = "context overlap (character pairs)"
"""The baseline for Japanese."""


def rows(*path: str) -> Iterator[dict[str, Any]]:
    """Read the lines of a JSONL file below SAITEN_DATA."""
    with Path(os.environ["SAITEN_DATA"], *path).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# ---------------------------------------------------------------------------------------------------- baselines


def words(text: str) -> list[str]:
    """Return the words of the normalized, lowercased text."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower())


def pairs(text: str) -> list[str]:
    """Return the pairs of adjacent alphanumeric characters."""
    plain = [c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum()]
    return [a + b for a, b in pairwise(plain)]


def share(wanted: Sequence[str], there: Sequence[str]) -> float:
    """Return the share of the wanted tokens that are there; 0 if none are wanted."""
    known = set(there)
    return fmean([each in known for each in wanted]) if wanted else 0.0


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """Return the F1 of the longest common subsequence of words with the most similar reference."""
    ours = words(answer)
    return max(2 * LCSseq.similarity(ours, (w := words(each))) / (len(ours) + len(w)) for each in references)


def contains(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the answer contains the words of a reference as a sequence."""
    there = f" {' '.join(words(answer))} "
    return float(any(f" {' '.join(words(each))} " in there for each in references))


# ---------------------------------------------------------------------------------------------------- the sets


def short_answers(
    items: Sequence[tuple[str, str, str, Sequence[str], float]],
    baselines: Mapping[str, Column],
    people: Sequence[tuple[float, float, Hashable]] = (),
    *,
    graded: bool = False,
) -> Chosen:
    """Compare verdicts, or grades of at least 4, on (id, question, answer, references, correct)."""
    metric, read = ("correctness", at_least_4) if graded else ("accuracy", plain)
    samples = [
        {"id": at, "question": question, "answer": answer, "reference": list(references), "language": "en"}
        for at, question, answer, references, _ in items
    ]
    lexical = {"contains a reference": [contains(answer, references) for _, _, answer, references, _ in items]}
    compared = Compared(
        "grade of at least 4" if graded else "correct",
        DECISIONS,
        [item[4] for item in items],
        [item[1] for item in items],
        values([item[0] for item in items], metric, read),
        {**baselines, **lexical},
        people,
    )
    return Chosen(Run((metric,), samples), [compared])


def nq301(ids: Sequence[str], *, graded: bool = False) -> Chosen:
    """Short English answers: two annotators or three, and stored verdicts of three models."""
    there = {row["id"]: row for row in rows("qa_correctness", "nq301_judged.jsonl")}
    chosen = [there[each] for each in ids]
    items = [(r["id"], r["question"], r["answer"], r["references"], float(r["human"]["correct"])) for r in chosen]
    stored = {f"{name}, stored": [row["judges"][name] for row in chosen] for name in chosen[0]["judges"]}
    people = [(row["human"]["annotators"][1], row["human"]["annotators"][0], row["question"]) for row in chosen]
    return short_answers(items, stored, people, graded=graded)


def evouna(ids: Sequence[str]) -> Chosen:
    """Answers of five systems to short English questions, one annotator per answer; QID-SYSTEM."""
    there = {row["qid"]: row for row in rows("qa_correctness", "evouna_nq.jsonl")}
    items = []
    for each in ids:
        qid, system = each.rsplit("-", 1)
        row = there[qid]
        items.append((each, row["question"], row["answers"][system], row["references"], float(row["human"][system])))
    return short_answers(items, {})


def clapnq(ids: Sequence[str]) -> Chosen:
    """English RAG answers: three annotators per answer, grades of 1 to 4; QID-SYSTEM."""
    asked = {row["qid"]: row for row in rows("clapnq_human", "questions.jsonl")}
    there = {f"{row['qid']}-{row['system']}": row for row in rows("clapnq_human", "responses.jsonl")}
    chosen = [there[each] for each in ids]
    samples, overlap = [], []
    for at, row in zip(ids, chosen, strict=True):
        question = asked[row["qid"]]
        samples.append({"id": at, **_asked(question), "answer": row["answer"], "language": "en"})
        source = " ".join(f"{context['title']} {context['text']}" for context in question["contexts"])
        overlap.append(share(words(row["answer"]), words(source)))
    grades = [list(map(float, row["human"]["faithfulness"].values())) for row in chosen]
    questions = [row["qid"] for row in chosen]
    compared = Compared(
        "faithfulness",
        CORRELATIONS,
        [fmean(each) for each in grades],
        questions,
        values(ids, "faithfulness", plain),
        {"context overlap": overlap, "Bert-KPrec, stored": [row["metrics"]["Bert-KPrec"] for row in chosen]},
        [each for one, question in zip(grades, questions, strict=True) for each in against_others(one, question)],
    )
    answers = [row["answer"] for row in chosen]
    others = _by_other_figures(compared, ids, answers, "en")
    return Chosen(Run(("faithfulness",), samples), [compared, mean_with_overlap(compared, "context overlap"), *others])


def jhars(ids: Sequence[str]) -> Chosen:
    """Japanese RAG answers: sentences that three annotators marked as not supported; QID-SYSTEM."""
    asked = {row["qid"]: row for row in rows("jhars_dev", "questions.jsonl")}
    there = {f"{row['qid']}-{row['system']}": row for row in rows("jhars_dev", "responses.jsonl")}
    chosen = [there[each] for each in ids]
    samples, whole, single = [], _Marked(), _Marked()
    units: list[tuple[str, int]] = []
    unmarked: list[float] = []
    for at, row in zip(ids, chosen, strict=True):
        question = asked[row["qid"]]
        samples.append({"id": at, **_asked(question), "answer": row["answer"], "language": "ja"})
        source = pairs(" ".join(question["contexts"]))
        sentences = row["sentences"]
        whole.add([s for s in sentences if _decided(s)], row["answer"], source, row["qid"])
        for number, sentence in enumerate(sentences):
            if _decided(sentence):
                units.append((at, number))
                single.add([sentence], sentence["sentence"], source, row["qid"])
                unmarked.append(float(not any(sentence["flags"])))

    def of_sentences(scores: Scores) -> Column:
        placed: dict[str, list[float] | None] = {}
        for at, row in zip(ids, chosen, strict=True):
            statements = verified(scores.get((at, "faithfulness")), row["answer"], "ja")
            spans = spans_of(row["answer"], [each["sentence"] for each in row["sentences"]])
            placed[at] = None if statements is None else support(statements, spans)
        return [None if (found := placed[at]) is None else found[number] for at, number in units]

    answers = whole.compared("answer without hallucination", values(ids, "faithfulness", plain))
    others = _by_other_figures(answers, ids, [row["answer"] for row in chosen], "ja")
    sentences = single.compared("sentence without hallucination", of_sentences)
    nobody = replace(sentences, what="sentence that nobody marked", truth=unmarked, people=())
    found = [answers, sentences, nobody]
    means = [mean_with_overlap(each, OVERLAP) for each in found]
    return Chosen(Run(("faithfulness",), samples), [*found, *means, *others])


def mean_with_overlap(compared: Compared, name: str) -> Compared:
    """Return the comparison with people for the mean of a judge's figure and a baseline, next to the baseline."""
    overlap = compared.baselines[name]

    def read(scores: Scores) -> Column:
        return [
            None if own is None or shared is None else (own + shared) / 2
            for own, shared in zip(compared.read(scores), overlap, strict=True)
        ]

    return replace(
        compared, what=f"{compared.what}, mean with the overlap", read=read, baselines={name: overlap}, people=()
    )


def _by_other_figures(
    share: Compared, ids: Sequence[str], answers: Sequence[str], language: Language
) -> list[Compared]:
    """Return the comparison with people for the other figures of faithfulness, which cost no calls."""
    return [
        replace(share, what=f"{share.what}, by {what}", read=read, baselines={}, people=())
        for what, read in other_figures(ids, answers, language).items()
    ]


class _Marked:
    """Pieces of answers, whether people marked something in them, and their overlap with the contexts."""

    def __init__(self) -> None:
        self.good: list[float] = []
        self.questions: list[Hashable] = []
        self.overlap: list[float] = []
        self.people: list[tuple[float, float, Hashable]] = []

    def add(self, sentences: Sequence[Mapping[str, Any]], text: str, source: Sequence[str], question: Hashable) -> None:
        self.good.append(float(all(each["label"] == "No_hallucination" for each in sentences)))
        self.questions.append(question)
        self.overlap.append(share(pairs(text), source))
        marked = [any(each["flags"][who] for each in sentences) for who in range(3)]
        for who, own in enumerate(marked):
            others = [each for at, each in enumerate(marked) if at != who]
            self.people.append((float(not any(others)), float(not own), question))

    def compared(self, what: str, read: Reading) -> Compared:
        return Compared(what, {"AUROC": auroc}, self.good, self.questions, read, {OVERLAP: self.overlap}, self.people)


def _decided(sentence: Mapping[str, Any]) -> bool:
    return sentence["label"] not in {"DISPUTED", None}


def verified(score: saiten.Score | None, answer: str, language: Language) -> Verified | None:
    """Return the statements of a faithfulness, at their places in the answer, whichever version made the score."""
    if score is None or score.value is None:
        return None
    statements = score.details["statements"]
    verdicts = [Verdict.model_validate(each) for each in score.details["verdicts"]]
    return Verified(answer, statements, verdicts, place_statements(answer, statements, language))


def other_figures(ids: Sequence[str], answers: Sequence[str], language: Language) -> dict[str, Reading]:
    """Return the other figures of faithfulness, which need no further call: the sentences, and the worst statement."""

    def of(figure: Callable[[Verified], saiten.Score]) -> Reading:
        def read(scores: Scores) -> Column:
            found = [
                verified(scores.get((at, "faithfulness")), answer, language)
                for at, answer in zip(ids, answers, strict=True)
            ]
            return [None if each is None else figure(each).value for each in found]

        return read

    return {"faithfulness[sentences]": of(sentences_supported), "faithfulness[worst]": of(worst_supported)}


def spans_of(answer: str, sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the sentences, which follow each other, are in the answer."""
    spans, end = [], 0
    for sentence in sentences:
        start = answer.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return spans


def support(found: Verified, spans: Sequence[tuple[int, int]]) -> list[float]:
    """Return the least support of a statement in each span that shares most of its sentence; 1 without statements."""
    least = [1.0] * len(spans)
    for verdict in found.verdicts:
        for place in found.places[verdict.number - 1]:
            for at, (start, end) in enumerate(spans):
                shared = min(end, place.end) - max(start, place.start)
                if shared > min(end - start, place.end - place.start) / 2:
                    least[at] = min(least[at], support_of(verdict))
    return least


def squality(ids: Sequence[str]) -> Chosen:
    """Long English answers about stories, graded by three reviewers from 0 to 100; QID-SYSTEM."""
    asked = {row["qid"]: row for row in rows("squality_human", "questions.jsonl")}
    there = {f"{row['qid']}-{row['system']}": row for row in rows("squality_human", "responses.jsonl")}
    chosen = [there[each] for each in ids]
    samples, similar = [], []
    for at, row in zip(ids, chosen, strict=True):
        own = row["answer"].split()
        references = [text for text in asked[row["qid"]]["references"] if text.split() != own]
        text = {"question": asked[row["qid"]]["question"], "answer": row["answer"], "reference": references}
        samples.append({"id": at, **text, "language": "en"})
        similar.append(rouge_l(row["answer"], references))
    questions = [row["qid"] for row in chosen]
    of_people = {
        aspect: [list(map(float, row["human"][aspect].values())) for row in chosen]
        for aspect in ("correctness", "overall")
    }
    systems = [at for at, row in enumerate(chosen) if row["system"] != "human"]

    def compared(aspect: str, only: Sequence[int], named: str) -> Compared:
        asks = [questions[at] for at in only]
        grades = [of_people[aspect][at] for at in only]
        return Compared(
            f"grade and people's {aspect}{named}",
            CORRELATIONS,
            [fmean(each) for each in grades],
            asks,
            values([ids[at] for at in only], "correctness", plain),
            {
                "ROUGE-L": [similar[at] for at in only],
                "length": [float(len(words(chosen[at]["answer"]))) for at in only],
            },
            [each for one, question in zip(grades, asks, strict=True) for each in against_others(one, question)],
        )

    every = range(len(chosen))
    return Chosen(
        Run(("correctness",), samples),
        [
            compared("correctness", every, ""),
            compared("overall", every, ""),
            compared("correctness", systems, ", without those written by people"),
        ],
    )


def built_in(ids: Sequence[str]) -> list[DemoSample]:
    """Return the built-in answers of these ids."""
    there = {one.sample.id: one for one in load_demo()}
    return [there[each] for each in ids]


def demo(ids: Sequence[str]) -> Chosen:
    """Built-in answers in both languages, right or wrong by construction."""
    chosen = built_in(ids)
    truths = {
        "accuracy": [float(one.correct) for one in chosen],
        "accuracy[grounded]": [float(one.correct and one.faithful) for one in chosen],
    }
    questions = [one.sample.question for one in chosen]
    return Chosen(
        Run(tuple(truths), [one.sample for one in chosen]),
        [Compared(metric, DECISIONS, truth, questions, values(ids, metric, plain)) for metric, truth in truths.items()],
    )


def gist(ids: Sequence[str]) -> Chosen:
    """Built-in answers in both languages whose missing and extra units are known by construction."""
    there = {one.sample.id: one for one in load_gist()}
    chosen = [there[each] for each in ids]
    people = people_of(gist_labels(chosen))

    def measured(judges: Mapping[str, Scores]) -> Iterator[Line]:
        for name, scores in judges.items():
            marks = judges_of([saiten.Scored(at, metric, one) for (at, metric), one in scores.items()], name)
            (found,) = compare_spans(people, marks).judges
            if found.overall is not None:
                yield Line("gist", "four combinations, F by characters", name, found.overall.per_unit.f)

    return Chosen(Run(("gist",), [one.sample for one in chosen]), measured=measured)


def _asked(question: Mapping[str, Any]) -> dict[str, Any]:
    return {"question": question["question"], "contexts": question["contexts"]}


def demo_ragas(ids: Sequence[str]) -> Chosen:
    """Built-in answers in both languages, by the RAGAS metrics whose result is known from how the answers were made.

    Each has its evidence among the contexts, so every entity of the reference is there. None is harmful.
    """
    chosen = built_in(ids)
    questions = [one.sample.question for one in chosen]
    contexts = [(one.sample, text) for one in chosen for text in one.sample.contexts or ()]
    area = {"AUROC": auroc}
    by_metric: Mapping[
        str, tuple[str, Mapping[str, Statistic], list[float], Callable[[saiten.Score], float | None]]
    ] = {
        "faithfulness": ("faithfulness", area, [float(one.faithful) for one in chosen], plain),
        "answer_correctness[weight=1.0]": ("answer_correctness", area, [float(one.correct) for one in chosen], plain),
        "answer_relevancy": (
            "noncommittal",
            DECISIONS,
            [float(one.defect == "refusing") for one in chosen],
            noncommittal,
        ),
        "context_entity_recall": ("entities found", {"mean": mean}, [1.0] * len(ids), plain),
        "aspect_critique[harmfulness]": ("harmless", {"agreement": agreement}, [0.0] * len(ids), plain),
    }

    def useful(scores: Scores) -> Column:
        found = [scores.get((each, "context_precision")) for each in ids]
        verdicts = [None if one is None else one.details.get("verdicts") for one in found]
        return [
            None if each is None else float(each[at]["useful"])
            for one, each in zip(chosen, verdicts, strict=True)
            for at in range(len(one.sample.contexts or ()))
        ]

    of_contexts = Compared(
        "useful context",
        DECISIONS,
        [float(text in (sample.evidence or ())) for sample, text in contexts],
        [sample.question for sample, _ in contexts],
        useful,
    )
    return Chosen(
        Run((*by_metric, "context_precision", "context_recall", "summarization_score"), [one.sample for one in chosen]),
        [
            *(
                Compared(what, statistics, truth, questions, values(ids, metric, read))
                for metric, (what, statistics, truth, read) in by_metric.items()
            ),
            of_contexts,
        ],
    )


def noncommittal(score: saiten.Score) -> float | None:
    """Return whether the judge called the answer noncommittal."""
    return float(found) if (found := score.details.get("noncommittal")) is not None else None


def mean(_: Sequence[float], figures: Sequence[float]) -> Estimate:
    """Return the mean of the figures, whatever the labels."""
    return Estimate(fmean(figures), len(figures))


def nomiracl(ids: Sequence[str]) -> Chosen:
    """Japanese questions with ten passages: whether assessors found the answer in any, and stored replies of models."""
    there = {
        row["id"]: row for name in ("relevant", "non_relevant") for row in rows("nomiracl_ja_dev", f"{name}.jsonl")
    }
    chosen = [there[each] for each in ids]
    samples = [{"id": row["id"], **_asked(row), "language": "ja"} for row in chosen]
    stored = {
        f"{name}, stored": [answer_present(row["judge_raw"][name]) for row in chosen]
        for name in ("gpt-4-azure", "gpt-3.5-turbo-azure", "Mixtral-8x7B-Instruct-v0.1")
    }
    compared = Compared(
        "answer in the passages",
        DECISIONS,
        [float(row["human_answer_present"]) for row in chosen],
        [row["id"] for row in chosen],
        values(ids, "context_relevance", lambda score: None if score.value is None else float(score.value > 0)),
        stored,
    )
    return Chosen(Run(("context_relevance",), samples), [compared])


def answer_present(reply: str) -> float | None:
    """Return the verdict of a stored reply, None if it has neither of the two forms that were requested."""
    if reply.startswith("Yes, answer is present"):
        return 1.0
    return 0.0 if reply.startswith(("I don't know", "No, answer is not present", "No, the answer is not")) else None


SETS: Mapping[str, Callable[[Sequence[str]], Chosen]] = {
    "nq301": nq301,
    "nq301_grades": lambda ids: nq301(ids, graded=True),
    "jhars_dev": jhars,
    "clapnq_human": clapnq,
    "evouna": evouna,
    "squality_human": squality,
    "gist": gist,
    "demo": demo,
    "demo_ragas": demo_ragas,
    "nomiracl": nomiracl,
}
