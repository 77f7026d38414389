"""Sanitize vl-convert's SVG for a page or a file.

Only the tags and attributes named here are kept, so nothing can act or load: no script, link, style, id or image. Texts
are escaped again; in a page they take the page's fonts, and each color becomes a variable of the page's style sheet.
This draws nothing; it adds title and description.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from xml.etree import ElementTree as ET

from rich.cells import cell_len

from saiten.views.charts.colors import CARD, INK, VARIABLES

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
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_DECIMALS = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_STILL = {("opacity", "1"), ("transform", "translate(0,0)"), ("font-weight", "400"), ("fill", "none")}

_LINE = 20
"""Pixels from one line of a heading to the next."""

Paint = Callable[[str], str]


def inline_svg(svg: str, size: tuple[float, float], title: str, said: str, clean: Callable[[str], str]) -> str:
    """Return the SVG for a page. `clean`: the page's treatment of untrusted texts, in addition to escaping."""
    body = _body(svg, _variable, clean)
    name = f'role="img" aria-label="{escape(title)}"'
    return f'<svg class="chart" {size_of(size)} {name} fill="none">{described(title, said)}{body}</svg>'


def standing_svg(svg: str, size: tuple[float, float], title: str, said: str, heading: Sequence[str] = ()) -> str:
    """Return the SVG for a file: on white, with named fonts.

    `heading`: lines above the picture, the first in bold, broken to its width.
    """
    width, height = size
    lines = [(line, "600" if at == 0 else "400") for at, text in enumerate(heading) for line in broken(text, width)]
    room = _LINE * len(lines) + 8 if lines else 0
    texts = "".join(
        f'<text x="8" y="{_LINE * number}" font-size="13" font-weight="{weight}" fill="{INK}">{escape(line)}</text>'
        for number, (line, weight) in enumerate(lines, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size_of((width, height + room))} role="img" fill="none"'
        f' font-family="{FONTS}">{described(" · ".join(heading) or title, said)}'
        f'<rect width="100%" height="100%" fill="{CARD}"/>{texts}'
        f'<g transform="translate(0,{room})">{drawn_marks(svg, str)}</g></svg>\n'
    )


def broken(text: str, width: float) -> Iterator[str]:
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


def size_of(size: tuple[float, float]) -> str:
    """Return the attributes of an SVG of this width and height."""
    width, height = (f"{side:.0f}" for side in size)
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def described(title: str, said: str) -> str:
    """Return the elements with title and description."""
    return f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"


def drawn_marks(svg: str, paint: Paint) -> str:
    """Return the group with all marks, with its colors painted, for a file."""
    return _body(svg, paint, str)


def _body(svg: str, paint: Paint, clean: Callable[[str], str]) -> str:
    """Return the group with all marks, without the background around it."""
    root = ET.fromstring(svg)  # noqa: S314 - vl-convert's own output, in which texts are escaped
    return next(_drawn(child, paint, clean) for child in root if child.tag == f"{_NAMESPACE}g")


def _drawn(node: ET.Element, paint: Paint, clean: Callable[[str], str]) -> str:
    """Return a shape, a text, or a group with its contents; empty if nothing of it is visible."""
    tag = node.tag.removeprefix(_NAMESPACE)
    label = node.get("aria-label")
    tooltip = clean(label) if label else ""
    title = f"<title>{escape(tooltip)}</title>" if tooltip else ""
    attributes = dict(_attributes(node, paint))
    if tag == "text":
        shown = clean("".join(node.itertext()))
        # A tooltip is needed only if the text is cut.
        return _written(tag, attributes, escape(shown) + (title if tooltip != shown else ""))
    if tag in _SHAPES:
        visible = node.get("opacity") != "0" and (node.get("stroke") or node.get("fill", "none") != "none")
        return _written(tag, attributes, title) if visible else ""
    inner = "".join(_drawn(child, paint, clean) for child in node) if tag == "g" else ""
    return _written(tag, attributes, inner) if inner and attributes else inner


def _attributes(node: ET.Element, paint: Paint) -> Iterator[tuple[str, str]]:
    for name, value in node.attrib.items():
        if name in _KEPT and (name, value) not in _STILL:
            said = paint(value) if name in {"fill", "stroke"} else _DECIMALS.sub(lambda at: _short(float(at[0])), value)
            yield name, said.removesuffix("px")


def _written(tag: str, attributes: Mapping[str, str], inner: str) -> str:
    said = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{said}>{inner}</{tag}>" if inner else f"<{tag}{said}/>"


def _short(number: float) -> str:
    """Round to two decimals: a hundredth of a pixel is invisible."""
    shown = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def _variable(color: str) -> str:
    """Return the page variable of this color; all pages define it."""
    name = VARIABLES.get(color)
    return color if name is None else f"var(--{name})"
