"""The charts of a report as files for papers: SVG and PNG, named and titled after their tables.

`saiten-charts.json` in the same folder maps files to charts. It lets a later report recognize the files of an earlier
one: unmodified ones are replaced or removed, and nothing else is touched.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from saiten.durable.whole_file import whole_file, write_whole, writing_to
from saiten.errors import BadInput
from saiten.views.charts.drawing import draw_png
from saiten.views.report.document import PlacedChart
from saiten.views.strip_controls import strip_controls

LIST_NAME = "saiten-charts.json"
_UNFIT = re.compile(r"[^\w.=-]+")
_NAME = 255
_LONGEST = 100
"""Maximum bytes of a file's name, without number and ending; file systems allow 255."""


def write_charts(figures: Iterable[PlacedChart], folder: Path) -> list[Path]:
    """Write each chart as SVG and PNG, numbered in the order of the page.

    Returns:
        Files that are in the way and were not written by an earlier report or were modified since; they are kept.

    Raises:
        BadInput: `saiten-charts.json` in the folder was not written by saiten.
        ConfigurationError: The folder cannot be written.
    """
    with writing_to(folder, "name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        before = _written_before(folder / LIST_NAME)
        drawn = [figure for figure in figures if figure.chart.spec is not None]
        rows, kept = [], []
        for name, figure in zip(_names(drawn), drawn, strict=True):
            svg = figure.chart.svg_file(_heading(figure))
            for ending, content in (("svg", svg.encode()), ("png", draw_png(svg, 2.0))):
                digest = sha256(content).hexdigest()
                path = folder / f"{name}.{ending}"
                place = {"chapter": figure.chapter, "table": figure.table, "chart": figure.chart.title}
                rows.append({"file": path.name, "sha256": digest, **place})
                if path.exists() and not _is_ours(path, {digest, before.get(path.name, "")}):
                    kept.append(path)
                    continue
                with whole_file(path) as file:
                    file.write(content)
        written = {row["file"] for row in rows}
        kept += [folder / name for name in before if name not in written and not _removed(folder / name, before[name])]
        text = json.dumps({"charts": rows}, ensure_ascii=False, indent=1) + "\n"
        write_whole(folder / LIST_NAME, text, otherwise="name another folder")
    return kept


def _heading(figure: PlacedChart) -> list[str]:
    """Return the picture's subject and content."""
    lines = (" · ".join(part for part in (figure.chapter, figure.table) if part), figure.chart.title, figure.note)
    return [strip_controls(line) for line in lines if line]


def _names(figures: list[PlacedChart]) -> Iterator[str]:
    """Yield a number and the table's title, with chapter or chart title if needed for distinction."""
    chapters = Counter(table for _, table in {(figure.chapter, figure.table) for figure in figures})
    within = Counter((figure.chapter, figure.table) for figure in figures)
    for number, figure in enumerate(figures, 1):
        parts = [figure.chapter] * (chapters[figure.table] > 1)
        parts += [figure.table]
        parts += [figure.chart.title] * (within[figure.chapter, figure.table] > 1)
        said = "-".join(part for each in parts if (part := _UNFIT.sub("-", each.replace("→", "-to-")).strip("-.")))
        yield f"{number:02}-{said.encode('utf-8', 'replace')[:_LONGEST].decode('utf-8', 'ignore').rstrip('-.')}"


def _written_before(path: Path) -> dict[str, str]:
    """Return the files of an earlier report with their digests."""
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_bytes())["charts"]
        found = {str(row["file"]): str(row["sha256"]) for row in rows}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadInput(
            f"{path} is not a list of charts written by saiten; name another folder, or remove the file"
        ) from error
    return {name: digest for name, digest in found.items() if Path(name).name == name and len(name.encode()) <= _NAME}


def _removed(path: Path, digest: str) -> bool:
    """Remove a file of an earlier report unless it was modified; return whether it is gone."""
    if path.exists() and not _is_ours(path, {digest}):
        return False
    path.unlink(missing_ok=True)
    return True


def _is_ours(path: Path, digests: set[str]) -> bool:
    """Return whether the file is unmodified since we wrote it."""
    return path.is_file() and not path.is_symlink() and sha256(path.read_bytes()).hexdigest() in digests
