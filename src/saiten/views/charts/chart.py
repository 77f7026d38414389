"""A chart: a specification in Vega-Lite, and what becomes of it: SVG in a page, SVG and PNG in files for papers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from saiten.records import Language
from saiten.views.charts.drawing import draw, draw_png, lacks_japanese
from saiten.views.charts.inline import inline_svg, standing_svg
from saiten.views.charts.names import plain
from saiten.views.charts.panel import Picture, vega_lite


@dataclass(frozen=True)
class VegaChart:
    """A picture of figures; it is drawn when it is first asked for, and once.

    Fits `Chart` of `views/table.py`. Altair and vl-convert are loaded by the first chart that is drawn, since they
    need a second.
    """

    title: str
    """What stands above it; it is not in the picture."""
    said: str
    """The main figures in words, for those who do not see it."""
    make: Callable[[], Picture | None] = field(compare=False, repr=False)
    """What is drawn; None where there is nothing."""
    language: Language
    """Of its own words."""
    again: Callable[[Language], "VegaChart"] = field(compare=False, repr=False)
    """Makes the same chart in a language."""

    def in_language(self, language: Language) -> "VegaChart":
        """The same figures with the chart's own words in this language."""
        return self if language == self.language else self.again(language)

    @cached_property
    def picture(self) -> Picture | None:
        """The fields and marks; None where no value is there to be drawn, or floats end."""
        return self.make()

    @cached_property
    def spec(self) -> dict[str, Any] | None:
        """The Vega-Lite specification, with its data; JSON. None where nothing can be drawn."""
        return None if self.picture is None else vega_lite(self.picture)

    @cached_property
    def _drawn(self) -> str:
        return "" if self.spec is None else draw(self.spec)

    def svg(self, clean: Callable[[str], str] = plain) -> str:
        """For a page: its texts in the page's fonts, its colours the page's variables. Empty where nothing is drawn.

        Only shapes and texts are in it: no script, address, style, or id that another picture could have as well.
        """
        if self.picture is None:
            return ""
        size = (self.picture.width, self.picture.height)
        return inline_svg(self._drawn, size, clean(plain(self.title)), clean(self.said), clean)

    def svg_file(self) -> str:
        """For a file: it stands alone, in light colours on white. Empty where nothing is drawn."""
        if self.picture is None:
            return ""
        size = (self.picture.width, self.picture.height)
        return standing_svg(self._drawn, size, plain(self.title), self.said)

    def png(self, scale: float = 2.0) -> bytes:
        """For a file, `scale` times as many pixels as the SVG has; empty where nothing is drawn."""
        return draw_png(self.svg_file(), scale) if self.picture is not None else b""

    def font_warning(self) -> str | None:
        """What to do, where Japanese in the PNG would come out as empty boxes on this machine; None otherwise."""
        return lacks_japanese(self.svg_file())

    def _repr_svg_(self) -> str | None:
        """In a notebook."""
        return self.svg_file() or None
