"""The version of saiten, in one place; it stands in every signature."""

__version__ = "0.1.0"
