"""Files stored with the figures: the scores as a table, the summary, how the run was made; written as a stream.

`saiten/scores.json` is a table that MLflow can display and load (`mlflow.load_table`); with texts there are also
`saiten/scores.jsonl`, with the details of every score, and `saiten/samples.jsonl`, as in the run's folder.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO

from saiten.records import Scored
from saiten.redaction import redact
from saiten.results.place import Place, place_of
from saiten.results.summarize import summarize
from saiten.results.summary import Summary
from saiten.runs.lines import sample_to_json, scored_to_json, to_line
from saiten.tracking.run import Tracking
from saiten.views.render import as_markdown
from saiten.views.tables.summary import summary_tables

TABLE = "scores.json"
_COLUMNS = ("sample", "system", "group", "metric", "value", "status", "reason", "expected")


@dataclass(frozen=True, slots=True)
class Written:
    """The results of reading a run once."""

    summary: Summary
    samples: int
    scores: int
    data_digest: str
    """Digest of the samples, independent of their order."""

    def missing(self, run: Tracking) -> int:
        """Return the number of pairs of a sample and a metric without a score."""
        return max(self.samples * len(run.signatures) - self.scores, 0)


def write_files(run: Tracking, folder: Path, *, texts: bool) -> Written:
    """Read the run once and write its scores into the folder, holding only what a summary needs."""
    places: dict[str, Place] = {}
    digest = 0
    with ExitStack() as files:
        kept = files.enter_context((folder / "samples.jsonl").open("wb")) if texts else None
        for sample in run.samples():
            line = to_line(sample_to_json(sample))
            # a sum, since concurrent runs write samples in varying order
            digest += int.from_bytes(blake2b(line, digest_size=16).digest(), "big")
            places[sample.id] = place_of(sample)
            if kept is not None:
                kept.write(line)
        table = files.enter_context((folder / TABLE).open("w", encoding="utf-8", errors="backslashreplace"))
        whole = files.enter_context((folder / "scores.jsonl").open("wb")) if texts else None
        scores = _written(run.scores(), places, table, whole)
        summary = summarize(scores, places, run.signatures, bad_rows=run.bad_rows, paid=run.paid)
    tables = redact(as_markdown(summary_tables(summary)))
    (folder / "summary.md").write_bytes(tables.encode("utf-8", "backslashreplace"))
    count = sum(figure.total for figure in summary.figures if figure.overall)
    return Written(summary, len(places), count, f"{digest % (1 << 128):032x}")


def _written(
    scores: Iterable[Scored], places: Mapping[str, Place], table: IO[str], whole: IO[bytes] | None
) -> Iterator[Scored]:
    """Yield the scores, writing each as a row of the table, and with its details."""
    table.write(f'{{"columns": {json.dumps(_COLUMNS)}, "data": [')
    comma = "\n"
    for one in scores:
        place, score = places.get(one.sample), one.score
        where = (one.sample, place and place.system, place and place.group, one.metric)
        cells = (*where, score.value, score.status, score.reason, score.expected)
        row = json.dumps(cells, ensure_ascii=False, allow_nan=False)
        table.write(comma + row)
        comma = ",\n"
        if whole is not None:
            whole.write(to_line(scored_to_json(one)))
        yield one
    table.write("\n]}\n")
