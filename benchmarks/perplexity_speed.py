"""Perplexity: tokens per second compared with the plain loop over one answer at a time, and the figures' difference.

    python benchmarks/perplexity_speed.py [--answers N] [--hidden N] [--layers N] [--vocabulary N]

The network is a random GPT-2, so agreement with people is not measured: that needs the weights of a real one. The
plain loop is the one in the library's documentation: one forward pass per answer, including the question, with the loss
that the network computes.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from saiten.judges.offline import OfflineJudge
from saiten.metrics.neural.perplexity import SEPARATOR, Perplexity
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Sample
from tiny_models import tiny_gpt2

READS = 1024


def samples(count: int) -> list[Sample]:
    """Make questions of 20 to 80 and answers of 20 to 400 bytes; each byte is a token."""
    choice = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz   "

    def text(least: int, most: int) -> str:
        return "x" + "".join(choice.choices(letters, k=choice.randint(least, most))) + "x"

    return [Sample(str(number), text(20, 80), text(20, 400)) for number in range(count)]


def network(folder: Path, hidden: int, layers: int, vocabulary: int) -> None:
    """Save a random GPT-2 that reads bytes, with a vocabulary as large as that of a real one."""
    from transformers import GPT2Config, GPT2LMHeadModel  # noqa: PLC0415 - heavy

    tiny_gpt2(folder)
    settings = GPT2Config(
        vocab_size=vocabulary, n_positions=READS, n_embd=hidden, n_layer=layers, n_head=max(1, hidden // 64),
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(settings).save_pretrained(folder)


def plain_loop(folder: Path, asked: Sequence[Sample]) -> Callable[[], list[float]]:
    """Return a function that measures one answer at a time, after its question."""
    import torch  # noqa: PLC0415 - heavy
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - heavy

    from saiten.models.networks import best_device  # noqa: PLC0415 - next to its use

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).to(best_device()).eval()

    def work() -> list[float]:
        found = []
        for sample in asked:
            question = [0, *tokenizer(sample.question + SEPARATOR)["input_ids"]]
            tokens = torch.tensor([question + tokenizer(sample.answer)["input_ids"]], device=model.device)
            labels = tokens.clone()
            labels[0, : len(question)] = -100
            with torch.inference_mode():
                found.append(float(model(tokens, labels=labels).loss.exp()))
        return found

    return work


def ours(folder: Path, asked: Sequence[Sample]) -> Callable[[], list[float]]:
    """Return a function that computes all scores concurrently with the metric, which is already loaded."""
    metric, judge = Perplexity("QA", model=str(folder)), OfflineJudge(BuiltinEmbedder())

    async def all_of(some: Sequence[Sample]) -> list[float]:
        scores = await asyncio.gather(*(metric.score(sample, judge) for sample in some))
        return [score.value or 0.0 for score in scores]

    asyncio.run(all_of(asked[:1]))
    return lambda: asyncio.run(all_of(asked))


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result, CPU seconds, and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    made = work()
    return made, time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--hidden", type=int, default=128, help="a multiple of 64 (%(default)s)")
    parser.add_argument("--layers", type=int, default=4, help="(%(default)s)")
    parser.add_argument("--vocabulary", type=int, default=50257, help="(%(default)s)")
    chosen = parser.parse_args()
    if not all(map(find_spec, ("torch", "transformers"))):
        print("torch or transformers is not installed (`make neural`); nothing was measured")
        return
    asked = samples(chosen.answers)
    tokens = sum(len(sample.answer or "") for sample in asked)
    with TemporaryDirectory() as folder:
        network(Path(folder), chosen.hidden, chosen.layers, chosen.vocabulary)
        works = {"one at a time": plain_loop(Path(folder), asked), "saiten": ours(Path(folder), asked)}
        found = {name: timed(work) for name, work in works.items()}
    (expected, cpu, wall), (figures, our_cpu, our_wall) = found.values()
    apart = max(abs(one - other) / one for one, other in zip(expected, figures, strict=True))
    print(f"{tokens} answer tokens in {len(asked)} answers; figures differ by at most {apart:.1e} of their value\n")
    print("| | answer tokens/s | CPU ms per answer |\n|---|---|---|")
    for name, (_, its_cpu, its_wall) in found.items():
        print(f"| {name} | {tokens / its_wall:.0f} | {1000 * its_cpu / len(asked):.2f} |")
    print(f"| ratio | {wall / our_wall:.2f} | {our_cpu / cpu:.2f} |")


if __name__ == "__main__":
    main()
