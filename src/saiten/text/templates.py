"""HTML templates in which every value is escaped."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def templates(package: str) -> Environment:
    """Return the templates in a package's folder `templates`."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
