"""Cost per pair of texts of each overlap metric, compared with a longest common subsequence in plain Python.

    python benchmarks/overlap_metrics.py [--pairs 300] [--tokens 100]

CPU time of one thread. Texts are made up: 100 tokens, half of the second text copied from the first. "cold" includes
tokenization, "warm" finds tokens in the cache, as nine of ten metrics do. Trust the ratios, not the microseconds.
"""

import argparse
import asyncio
import importlib.util
import random
import time
from collections.abc import Callable, Sequence
from typing import cast

from saiten.metrics.base import BaseMetric
from saiten.metrics.overlap.bleu4 import Bleu4
from saiten.metrics.overlap.chrf import ChrF
from saiten.metrics.overlap.context_overlap import ContextOverlap
from saiten.metrics.overlap.length import Length
from saiten.metrics.overlap.rouge import Rouge1, Rouge2, RougeL
from saiten.metrics.overlap.squad import ExactMatch, TokenF1
from saiten.metrics.overlap.word_recall import WordRecall
from saiten.protocols import Judge, Metric
from saiten.records import Language, Sample
from saiten.text.tokenizers import tokenizer_for

METRICS: tuple[type[BaseMetric], ...] = (
    WordRecall,
    Rouge1,
    Rouge2,
    RougeL,
    Bleu4,
    ChrF,
    TokenF1,
    ExactMatch,
    Length,
    ContextOverlap,
)
WORDS: dict[Language, str] = {
    "en": "the server must restart after you change port memory disk address in section report shows error code "
    "number table which holds every value of user and group before backup runs at night",
    "ja": "サーバー を 再起動 する 前 に ポート 番号 変更 し て ください メモリ の 容量 が 足り ない 場合 は "
    "設定 画面 で 確認 利用者 手順 第 章 表 示す 値 夜間 バックアップ 実行",
}
NO_JUDGE = cast("Judge", None)  # none of these metrics uses one


def make_samples(language: Language, pairs: int, tokens: int) -> list[Sample]:
    """Make answers and references of this many words, half of them copied from the other text."""
    rng = random.Random(7)
    words, glue = WORDS[language].split(), " " if language == "en" else ""
    samples = []
    for i in range(pairs):
        reference = [rng.choice(words) for _ in range(tokens)]
        answer = [word if rng.random() < 0.5 else rng.choice(words) for word in reference]
        texts = glue.join(answer), glue.join(reference)
        samples.append(Sample(str(i), answer=texts[0], reference=texts[1], contexts=(texts[1],), language=language))
    return samples


def per_pair(work: Callable[[Sample], object], samples: Sequence[Sample]) -> float:
    """Return the CPU microseconds per sample."""
    start = time.process_time()
    for sample in samples:
        work(sample)
    return (time.process_time() - start) / len(samples) * 1e6


def per_score(metric: Metric, samples: Sequence[Sample]) -> float:
    """Return the CPU microseconds per score, with the texts' tokens in the cache."""

    async def all_of_them() -> None:
        for sample in samples:
            await metric.score(sample, NO_JUDGE)

    asyncio.run(all_of_them())
    start = time.process_time()
    asyncio.run(all_of_them())
    return (time.process_time() - start) / len(samples) * 1e6


def plain_lcs(one: Sequence[str], other: Sequence[str]) -> int:
    """Compute the textbook table row by row."""
    row = [0] * (len(other) + 1)
    for token in one:
        before = 0
        for j, candidate in enumerate(other, 1):
            before, row[j] = row[j], before + 1 if token == candidate else max(row[j], row[j - 1])
    return row[-1]


def print_table(language: Language, samples: Sequence[Sample]) -> None:
    """Print one line per metric."""
    cut = tokenizer_for(language).tokens
    cut("the dictionary is loaded now: 辞書")
    cold = per_pair(lambda sample: (cut(sample.answer or ""), cut(sample.reference or "")), samples)
    pairs = {s.id: (cut(s.answer or ""), cut(s.reference or "")) for s in samples}
    plain = per_pair(lambda sample: plain_lcs(*pairs[sample.id]), samples)
    rouge_l = RougeL().compare
    rouge_l(*pairs["0"])
    size = sum(len(one) + len(other) for one, other in pairs.values()) / (2 * len(pairs))
    print(f"\n{language}: {len(samples)} pairs of {size:.0f} tokens · µs per pair · plain LCS ÷ this")
    costs = {
        "plain Python LCS": plain,
        "tokens, cold": cold,
        "rouge_l, tokens given": per_pair(lambda sample: rouge_l(*pairs[sample.id]), samples),
        **{metric.title: per_score(cast("Metric", metric()), samples) for metric in METRICS},
    }
    if language == "en" and importlib.util.find_spec("rouge_score"):
        costs["rouge-score's ROUGE-L"] = rouge_score_cost(samples)
    for name, cost in costs.items():
        print(f"  {name:<24}{cost:>9.1f}{plain / cost:>9.1f}")


def rouge_score_cost(samples: Sequence[Sample]) -> float:
    """Return the CPU microseconds per pair for ROUGE-L of the rouge-score package."""
    from rouge_score import rouge_scorer  # type: ignore[import-not-found]  # noqa: PLC0415 - an optional package

    scorer = rouge_scorer.RougeScorer(["rougeL"])
    return per_pair(lambda sample: scorer.score(sample.reference, sample.answer), samples)


def main() -> None:
    """Print one table per language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--tokens", type=int, default=100)
    options = parser.parse_args()
    languages: tuple[Language, ...] = ("en", "ja")
    for language in languages:
        print_table(language, make_samples(language, options.pairs, options.tokens))


if __name__ == "__main__":
    main()
