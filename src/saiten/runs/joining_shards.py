"""A run in shards as one ordinary run, in the order of the input."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saiten.durable.private import private_folder
from saiten.durable.whole_file import whole_file, writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.models.budget import CALLS_NAME, PRICES_NAME
from saiten.runs.journal import SAMPLES_NAME, SCORES_NAME
from saiten.runs.lines import joined_lines, scored_to_json, to_line
from saiten.runs.locked_folder import ERRORS_NAME
from saiten.runs.manifest import write_manifest
from saiten.runs.reader import RunReader

_AS_THEY_ARE = (SAMPLES_NAME, ERRORS_NAME, CALLS_NAME, PRICES_NAME, "dialogues.jsonl", "turns.jsonl")


def join_shards(run: RunReader, out: Path) -> Iterator[int]:
    """Write the run into a new folder, and yield after each shard how many scores were written so far.

    Scores are in the order of their samples, and of the metrics in the manifest; of several scores of a pair, the last
    one is written. The replies that a resumed run would reuse stay where they are. Memory: the scores of one shard.

    Raises:
        BadInput: The run is not in shards.
        ConfigurationError: The folder exists and is not empty, is in the run's own, or cannot be written.
    """
    if run.folders == (run.folder,):
        raise BadInput(f"{run.folder} is not in shards, so there is nothing to join")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigurationError(f"{out} exists already; name a new folder for the joined run")
    if out.resolve().is_relative_to(run.folder.resolve()):
        raise ConfigurationError(f"{out} is in the folder of the run in shards; name a folder outside of it")
    with writing_to(out, "name another folder"), _whole_or_none(out):
        private_folder(out)
        with whole_file(out / SCORES_NAME) as file:
            scores = 0
            for folder in run.folders:
                for line in _in_order(run.only(folder)):
                    file.write(line)
                    scores += 1
                yield scores
        for name in _AS_THEY_ARE:
            parts = [path for folder in run.folders if (path := folder / name).exists()]
            if parts:
                with whole_file(out / name) as file:
                    file.writelines(joined_lines(parts))
        write_manifest(out, run.manifest)


@contextmanager
def _whole_or_none(folder: Path) -> Iterator[None]:
    """Remove what was written into a new folder if the rest cannot be; the next try would find it."""
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _in_order(shard: RunReader) -> Iterator[bytes]:
    metrics = {name: number for number, name in enumerate(shard.manifest.signatures)}
    samples = {place[0]: number for number, place in enumerate(shard.places())}
    found = sorted(
        shard.scores(),
        key=lambda scored: (samples.get(scored.sample, len(samples)), metrics.get(scored.metric, len(metrics))),
    )
    return (to_line(scored_to_json(scored)) for scored in found)
