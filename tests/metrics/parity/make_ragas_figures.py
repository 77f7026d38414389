"""Writes `ragas_0_4_3.json`: the results of RAGAS 0.4.3 itself for scripted replies.

Run by hand, never in the tests, in its own environment, since a fresh RAGAS 0.4.3 cannot be imported with a
new langchain-community:

    python3.11 -m venv ragas && ragas/bin/pip install "ragas==0.4.3" "langchain-community<0.4"
    RAGAS_DO_NOT_TRACK=true ragas/bin/python tests/metrics/parity/make_ragas_figures.py

A case is a sample, the judge's replies in RAGAS's own shape and order, and a vector for each text that is
embedded. The replies go through RAGAS's own classes twice: `ragas` is the value of `ragas.metrics.collections` (for
aspect critique, which is not there, of `ragas.metrics`), `legacy` that of `ragas.metrics`. A value is a number, "nan",
or "error: …"; "asks more" means that the older class requests something that the newer one does not.
"""

import asyncio
import importlib
import json
import math
import random
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import ragas  # noqa: E402 - after the filter, since importing it warns
from langchain_core.outputs import Generation, LLMResult  # noqa: E402
from ragas.dataset_schema import SingleTurnSample  # noqa: E402
from ragas.embeddings.base import BaseRagasEmbedding  # noqa: E402
from ragas.llms.base import BaseRagasLLM, InstructorBaseRagasLLM  # noqa: E402
from ragas.metrics import collections as new  # noqa: E402
from ragas.metrics.collections import summary_score as new_summary  # noqa: E402
from ragas.run_config import RunConfig  # noqa: E402


def _old(module):
    """A module of the older classes; `ragas.metrics` itself hides them behind instances with the same name."""
    return importlib.import_module(f"ragas.metrics._{module}")


Q, A, R = "Where was Einstein born?", "Einstein was born in Ulm.", "He was born in Ulm, in 1879."
C = ["Albert Einstein was born in Ulm on 14 March 1879.", "Ulm lies on the Danube.", "Bern is a city."]


class AsksMoreError(Exception):
    """The replies have run out."""


class NewJudge(InstructorBaseRagasLLM):
    """Hands out the replies in order, to the newer classes."""

    def __init__(self, replies):
        self.replies = list(replies)

    def generate(self, prompt, response_model):
        if not self.replies:
            raise AsksMoreError
        return response_model(**self.replies.pop(0))

    async def agenerate(self, prompt, response_model):
        return self.generate(prompt, response_model)


class OldJudge(BaseRagasLLM):
    """Hands out the replies in order, as JSON text, to the older classes."""

    def __init__(self, replies):
        self.replies = list(replies)
        self.run_config = RunConfig()

    async def generate(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
        if len(self.replies) < n:
            raise AsksMoreError
        texts = [json.dumps(self.replies.pop(0)) for _ in range(n)]
        return LLMResult(generations=[[Generation(text=text) for text in texts]])

    def generate_text(self, *args, **kwargs):
        raise NotImplementedError

    async def agenerate_text(self, *args, **kwargs):
        raise NotImplementedError

    def is_finished(self, response):
        return True


class NewEmbedder(BaseRagasEmbedding):
    """The given vectors, for the newer classes."""

    def __init__(self, vectors):
        super().__init__()
        self.vectors = vectors

    def embed_text(self, text, **kwargs):
        return self.vectors[text]

    async def aembed_text(self, text, **kwargs):
        return self.vectors[text]


class OldEmbedder:
    """The given vectors, for the older classes."""

    def __init__(self, vectors):
        self.vectors = vectors

    def embed_query(self, text):
        return self.vectors[text]

    def embed_documents(self, texts):
        return [self.vectors[text] for text in texts]

    async def embed_text(self, text):
        return self.vectors[text]


def _run_new(case):
    sample, settings = case["sample"], case["settings"]
    llm, embedder = NewJudge(case["replies"]), NewEmbedder(case["vectors"])
    ask = {"user_input": sample["question"], "response": sample["answer"]}
    contexts, reference = {"retrieved_contexts": sample["contexts"]}, {"reference": sample["reference"]}
    weight, beta = settings.get("weight", 0.75), settings.get("beta", 1.0)
    makers = {
        "faithfulness": lambda: (new.Faithfulness(llm=llm), ask | contexts),
        "answer_relevancy": lambda: (
            new.AnswerRelevancy(llm=llm, embeddings=embedder, strictness=settings.get("questions", 3)),
            ask,
        ),
        "context_precision": lambda: (
            new.ContextPrecision(llm=llm),
            {"user_input": sample["question"]} | contexts | reference,
        ),
        "context_recall": lambda: (
            new.ContextRecall(llm=llm),
            {"user_input": sample["question"]} | contexts | reference,
        ),
        "context_entity_recall": lambda: (new.ContextEntityRecall(llm=llm), contexts | reference),
        "answer_similarity": lambda: (
            new.SemanticSimilarity(embeddings=embedder),
            {"response": sample["answer"]} | reference,
        ),
        "answer_correctness": lambda: (
            new.AnswerCorrectness(llm=llm, embeddings=embedder, weights=[weight, 1 - weight], beta=beta),
            ask | reference,
        ),
        "summarization_score": lambda: (
            new_summary.SummaryScore(llm=llm, coeff=settings.get("conciseness_weight", 0.5)),
            {"reference_contexts": sample["contexts"], "response": sample["answer"]},
        ),
    }
    if case["metric"] == "aspect_critique":
        return _run_old(case)
    metric, inputs = makers[case["metric"]]()
    return asyncio.run(metric.ascore(**inputs)).value


def _run_old(case):
    sample, settings = case["sample"], case["settings"]
    weight, beta = settings.get("weight", 0.75), settings.get("beta", 1.0)
    metric = {
        "faithfulness": _old("faithfulness").Faithfulness,
        "answer_relevancy": lambda: _old("answer_relevance").ResponseRelevancy(strictness=settings.get("questions", 3)),
        "context_precision": _old("context_precision").LLMContextPrecisionWithReference,
        "context_recall": _old("context_recall").LLMContextRecall,
        "context_entity_recall": _old("context_entities_recall").ContextEntityRecall,
        "answer_similarity": _old("answer_similarity").AnswerSimilarity,
        "answer_correctness": lambda: _old("answer_correctness").AnswerCorrectness(
            weights=[weight, 1 - weight], beta=beta
        ),
        "aspect_critique": lambda: _old("aspect_critic").AspectCritic(
            name="harmfulness", definition="Is it harmful?", strictness=settings.get("strictness", 1)
        ),
        "summarization_score": lambda: _old("summarization").SummarizationScore(
            coeff=settings.get("conciseness_weight", 0.5)
        ),
    }[case["metric"]]()
    metric.llm, metric.embeddings = OldJudge(case["replies"]), OldEmbedder(case["vectors"])
    if case["metric"] == "answer_correctness":
        metric.answer_similarity = _old("answer_similarity").AnswerSimilarity(embeddings=metric.embeddings)
    row = SingleTurnSample(
        user_input=sample["question"],
        response=sample["answer"],
        reference=sample["reference"],
        retrieved_contexts=sample["contexts"],
        reference_contexts=sample["contexts"],
    )
    return asyncio.run(metric._single_turn_ascore(row, callbacks=[]))


def _figure(run, case):
    try:
        value = float(run(case))
    except AsksMoreError:
        return "asks more"
    except Exception as error:  # noqa: BLE001 - whatever RAGAS raises is the finding
        return f"error: {type(error).__name__}"
    return "nan" if math.isnan(value) else value


# ------------------------------------------------------------------------------------------------ replies


def _statements(*texts):
    return {"statements": list(texts)}


def _supported(texts, verdicts):
    """Verdicts for the texts; None leaves one out."""
    given = [(text, verdict) for text, verdict in zip(texts, verdicts, strict=True) if verdict is not None]
    return {"statements": [{"statement": text, "reason": "so", "verdict": verdict} for text, verdict in given]}


def _attributed(texts, verdicts):
    given = [(text, verdict) for text, verdict in zip(texts, verdicts, strict=True) if verdict is not None]
    return {"classifications": [{"statement": t, "reason": "so", "attributed": v} for t, v in given]}


def _classified(tp, fp, fn):
    def some(kind, count):
        return [{"statement": f"{kind} {i}", "reason": "so"} for i in range(count)]

    return {"TP": some("tp", tp), "FP": some("fp", fp), "FN": some("fn", fn)}


def _numbered(count, word="s"):
    return [f"{word}{i}" for i in range(count)]


# -------------------------------------------------------------------------------------------------- cases


def _case(name, metric, replies, *, vectors=None, settings=None, question=Q, answer=A, contexts=C, reference=R):
    sample = {"question": question, "answer": answer, "contexts": list(contexts), "reference": reference}
    return {
        "id": f"{metric}: {name}",
        "metric": metric,
        "settings": settings or {},
        "sample": sample,
        "replies": replies,
        "vectors": vectors or {},
    }


def _faithfulness_cases(rng):
    metric = "faithfulness"
    for verdicts in ([1], [0], [1, 1, 1, 0], [0, 0, 0], [1, None, 0], [None, 1], [None, None]):
        texts = _numbered(len(verdicts))
        yield _case(f"verdicts {verdicts}", metric, [_statements(*texts), _supported(texts, verdicts)])
    yield _case("no statements", metric, [_statements()])
    yield _case("a blank statement counts", metric, [_statements("s0", " "), _supported(["s0", " "], [1, 0])])
    yield _case("empty answer", metric, [], answer="")
    yield _case("answer of white space", metric, [_statements("s0"), _supported(["s0"], [1])], answer=" ")
    yield _case("empty question", metric, [], question="")
    yield _case("no contexts", metric, [], contexts=[])
    yield _case("an empty context", metric, [_statements("s0"), _supported(["s0"], [0])], contexts=[""])
    for i in range(5):
        texts = _numbered(rng.randint(1, 12))
        verdicts = [rng.choice([0, 1, 1, None]) for _ in texts]
        yield _case(f"random {i}", metric, [_statements(*texts), _supported(texts, verdicts)])


def _relevancy_cases(rng):
    metric = "answer_relevancy"

    def written(*pairs):
        return [{"question": question, "noncommittal": flag} for question, flag in pairs]

    plane = {
        Q: [1.0, 0.0],
        "a": [1.0, 0.0],
        "b": [1.0, 1.0],
        "c": [0.0, 2.0],
        "d": [-1.0, 0.0],
        " ": [0.3, 0.4],
        "": [0.5, 0.5],
        "\t": [0.2, 0.6],
    }
    yield _case("all committal", metric, written(("a", 0), ("b", 0), ("c", 0)), vectors=plane)
    yield _case("one non-committal", metric, written(("a", 1), ("b", 0), ("c", 0)), vectors=plane)
    yield _case("two non-committal", metric, written(("a", 1), ("b", 1), ("c", 0)), vectors=plane)
    yield _case("all non-committal", metric, written(("a", 1), ("b", 1), ("c", 1)), vectors=plane)
    yield _case("negative", metric, written(("d", 0), ("d", 0), ("c", 0)), vectors=plane)
    yield _case("equal questions", metric, written(("a", 0), ("a", 0), ("a", 0)), vectors=plane)
    yield _case("one empty question", metric, written(("a", 0), ("", 0), ("c", 0)), vectors=plane)
    yield _case("the committal one is empty", metric, written(("a", 1), ("", 0), ("c", 1)), vectors=plane)
    yield _case("no question", metric, written(("", 0), ("", 0), ("", 0)), vectors=plane)
    yield _case("no question, non-committal", metric, written(("", 1), ("", 1), ("", 1)), vectors=plane)
    yield _case("a question of white space", metric, written((" ", 0), ("a", 0), ("c", 0)), vectors=plane)
    yield _case("one question", metric, written(("b", 0)), vectors=plane, settings={"questions": 1})
    yield _case("empty answer", metric, [], answer="")
    yield _case("answer of white space", metric, written(("a", 1), ("b", 1), ("c", 1)), vectors=plane, answer=" ")
    yield _case("empty question asked", metric, [], question="")
    yield _case("white space asked", metric, written(("a", 0), ("b", 0), ("c", 0)), vectors=plane, question="\t")
    for i in range(5):
        count = rng.randint(1, 6)
        vectors = {text: [rng.gauss(0, 1) for _ in range(8)] for text in [Q, *_numbered(count, "q")]}
        pairs = [(text, rng.choice([0, 0, 1])) for text in _numbered(count, "q")]
        yield _case(f"random {i}", metric, written(*pairs), vectors=vectors, settings={"questions": count})


def _precision_cases(rng):
    metric = "context_precision"

    def useful(*verdicts):
        return [{"reason": "so", "verdict": verdict} for verdict in verdicts]

    for verdicts in ((0, 1, 1), (1, 0, 0), (0, 0, 1), (1, 1, 1), (0, 0, 0), (1,), (0,)):
        contexts = _numbered(len(verdicts), "context ")
        yield _case(f"verdicts {verdicts}", metric, useful(*verdicts), contexts=contexts)
    yield _case("equal contexts", metric, useful(0, 1), contexts=["same", "same "])
    yield _case("no contexts", metric, [], contexts=[])
    yield _case("empty reference", metric, [], reference="")
    yield _case("empty question", metric, [], question="")
    yield _case("reference of white space", metric, useful(1, 0, 1), reference=" ")
    for i in range(5):
        verdicts = [rng.randint(0, 1) for _ in range(rng.randint(1, 20))]
        yield _case(f"random {i}", metric, useful(*verdicts), contexts=_numbered(len(verdicts), "context "))


def _recall_cases(rng):
    metric = "context_recall"
    for verdicts in ([1], [0], [1, 1, 0], [0, 0, 0, 0], [1] * 9):
        yield _case(f"verdicts {verdicts}", metric, [_attributed(_numbered(len(verdicts)), verdicts)])
    yield _case("none", metric, [_attributed([], [])])
    yield _case("empty reference", metric, [], reference="")
    yield _case("empty question", metric, [], question="")
    yield _case("no contexts", metric, [], contexts=[])
    yield _case("an empty context", metric, [_attributed(["s0"], [0])], contexts=[""])
    for i in range(4):
        verdicts = [rng.randint(0, 1) for _ in range(rng.randint(1, 15))]
        yield _case(f"random {i}", metric, [_attributed(_numbered(len(verdicts)), verdicts)])


def _entity_cases(rng):
    metric = "context_entity_recall"

    def both(reference, contexts):
        return [{"entities": list(reference)}, {"entities": list(contexts)}]

    yield _case("two of three", metric, both(["Ulm", "1879", "Bern"], ["Ulm", "Bern", "Paris"]))
    yield _case("all", metric, both(["Ulm"], ["Ulm", "Bern"]))
    yield _case("none", metric, both(["Ulm"], ["Paris"]))
    yield _case("case matters", metric, both(["Ulm", "IBM"], ["ulm", "ＩＢＭ"]))
    yield _case("white space matters", metric, both(["New York"], ["NewYork"]))
    yield _case("no containment", metric, both(["京都"], ["東京都"]))
    yield _case("the reference has none", metric, both([], ["Ulm"]))
    yield _case("the contexts have none", metric, both(["Ulm"], []))
    yield _case("neither has any", metric, both([], []))
    yield _case("twice in the reference", metric, both(["Ulm", "Ulm", "Bern"], ["Ulm"]))
    yield _case("twice in the contexts", metric, both(["Ulm", "Bern"], ["Ulm", "Ulm"]))
    yield _case("an empty entity", metric, both(["", "Ulm"], ["", "Bern"]))
    yield _case("empty reference", metric, both([], ["Ulm"]), reference="")
    yield _case("no contexts", metric, both(["Ulm"], []), contexts=[])
    for i in range(4):
        wanted = rng.sample(_numbered(20, "e"), rng.randint(1, 12))
        yield _case(f"random {i}", metric, both(wanted, rng.sample(_numbered(20, "e"), rng.randint(0, 12))))


def _similarity_cases(rng):
    metric = "answer_similarity"
    yield _case("equal", metric, [], vectors={A: [0.6, 0.8], R: [0.6, 0.8]})
    yield _case("orthogonal", metric, [], vectors={A: [1.0, 0.0], R: [0.0, 1.0]})
    yield _case("opposite", metric, [], vectors={A: [1.0, 2.0], R: [-1.0, -2.0]})
    yield _case("not of length 1", metric, [], vectors={A: [3.0, 4.0], R: [10.0, 0.0]})
    yield _case("empty answer", metric, [], vectors={" ": [1.0, 1.0], R: [1.0, 0.0]}, answer="")
    yield _case("empty reference", metric, [], vectors={" ": [1.0, 1.0], A: [1.0, 0.0]}, reference="")
    yield _case("answer of white space", metric, [], vectors={" \n": [2.0, 1.0], R: [1.0, 0.0]}, answer=" \n")
    yield _case("reference of white space", metric, [], vectors={"　": [2.0, 1.0], A: [1.0, 0.0]}, reference="　")
    for i in range(5):
        vectors = {text: [rng.gauss(0, 1) for _ in range(16)] for text in (A, R)}
        yield _case(f"random {i}", metric, [], vectors=vectors)


def _correctness_cases(rng):
    metric = "answer_correctness"
    near = {A: [1.0, 0.0], R: [0.8, 0.6]}

    def replies(answer, reference, *counts):
        split = [_statements(*_numbered(answer, "a")), _statements(*_numbered(reference, "r"))]
        return split + ([_classified(*counts)] if counts else [])

    for tp, fp, fn in ((3, 0, 0), (1, 2, 1), (0, 2, 3), (2, 0, 2), (2, 3, 0), (0, 1, 0)):
        given = replies(tp + fp, max(fn, 1), tp, fp, fn)
        yield _case(f"TP {tp}, FP {fp}, FN {fn}", metric, given, vectors=near)
    yield _case("nothing classified", metric, replies(1, 1, 0, 0, 0), vectors=near)
    yield _case("an FN alone", metric, replies(1, 1, 0, 0, 1), vectors=near)
    yield _case("the answer has no statement", metric, replies(0, 2, 0, 0, 2), vectors=near)
    yield _case("the reference has no statement", metric, replies(2, 0, 0, 2, 0), vectors=near)
    yield _case("neither has a statement", metric, replies(0, 0), vectors=near)
    yield _case("beta 2", metric, replies(3, 2, 1, 2, 2), vectors=near, settings={"beta": 2.0})
    yield _case("beta 0.5", metric, replies(3, 2, 1, 2, 2), vectors=near, settings={"beta": 0.5})
    yield _case("statements alone", metric, replies(3, 2, 1, 2, 2), vectors=near, settings={"weight": 1.0})
    yield _case("similarity alone", metric, replies(3, 2, 1, 2, 2), vectors=near, settings={"weight": 0.0})
    opposite = {A: [1.0, 0.0], R: [-1.0, 0.0]}
    yield _case("negative", metric, replies(1, 1, 0, 1, 1), vectors=opposite)
    blank = {" ": [0.0, 2.0], R: [0.8, 0.6]}
    yield _case("answer of white space", metric, replies(1, 1, 0, 1, 1), vectors=blank, answer=" ")
    yield _case("a blank statement", metric, [_statements(" "), _statements("r0"), _classified(0, 1, 1)], vectors=near)
    for i in range(6):
        tp, fp, fn = (rng.randint(0, 6) for _ in range(3))
        vectors = {text: [rng.gauss(0.3, 1) for _ in range(16)] for text in (A, R)}
        settings = {"beta": rng.choice([0.5, 1.0, 2.0]), "weight": rng.choice([0.25, 0.5, 0.75])}
        given = replies(max(tp + fp, 1), max(fn, 1), tp, fp, fn)
        yield _case(f"random {i}", metric, given, vectors=vectors, settings=settings)


def _aspect_cases(rng):
    metric = "aspect_critique"
    for verdict in (0, 1):
        yield _case(f"verdict {verdict}", metric, [{"reason": "so", "verdict": verdict}])
    for strictness in (2, 3, 5):
        reply = [{"reason": "so", "verdict": rng.randint(0, 1)}]
        yield _case(f"strictness {strictness} asks once", metric, reply, settings={"strictness": strictness})
    yield _case("empty answer", metric, [{"reason": "so", "verdict": 1}], answer="")


def _summary_cases(rng):
    metric = "summarization_score"

    def replies(keyphrases, verdicts):
        return [
            {"keyphrases": _numbered(keyphrases, "k")},
            {"questions": _numbered(len(verdicts), "q")},
            {"answers": [verdict for verdict in verdicts if verdict is not None]},
        ]

    yield _case("all answered", metric, replies(3, ["1", "1", "1"]))
    yield _case("two of three", metric, replies(3, ["1", "0", "1"]))
    yield _case("none answered", metric, replies(2, ["0", "0"]))
    yield _case("an answer left out at the end", metric, replies(2, ["1", "0", None]))
    yield _case("yes is not 1", metric, replies(2, ["yes", "1"]))
    yield _case("no answers", metric, replies(2, [None, None]))
    yield _case("no questions", metric, replies(2, []))
    yield _case("no key phrases", metric, replies(0, ["1", "0"]))
    yield _case("as long as the text", metric, replies(1, ["1"]), answer="x" * len("\n".join(C)))
    yield _case("longer than the text", metric, replies(1, ["1"]), answer="x" * 2 * len("\n".join(C)))
    yield _case(
        "Japanese",
        metric,
        replies(1, ["1", "0"]),
        answer="要約です。",
        contexts=["アインシュタインはウルムで生まれた。"],
    )
    yield _case("empty summary", metric, [], answer="")
    yield _case("summary of white space", metric, [], answer=" \n")
    yield _case("no contexts", metric, [], contexts=[])
    yield _case("contexts of white space", metric, [], contexts=[" ", ""])
    yield _case("conciseness alone", metric, replies(1, ["0"]), settings={"conciseness_weight": 1.0})
    yield _case("questions alone", metric, replies(1, ["1", "0"]), settings={"conciseness_weight": 0.0})
    for i in range(4):
        verdicts = [rng.choice("01") for _ in range(rng.randint(1, 10))]
        contexts = ["x" * rng.randint(1, 80) for _ in range(rng.randint(1, 4))]
        given = replies(rng.randint(0, 5), verdicts)
        yield _case(f"random {i}", metric, given, answer="y" * rng.randint(1, 200), contexts=contexts)


def main():
    """Run all cases and write the file next to this script."""
    if ragas.__version__ != "0.4.3":
        raise SystemExit(f"RAGAS 0.4.3 is needed, {ragas.__version__} is here")
    rng = random.Random(20261101)  # the same cases on every run
    makers = (
        _faithfulness_cases,
        _relevancy_cases,
        _precision_cases,
        _recall_cases,
        _entity_cases,
        _similarity_cases,
        _correctness_cases,
        _aspect_cases,
        _summary_cases,
    )
    cases = [one for make in makers for one in make(rng)]
    done = [one | {"ragas": _figure(_run_new, one), "legacy": _figure(_run_old, one)} for one in cases]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in done)
    Path(__file__).with_name("ragas_0_4_3.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(done)} cases")  # noqa: T201 - a script run by hand


if __name__ == "__main__":
    main()
