"""Specifications drawn by vl-convert, in this process and without the network."""

import json
import re
from functools import cache
from typing import Any

_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")


def draw(spec: dict[str, Any]) -> str:
    """Return vl-convert's SVG, with texts as texts. The first takes half a second, each further one a tenth."""
    import vl_convert  # noqa: PLC0415 - a JavaScript engine

    # Our specifications need no URL, so none is allowed.
    return vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[])


def draw_png(svg: str, scale: float) -> bytes:
    """Return a PNG with the fonts of this machine."""
    import vl_convert  # noqa: PLC0415

    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def lacks_japanese(svg: str) -> str | None:
    """Return what to do if the SVG has Japanese and this machine has no font for it; None otherwise."""
    if _JAPANESE.search(svg) is None or _has_japanese():
        return None
    return (
        "no font on this machine has Japanese letters, which would be missing from a PNG; install one "
        "(Debian, Ubuntu: fonts-noto-cjk), or use the SVG"
    )


@cache
def _has_japanese() -> bool:
    """Return whether two letters are drawn differently; without a font both are the same box, or nothing."""
    first, second = (
        draw_png(
            '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
            f'<text x="2" y="30" font-size="30" font-family="sans-serif">{letter}</text></svg>',
            1,
        )
        for letter in "採あ"
    )
    return first != second
