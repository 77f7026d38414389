"""The charts of a report as pictures for slides: SVG and PNG, named after their tables.

`saiten-charts.json` in the same folder maps files to charts. It lets a later report recognize the files of an earlier
one: unmodified ones are replaced or removed, and nothing else is touched.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from saiten.choices import Theme
from saiten.durable.whole_file import check_place, whole_file, write_whole, writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.views.charts.drawing import draw_png, lacks_japanese
from saiten.views.charts.slide import slide_svg
from saiten.views.report.pictures import PlacedChart

PNG_SCALE = 1.2
"""Pixels of a PNG per unit: 1920 × 1080."""
LIST_NAME = "saiten-charts.json"
_UNFIT = re.compile(r"[^\w.=-]+")
_NAME = 255
_LONGEST = 100
"""Maximum bytes of a file's name, without number and ending; file systems allow 255."""


def write_charts(figures: Iterable[PlacedChart], folder: Path, theme: Theme = "light") -> list[str]:
    """Write each chart as SVG and PNG, numbered in the order of the page.

    Returns:
        Sentences on files that are in the way and were not written by an earlier report or were modified since, which
        are kept, and on PNG files that were not written, since this machine has no font for Japanese.

    Raises:
        BadInput: `saiten-charts.json` in the folder was not written by saiten.
        ConfigurationError: The folder cannot be written.
    """
    with writing_to(folder, "name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        before = _written_before(folder / LIST_NAME)
        drawn = [figure for figure in figures if figure.chart.picture is not None]
        rows, kept, without_font = [], list[Path](), False
        for name, figure in zip(_names(drawn), drawn, strict=True):
            svg = slide_svg(figure.chart, figure.text, theme)
            contents = [("svg", svg.encode())]
            if lacks_japanese(svg):
                without_font = True
            else:
                contents.append(("png", draw_png(svg, PNG_SCALE)))
            for ending, content in contents:
                digest = sha256(content).hexdigest()
                path = folder / f"{name}.{ending}"
                place = {"chapter": figure.chapter, "table": figure.table, "chart": figure.chart.title}
                rows.append({"file": path.name, "sha256": digest, **place})
                if path.exists() and not _is_ours(path, {digest, before.get(path.name, "")}):
                    kept.append(path)
                    continue
                with whole_file(path, shared=True) as file:
                    file.write(content)
        written = {row["file"] for row in rows}
        kept += [folder / name for name in before if name not in written and not _removed(folder / name, before[name])]
        text = json.dumps({"charts": rows}, ensure_ascii=False, indent=1) + "\n"
        write_whole(folder / LIST_NAME, text, shared=True, otherwise="name another folder")
    said = [f"{path} is from an earlier report or from elsewhere, and is kept" for path in kept]
    if without_font:
        said.append(
            "PNG files of charts with Japanese are left out, since no font on this machine has Japanese letters; "
            "install one (Debian, Ubuntu: fonts-noto-cjk), or use the SVG files"
        )
    return said


def write_picture(figure: PlacedChart, path: Path, theme: Theme = "light") -> None:
    """Write one picture as PNG or SVG, by the ending of its name; an earlier file is replaced.

    Raises:
        BadInput: Nothing can be drawn, since no score has a value.
        ConfigurationError: The file cannot be written, or this machine has no font for the Japanese in it.
    """
    check_picture_place(path)
    svg = slide_svg(figure.chart, figure.text, theme)
    if not svg:
        raise BadInput(f"{path} is not written: no score has a value, so there is nothing to draw")
    content = svg.encode()
    if path.suffix.lower() == ".png":
        if lacks_japanese(svg):
            raise ConfigurationError(
                f"{path} is not written, since no font on this machine has Japanese letters; install one (Debian, "
                "Ubuntu: fonts-noto-cjk), or name a file that ends in .svg"
            )
        content = draw_png(svg, PNG_SCALE)
    with writing_to(path, "name another file"), whole_file(path, shared=True) as file:
        file.write(content)


def check_picture_place(path: Path) -> None:
    """Check before the work that a picture may be written there; raise ConfigurationError if not."""
    if path.suffix.lower() not in {".png", ".svg"}:
        raise ConfigurationError(f"{path} is written as PNG or SVG; name it with the ending .png or .svg")
    check_place(path, "main.png")


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
