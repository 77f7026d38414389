"""Sanitize vl-convert's SVG for a page or a file.

Only the tags and attributes named here are kept, so nothing can act or load: no script, link, style, id or image. Texts
are escaped again; in a page they take the page's fonts, and each color becomes a variable of the page's style sheet.
This draws nothing; it makes the SVG less than half the size and adds title and description.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from xml.etree import ElementTree as ET

from rich.cells import cell_len

from saiten.views.charts.colours import CARD, INK, VARIABLES

FONTS = (
    "'Noto Sans CJK JP', 'Noto Sans JP', 'Hiragino Sans', 'Yu Gothic', Meiryo, IPAexGothic, 'Helvetica Neue', Arial, "
    "sans-serif"
)
"""Fonts of a standalone file: Japanese ones first, otherwise a Chinese font may draw the Japanese characters."""
_KEPT = frozenset(
    {
        *("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"),
        *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"),
        *("opacity", "fill-opacity", "stroke-opacity"),
        *("text-anchor", "font-size", "font-weight", "font-style"),
    }
)
_SHAPES = frozenset({"path", "line", "rect", "circle"})
_INHERITED = _KEPT - {"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "opacity"}
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_DECIMALS = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_MOVED = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)\Z")
_STILL = {("opacity", "1"), ("transform", "translate(0,0)"), ("font-weight", "400"), ("fill", "none")}

_VIEW = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_LINE = 20
"""Pixels from one line of a heading to the next."""

Paint = Callable[[str], str]


def inline_svg(svg: str, size: tuple[float, float], title: str, said: str, clean: Callable[[str], str]) -> str:
    """Return the SVG for a page. `clean`: the page's treatment of untrusted texts, in addition to escaping."""
    body = _body(svg, _variable, clean)
    name = f'role="img" aria-label="{escape(title)}"'
    return f'<svg class="chart" {_size(size)} {name} fill="none">{_told(title, said)}{body}</svg>'


def standing_svg(svg: str, size: tuple[float, float], title: str, said: str) -> str:
    """Return the SVG for a file: on white, with named fonts."""
    body = _body(svg, str, str)
    ground = f'<rect width="100%" height="100%" fill="{CARD}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(size)} role="img" fill="none" font-family="{FONTS}">'
        f"{_told(title, said)}{ground}{body}</svg>\n"
    )


def headed(svg: str, heading: Sequence[str]) -> str:
    """Return a standalone SVG with these lines above the picture, the first in bold, broken to its width."""
    found = _VIEW.search(svg)
    assert found is not None  # noqa: S101 - ours has one; said for the type checker
    width, height = map(int, found.groups())
    lines = [(line, "600" if at == 0 else "400") for at, text in enumerate(heading) for line in _broken(text, width)]
    room = _LINE * len(lines) + 8
    texts = "".join(
        f'<text x="8" y="{_LINE * number}" font-size="13" font-weight="{weight}" fill="{INK}">{escape(line)}</text>'
        for number, (line, weight) in enumerate(lines, 1)
    )
    told = escape(" · ".join(heading))
    within = svg.strip().replace("<svg ", f'<svg y="{room}" ', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size((width, height + room))} role="img" font-family="{FONTS}">'
        f'<title>{told}</title><rect width="100%" height="100%" fill="{CARD}"/>{texts}'
        f"{within}</svg>\n"
    )


def _broken(text: str, width: float) -> Iterator[str]:
    """Yield lines no wider than the picture, by estimate, since the font is unknown."""
    most = max(int(width / 7.5), 20)
    line = ""
    for word in re.findall(r"\S+\s*|\s+", text):
        for piece in (word,) if cell_len(word) <= most else word:
            if line and cell_len(line + piece.rstrip()) > most:
                yield line.rstrip()
                line = ""
            line += piece
    if line.strip():
        yield line.rstrip()


def _size(size: tuple[float, float]) -> str:
    width, height = (f"{side:.0f}" for side in size)
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _told(title: str, said: str) -> str:
    return f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"


def _body(svg: str, paint: Paint, clean: Callable[[str], str]) -> str:
    """Return the group with all marks, without the background around it."""
    root = ET.fromstring(svg)  # noqa: S314 - vl-convert's own output, in which texts are escaped
    marks = next(child for child in root if child.tag == f"{_NAMESPACE}g")
    return _written("g", dict(_attributes(marks, paint)), "".join(_pieces(marks, paint, clean)))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A shape, a text or a group, before it is written."""

    tag: str
    own: Mapping[str, str]
    """Its position and shape."""
    painted: Mapping[str, str]
    """Colors, strokes and fonts, which could be inherited from an enclosing group."""
    inner: str = ""


def _pieces(node: ET.Element, paint: Paint, clean: Callable[[str], str]) -> Iterator[str]:
    """Yield a group's contents in order; attributes shared by neighbors are moved to an enclosing group."""
    within = (mark for child in node for mark in _marks(child, paint, clean))
    for painted, run in groupby(within, key=lambda mark: mark.painted):
        marks = list(_joined(list(run)))
        if len(marks) == 1:
            yield _written(marks[0].tag, {**marks[0].own, **painted}, marks[0].inner)
        else:
            yield _written("g", painted, "".join(_written(mark.tag, mark.own, mark.inner) for mark in marks))


def _marks(node: ET.Element, paint: Paint, clean: Callable[[str], str]) -> Iterator[_Mark]:
    tag = node.tag.removeprefix(_NAMESPACE)
    attributes = dict(_attributes(node, paint))
    painted = {name: value for name, value in attributes.items() if name in _INHERITED}
    own = {name: value for name, value in attributes.items() if name not in _INHERITED}
    told = clean(node.get("aria-label", ""))
    title = f"<title>{escape(told)}</title>" if told else ""
    if tag == "text":
        shown = clean("".join(node.itertext()))
        # A tooltip is needed only if the text is cut.
        yield _Mark(tag, _at(own), painted, escape(shown) + (title if told != shown else ""))
    elif tag in _SHAPES:
        if node.get("opacity") != "0" and (node.get("stroke") or node.get("fill", "none") != "none"):
            yield _Mark(tag, own, painted, title)
    elif tag == "g":
        inner = "".join(_pieces(node, paint, clean))
        if inner and attributes:
            yield _Mark(tag, own, painted, inner)
        elif inner:
            yield _Mark("", {}, {}, inner)


def _joined(marks: Sequence[_Mark]) -> Iterator[_Mark]:
    """Merge lines of one look without tooltips into one path; keep everything else."""
    for line, run in groupby(marks, key=lambda mark: _stroke(mark) is not None):
        if line:
            first, *others = run
            path = "".join(_stroke(mark) or "" for mark in (first, *others))
            yield _Mark("path", {"d": path}, first.painted)
        else:
            yield from run


def _stroke(mark: _Mark) -> str | None:
    """Return the line as a piece of a path; None if it is not a single line."""
    if mark.tag != "line" or mark.inner or mark.own.keys() - {"transform", "x1", "y1", "x2", "y2"}:
        return None
    moved = _MOVED.match(mark.own.get("transform", "translate(0,0)"))
    if moved is None:
        return None
    left, top = map(float, moved.groups())
    x1, y1, x2, y2 = (float(mark.own.get(name, 0)) for name in ("x1", "y1", "x2", "y2"))
    return f"M{_short(left + x1)},{_short(top + y1)}l{_short(x2 - x1)},{_short(y2 - y1)}"


def _at(own: Mapping[str, str]) -> Mapping[str, str]:
    """Shorten the position of a text that is moved and not rotated."""
    moved = _MOVED.match(own.get("transform", ""))
    return own if moved is None or own.keys() != {"transform"} else dict(zip("xy", moved.groups(), strict=True))


def _attributes(node: ET.Element, paint: Paint) -> Iterator[tuple[str, str]]:
    for name, value in node.attrib.items():
        if name in _KEPT and (name, value) not in _STILL:
            said = paint(value) if name in {"fill", "stroke"} else _DECIMALS.sub(lambda at: _short(float(at[0])), value)
            yield name, said.removesuffix("px")


def _written(tag: str, attributes: Mapping[str, str], inner: str) -> str:
    if not tag or (tag == "g" and not attributes):
        return inner
    said = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{said}>{inner}</{tag}>" if inner else f"<{tag}{said}/>"


def _short(number: float) -> str:
    """Round to two decimals: a hundredth of a pixel is invisible."""
    shown = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _variable(colour: str) -> str:
    """Return the page variable of this color; all pages define it."""
    name = VARIABLES.get(colour)
    return colour if name is None else f"var(--{name})"
