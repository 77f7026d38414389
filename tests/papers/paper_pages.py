"""The pages in docs/papers: what they publish of a text, and what they show of saiten on the built-in samples."""

import re
import shlex
from pathlib import Path

NAMES = ("dialogues", "chains", "gist", "ragas", "aspects")
DOCS = Path(__file__).parent.parent.parent / "docs"
HERE = {"here", "here, on built-in samples", "見本での値"}
"""Headings of columns with saiten's own figures, or their beginnings followed by ` · `."""
PUBLISHED = {"published", "公表値"}
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.])")


def page(name, language="en"):
    """The text of a page."""
    return (DOCS / ("" if language == "en" else "ja") / "papers" / f"{name}.md").read_text(encoding="utf-8")


def commands(text, kinds="console"):
    """The commands in the blocks of these kinds, such as `console|sh`, as lists of words without `saiten`."""
    found = re.findall(rf"^```(?:{kinds})\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line.removeprefix("$ ") for block in found for line in block.splitlines()]
    return [shlex.split(line.removeprefix("saiten "), comments=True) for line in lines]


def sections(text):
    """Heading → the Markdown tables below it, each a list of rows, a dictionary each."""
    found = {}
    for part in re.split(r"^#{2,} ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        found[heading.strip()] = [_rows(block) for block in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE)]
    return found


def _rows(block):
    head, _, *lines = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


def is_here(column):
    """Whether a column has saiten's figures: `here`, or `here · answers`."""
    return column.split(" · ")[0] in HERE


def here(rows):
    """The figures of saiten's columns, as texts."""
    cells = [cell for row in rows for column, cell in row.items() if is_here(column)]
    return [number for cell in cells for number in _NUMBER.findall(cell)]


def is_among(number, values):
    """Whether one of the values is this number, to its number of decimals; a share may be given in percent."""
    plain = number.replace("−", "-").replace(",", "")
    decimals = len(plain.partition(".")[2])
    wanted = float(plain)
    return any(abs(round(factor * value, decimals) - wanted) < 1e-9 for value in values for factor in (1, 100))


def numbers_in(tables):
    """All numbers in the cells of tables as `--format json` prints them, those within texts too."""
    cells = [cell for table in tables for row in table for cell in row.values()]
    found = [cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
    texts = [cell for cell in cells if isinstance(cell, str)]
    return [
        *found,
        *(float(each.replace("−", "-").replace(",", "")) for text in texts for each in _NUMBER.findall(text)),
    ]
