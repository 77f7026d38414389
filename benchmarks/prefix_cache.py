"""Tokens of a run that a server's prefix cache does not have yet: contexts first, compared with the instruction first.

    python benchmarks/prefix_cache.py [--samples 20] [--contexts 5] [--characters 128 512 1024]

Samples of invented words are scored offline, and the requests that a model would have got are compared: a request's
beginning is cached if an earlier request begins alike. The cache is endless, and tokens are estimated, so a real server
saves less. With the instruction first, it is cached for all samples, and the contexts are sent anew for each task; with
the contexts first, the contexts are cached for all tasks of a sample, and the instruction is sent anew.
"""

import argparse
import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from saiten import make_metrics
from saiten.errors import CannotJudge
from saiten.judges.offline import OfflineJudge
from saiten.judges.rehearsal import estimate_tokens
from saiten.judges.wrappers import JudgeWrapper
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.prompts import BUILT_IN, Prompts
from saiten.prompts.files import LANGUAGES, names
from saiten.protocols import Judge, R, Task
from saiten.records import Sample
from saiten.tasks.similarity import MeasureSimilarity

METRICS = (
    ("faithfulness",),
    ("faithfulness", "context_recall"),
    ("faithfulness", "accuracy[grounded]"),
    ("faithfulness", "context_recall", "summarization_score", "accuracy[grounded]", "aspect_critique[harmfulness]"),
)


def instruction_first() -> Prompts:
    """Return saiten's prompts with all inputs after the instruction."""
    replaced = {
        name: {
            each: replace(BUILT_IN.load(name, each), shared="", user=BUILT_IN.load(name, each).inputs)
            for each in LANGUAGES
        }
        for name in names()
    }
    return Prompts(replaced)


@dataclass(frozen=True)
class Noting(JudgeWrapper):
    """Keeps what a model would have been sent."""

    judge: Judge
    prompts: Prompts
    requests: dict[str, None] = field(default_factory=dict)

    async def perform(self, task: Task[R]) -> R:
        """Note the request once, and let the stand-in reply."""
        if not isinstance(task, MeasureSimilarity):
            messages = self.prompts.render(task)
            self.requests["\n".join(f"{each.role}: {each.content}" for each in messages)] = None
        return await self.judge.perform(task)


def samples(count: int, contexts: int, characters: int) -> Iterator[Sample]:
    """Yield samples of invented words; no two have a text in common."""
    drawn = random.Random(0)
    words = ["".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=drawn.randint(3, 9))) for _ in range(3000)]

    def text(length: int) -> str:
        said = ""
        while len(said) < length:
            said += " ".join(drawn.choices(words, k=12)).capitalize() + ". "
        return said[:length]

    for number in range(count):
        given = tuple(text(characters) for _ in range(contexts))
        yield Sample(str(number), text(60), text(300), contexts=given, reference=text(200), language="en")


async def not_cached(given: Sequence[Sample], metrics: Sequence[str], prompts: Prompts) -> tuple[int, int]:
    """Return all tokens of the run, and those after the longest beginning that an earlier request has."""
    whole = fresh = 0
    earlier: list[str] = []
    for sample in given:
        noting = Noting(OfflineJudge(BuiltinEmbedder()), prompts)
        for metric in make_metrics(metrics):
            with suppress(CannotJudge):  # noted all the same
                await metric.score(sample, noting)
        for request in noting.requests:
            known = max((shared(request, other) for other in earlier), default=0)
            whole += estimate_tokens(request)
            fresh += estimate_tokens(request[known:])
            earlier.append(request)
    return whole, fresh


def shared(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    return next((at for at, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))


def main() -> None:
    """Print the tokens per sample for each set of metrics and each length of the contexts."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--samples", type=int, default=20)
    options.add_argument("--contexts", type=int, default=5)
    options.add_argument("--characters", type=int, nargs="+", default=[128, 512, 1024])
    given = options.parse_args()
    print(f"{'contexts':>12}  {'sent':>7}  {'new: contexts first':>20}  {'instruction first':>18}  ratio  metrics")
    for metrics in METRICS:
        for length in given.characters:
            rows = list(samples(given.samples, given.contexts, length))
            whole, first = asyncio.run(not_cached(rows, metrics, BUILT_IN))
            _, last = asyncio.run(not_cached(rows, metrics, instruction_first()))
            per = [round(tokens / given.samples) for tokens in (whole, first, last)]
            size = f"{given.contexts} × {length}"
            print(f"{size:>12}  {per[0]:>7}  {per[1]:>20}  {per[2]:>18}  {first / last:5.2f}  {', '.join(metrics)}")


if __name__ == "__main__":
    main()
