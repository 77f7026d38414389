"""A chart: a Vega-Lite specification, rendered as SVG in a page, and as SVG and PNG in files for papers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from saiten.records import Language
from saiten.views.charts.drawing import draw, draw_png, lacks_japanese
from saiten.views.charts.inline import inline_svg, standing_svg
from saiten.views.charts.plot import Picture, vega_lite
from saiten.views.charts.texts import plain


@dataclass(frozen=True)
class VegaChart:
    """A chart, drawn once, on first use: Altair and vl-convert take a second to load."""

    title: str
    """The heading above it, which is not in the picture."""
    said: str
    """The description for those who do not see it: the main figures in words."""
    make: Callable[[], Picture | None] = field(compare=False, repr=False)
    """Make the picture; None if there is nothing to draw."""
    language: Language
    """The language of its fixed words."""
    again: Callable[[Language], "VegaChart"] = field(compare=False, repr=False)
    """Make the same chart in a language."""
    compact: Callable[[], Picture | None] | None = field(default=None, compare=False, repr=False)
    """Make the picture narrower: on a slide its letters are then larger. None if it cannot be."""

    def in_language(self, language: Language) -> "VegaChart":
        """Return the chart with its fixed words in this language."""
        return self if language == self.language else self.again(language)

    @cached_property
    def picture(self) -> Picture | None:
        """Plots and marks; None without a value to draw."""
        return self.make()

    @cached_property
    def spec(self) -> dict[str, Any] | None:
        """The Vega-Lite specification, with its data; JSON. None if nothing can be drawn."""
        return None if self.picture is None else vega_lite(self.picture)

    @cached_property
    def drawn(self) -> str:
        """vl-convert's SVG; empty if nothing is drawn."""
        return "" if self.spec is None else draw(self.spec)

    def svg(self, clean: Callable[[str], str] = plain) -> str:
        """Return the chart for a page, with the page's fonts and color variables; empty if nothing is drawn.

        It has only shapes and texts: no script, URL, style, or id.
        """
        if self.picture is None:
            return ""
        return inline_svg(self.drawn, self.picture.size, clean(plain(self.title)), clean(self.said), clean)

    def svg_file(self, heading: Sequence[str] = ()) -> str:
        """Return a self-contained SVG in light colors on white, below a heading; empty if nothing is drawn."""
        if self.picture is None:
            return ""
        return standing_svg(self.drawn, self.picture.size, plain(self.title), self.said, heading)

    def png(self, scale: float = 2.0) -> bytes:
        """Return the file as PNG with `scale` times as many pixels as the SVG; empty if nothing is drawn."""
        return draw_png(self.svg_file(), scale) if self.picture is not None else b""

    def font_warning(self) -> str | None:
        """Return what to do if Japanese would be missing from the PNG on this machine; None otherwise."""
        return lacks_japanese(self.svg_file())

    def _repr_svg_(self) -> str | None:
        """Return the chart for a notebook."""
        return self.svg_file() or None
