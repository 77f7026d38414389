"""Reading samples of traces, with their notes."""

import json
from pathlib import Path

import pytest

from saiten.data import BadRow, read_samples


class Found(list):
    """The samples, with what else was read."""

    bad: list
    notes: list


@pytest.fixture
def read(tmp_path):
    """Read rows, or the text of a file, as samples."""

    def read(rows, name="traces.jsonl", **settings):
        path = tmp_path / name
        if isinstance(rows, str):
            path.write_text(rows, encoding="utf-8")
        elif not isinstance(rows, Path):
            path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        else:
            path = rows
        notes = []
        rows = list(read_samples(path, detect_language=lambda *_: "ja", notify=notes.append, **settings))
        found = Found(row for row in rows if not isinstance(row, BadRow))
        found.bad, found.notes = [row for row in rows if isinstance(row, BadRow)], notes
        return found

    return read
