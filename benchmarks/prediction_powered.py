"""Coverage of the intervals of `saiten estimate` on real labels: all labels but a few are hidden, many times.

    SAITEN_DATA=/where/they/are python benchmarks/prepare_shared_data.py OUT
    saiten score OUT/nq301.samples.jsonl -m accuracy -m word_recall --judge offline -o OUT/nq301.run
    saiten score OUT/evouna_nq.samples.jsonl -m accuracy -m word_recall --judge offline -o OUT/evouna_nq.run
    python benchmarks/prediction_powered.py OUT

Prints, for each set, judge and number of labels kept: how often the 95 % interval contained the mean of all labels
(with the judge, and of the labels alone), the mean ratio of the two widths, the mean λ, and the labels saved. The items
are drawn by seed, without replacement. The target is the mean of the set itself, so slightly more than 95 % is
expected: the intervals are for the population that the items are drawn from.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

import numpy as np

from saiten.data import read_labels
from saiten.records import Label
from saiten.runs import read_run
from saiten.stats.prediction_powered import Scores, prediction_powered
from saiten.stats.prediction_powered_records import Powered

DRAWS = 200
KEPT = (50, 200)
SETS = {"nq301": "correct_final", "evouna_nq": "correct"}
"""Set → the aspect that counts as the truth."""


def judges_of(folder: Path, name: str) -> dict[str, dict[str, float]]:
    """Return judge → item → score: the metrics of the run by value and by expected value, and the stored judges."""
    found: dict[str, dict[str, float]] = {}
    for one in read_run(folder / f"{name}.run").scores():
        if one.score.value is not None:
            found.setdefault(one.metric, {})[one.sample] = one.score.value
            if one.score.expected is not None or f"{one.metric} · expected" in found:
                expected = one.score.value if one.score.expected is None else one.score.expected
                found.setdefault(f"{one.metric} · expected", {})[one.sample] = expected
    stored = folder / f"{name}.judges.jsonl"
    for row in read_labels(stored) if stored.exists() else ():
        if isinstance(row, Label):
            found.setdefault(row.annotator, {})[row.item] = row.value
    return found


def draws(
    people: Mapping[str, float], said: Mapping[str, float], questions: Mapping[str, str], kept: int
) -> Iterator[Powered]:
    """Yield the estimate from this many labels for each draw. An item without a score gets the mean score."""
    middle = fmean(said.values())
    items = sorted(people)
    y = np.array([people[item] for item in items])
    f = np.array([said.get(item, middle) for item in items])
    names = np.array([questions[item] for item in items])
    for draw in range(DRAWS):
        order = np.random.default_rng([kept, draw]).permutation(len(items))
        few, rest = order[:kept], order[kept:]
        yield prediction_powered(Scores(y[few], f[few], f[rest], names[few].tolist(), names[rest].tolist()))


def main() -> None:
    """Print the table for the prepared folder OUT."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} OUT")
    folder = Path(sys.argv[1])
    print("| set | items | judge | labels | coverage, with | coverage, alone | width, alone = 1 | lambda | saved |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, aspect in SETS.items():
        questions = {sample.id: sample.question for sample in read_run(folder / f"{name}.run").samples()}
        labels = read_labels(folder / f"{name}.labels.jsonl")
        people = {row.item: row.value for row in labels if isinstance(row, Label) and row.aspect == aspect}
        truth = fmean(people.values())
        for judge, said in judges_of(folder, name).items():
            for kept in KEPT:
                found = list(draws(people, said, questions, kept))
                cells = (
                    fmean(one.powered.holds(truth) for one in found),
                    fmean(one.alone.holds(truth) for one in found),
                    fmean(one.ratio or 1.0 for one in found),
                    fmean(one.lambdas[0] for one in found),
                )
                saved = fmean(one.saved or 0 for one in found)
                shown = " | ".join(f"{cell:.3f}" for cell in cells)
                print(f"| {name} | {len(people)} | {judge} | {kept} | {shown} | {saved:.0f} |", flush=True)


if __name__ == "__main__":
    main()
