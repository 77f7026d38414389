"""Charts: built from numbers and names as Vega-Lite specifications, drawn as SVG or PNG on demand."""
