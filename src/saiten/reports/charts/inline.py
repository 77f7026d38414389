"""The SVG of vl-convert taken to pieces and made anew from what a picture needs: shapes, texts, a title, words.

Only tags and attributes named here are kept, so nothing in a page can act or load: no script, link, style, id, image.
Texts are escaped again and stay texts; in a page they take the page's fonts, and each colour becomes the variable of
the page's style sheet that it stands for.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from xml.etree import ElementTree as ET

from saiten.reports.charts.colours import CARD, VARIABLES

FONTS = (
    "'Noto Sans CJK JP', 'Noto Sans JP', 'Hiragino Sans', 'Yu Gothic', Meiryo, IPAexGothic, 'Helvetica Neue', Arial, "
    "sans-serif"
)
"""Of a file that stands alone: Japanese ones first, else a Chinese one may draw the Japanese letters."""
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
_DECIMALS = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_STILL = {("opacity", "1"), ("transform", "translate(0,0)"), ("font-weight", "400"), ("fill", "none")}

Paint = Callable[[str], str]


def inline_svg(svg: str, size: tuple[float, float], title: str, said: str, clean: Callable[[str], str]) -> str:
    """For a page. `clean`: what the page does to texts from outside, beside escaping."""
    body = "".join(_pieces(_root(svg), _variable, clean))
    name = f'role="img" aria-label="{escape(title)}"'
    return f'<svg class="chart" {_size(size)} {name} fill="none">{_told(title, said)}{body}</svg>'


def standing_svg(svg: str, size: tuple[float, float], title: str, said: str) -> str:
    """For a file: on white, with its fonts named."""
    body = "".join(_pieces(_root(svg), str, str))
    ground = f'<rect width="100%" height="100%" fill="{CARD}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(size)} role="img" fill="none" font-family="{FONTS}">'
        f"{_told(title, said)}{ground}{body}</svg>\n"
    )


def _size(size: tuple[float, float]) -> str:
    width, height = (f"{side:.0f}" for side in size)
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _told(title: str, said: str) -> str:
    return f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"


def _root(svg: str) -> ET.Element:
    """The group with all marks; what lies beside it is the background."""
    root = ET.fromstring(svg)  # noqa: S314 - vl-convert's own output, in which texts are escaped
    return next(child for child in root if child.tag == f"{_NAMESPACE}g")


def _pieces(node: ET.Element, paint: Paint, clean: Callable[[str], str]) -> Iterator[str]:
    tag = node.tag.removeprefix(_NAMESPACE)
    kept = "".join(_attributes(node, paint))
    told = node.get("aria-label")
    title = f"<title>{escape(clean(told))}</title>" if told else ""
    if tag == "text":
        yield f"<text{kept}>{escape(clean(''.join(node.itertext())))}{title}</text>"
    elif tag in _SHAPES:
        if node.get("opacity") != "0" and (node.get("stroke") or node.get("fill", "none") != "none"):
            yield f"<{tag}{kept}>{title}</{tag}>" if title else f"<{tag}{kept}/>"
    elif tag == "g":
        inner = "".join(piece for child in node for piece in _pieces(child, paint, clean))
        if inner:
            yield f"<g{kept}>{inner}</g>" if kept else inner


def _attributes(node: ET.Element, paint: Paint) -> Iterator[str]:
    for name, value in node.attrib.items():
        if name not in _KEPT or (name, value) in _STILL:
            continue
        said = paint(value) if name in {"fill", "stroke"} else _DECIMALS.sub(lambda at: f"{float(at[0]):.2f}", value)
        yield f' {name}="{escape(said)}"'


def _variable(colour: str) -> str:
    """The page's variable; the light colour where a page has none of that name."""
    name = VARIABLES.get(colour)
    return colour if name is None else f"var(--{name},{colour})"
