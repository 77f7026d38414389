"""One quote too many never loses or merges rows without a word, wherever it is.

`SAITEN_SOAK=1` tries every position in every kind of file, and pairs of positions; otherwise a fixed sample.
"""

import csv
import io
import json
import os
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from saiten.data import BadRow, read_samples
from saiten.data.hand_written import read_file
from saiten.data.labels import read_labels
from saiten.errors import BadInput, ConfigurationError

SOAK = os.environ.get("SAITEN_SOAK") == "1"
SHORT = 120
"""Files per kind of quoting and delimiter in the short form."""

ROWS = [
    ("a1", "Where is it?", "In Kyoto."),
    ("a2", "何日ですか", "二十日です。"),
    ("a3", "How wide", "It is 6 m, or 7"),
    ("a4", "Why", ""),
    ("a5", "Is it; or | not", "No\tnot at all"),
    ("a6", "いつ", "明日"),
    ("a7", "Who", "Nobody"),
]
QUOTING = {"minimal": csv.QUOTE_MINIMAL, "all": csv.QUOTE_ALL, "text": csv.QUOTE_NONNUMERIC}
ENDS = {"unix": "\n", "windows": "\r\n"}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp932")


def written(delimiter: str, quoting: str, end: str, *, lines: bool) -> tuple[str, str]:
    """The header and the rest of a file; with `lines`, some cells have several."""
    rows = [(name, q.replace(" ", "\n") if lines and n % 3 == 1 else q, a) for n, (name, q, a) in enumerate(ROWS)]
    parts = []
    for content in ([("id", "question", "answer")], rows):
        file = io.StringIO()
        csv.writer(file, delimiter=delimiter, quoting=QUOTING[quoting], lineterminator=end).writerows(content)
        parts.append(file.getvalue())
    return parts[0], parts[1]


def damaged(delimiter: str, quoting: str, quotes: int) -> Iterator[tuple[str, str, str]]:
    """Files with stray quotes: a name for messages, the content, and an encoding."""
    # Two quotes around lines of which some are rows and some are not may be a cell; that is as it was written.
    kinds = list(product(ENDS, ENCODINGS, (False, True) if quotes == 1 else (False,)))
    chosen = random.Random(11)
    places: list[tuple[tuple[str, str, bool], tuple[int, ...]]] = []
    for kind in kinds:
        length = len(written(delimiter, quoting, ENDS[kind[0]], lines=kind[2])[1]) + 1
        if quotes == 1:
            places += [(kind, (at,)) for at in range(length)]
        else:
            places += [(kind, tuple(sorted(chosen.sample(range(length), quotes)))) for _ in range(length)]
    for (end, encoding, lines), at in places if SOAK else chosen.sample(places, SHORT):
        header, rest = written(delimiter, quoting, ENDS[end], lines=lines)
        for place in reversed(at):
            rest = f'{rest[:place]}"{rest[place:]}'
        yield f"{end} {encoding} {lines} {at}: {rest!r}", header + rest, encoding


def unsaid(path: Path) -> str:
    """What is wrong with how the file was read; empty if nothing is lost, or it is said."""
    notes: list[str] = []
    try:
        found = list(read_samples(path, detect_language=lambda *_: "ja", notify=notes.append))
    except BadInput:
        return ""
    said = [note for note in notes if "quote" in note]
    read = {row.id: row for row in found if not isinstance(row, BadRow)}
    bad = [row for row in found if isinstance(row, BadRow)]
    lost = [name for name, _, _ in ROWS if name not in read]
    if lost and not bad and not said and not set(read) - {name for name, _, _ in ROWS}:
        return f"lost {lost}"
    if len(found) < len(ROWS) and not said and not bad:
        return f"{len(found)} of {len(ROWS)} rows"
    merged = [row.id for row in read.values() if any(f"{name}" in row.question + row.answer for name, _, _ in ROWS)]
    return f"merged into {merged}" if merged and not said and not bad else ""


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("quotes", [1, 2])
@pytest.mark.parametrize("quoting", QUOTING)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_row_of_a_table_is_lost_without_a_word(tmp_path, delimiter, quoting, quotes):
    """Every row is read, or is bad, or is named in a note, in each encoding and with each line end."""
    path = tmp_path / ("d.tsv" if delimiter == "\t" else "d.csv")
    faults = []
    for name, content, encoding in damaged(delimiter, quoting, quotes):
        path.write_bytes(content.encode(encoding))
        if fault := unsaid(path):
            faults.append((name, fault))
    assert faults == []


def in_places(content: str) -> Iterator[str]:
    """The content with a quote at each place, or at a fixed sample of them."""
    places = range(len(content) + 1)
    for at in places if SOAK else random.Random(5).sample(places, min(SHORT, len(places))):
        yield f'{content[:at]}"{content[at:]}'


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_every_line_of_json_is_read_or_bad(tmp_path, end):
    """A stray quote spoils its own line, which is named, and no other."""
    path = tmp_path / "d.jsonl"
    lines = [json.dumps(dict(zip(("id", "question", "answer"), row, strict=True)), ensure_ascii=False) for row in ROWS]
    for content in in_places(end.join([*lines, ""])):
        path.write_text(content, encoding="utf-8", newline="")
        found = list(read_samples(path, detect_language=lambda *_: "ja"))
        bad = [row.where for row in found if isinstance(row, BadRow)]
        # a quote between two lines is a line of its own
        assert len({row.id for row in found if not isinstance(row, BadRow)}) == len(found) - len(bad)
        assert (len(found) - len(bad), len(bad)) in {(len(ROWS) - 1, 1), (len(ROWS), 1), (len(ROWS), 0)}, content


@pytest.mark.parametrize("quoting", QUOTING)
def test_no_label_is_lost_without_a_word(tmp_path, quoting):
    """The labels of a CSV are read, or bad, or named in a note."""
    path = tmp_path / "labels.csv"
    file = io.StringIO()
    rows = [(f"a{n}", "ann", "correct", n % 2, f"Because, {n}.") for n in range(8)]
    csv.writer(file, quoting=QUOTING[quoting]).writerows(rows)
    for content in in_places(file.getvalue()):
        path.write_text(f"item,annotator,metric,value,reason\n{content}", encoding="utf-8", newline="")
        notes: list[str] = []
        found = list(read_labels(path, notify=notes.append))
        bad = [row for row in found if isinstance(row, BadRow)]
        kept = [row for row in found if not isinstance(row, BadRow)]
        assert bad or notes or len(kept) == len(rows), content
        assert not any("\n" in (row.reason or "") for row in kept) or notes, content


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_a_file_written_by_hand_is_read_whole_or_not_at_all(tmp_path, kind):
    """Of a judge's questions, rubrics and examples nothing is skipped: a stray quote is text, or an error."""
    path = tmp_path / f"file.{kind}"
    whole = {"name": "style", "items": ["It is 6 m wide", "何日ですか"], "grades": {"0": "no", "1": "yes"}}
    toml = 'name = "style"\nitems = ["It is 6 m wide", "何日ですか"]\n\n[grades]\n0 = "no"\n1 = "yes"\n'
    for content in in_places(toml if kind == "toml" else json.dumps(whole, indent=1)):
        path.write_text(content, encoding="utf-8")
        try:
            found = read_file(path, "a file")
        except ConfigurationError:
            continue
        assert (set(found), len(found["items"]), len(found["grades"])) == (set(whole), 2, 2), content
