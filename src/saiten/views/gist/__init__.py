"""Gist and supplement, extra and missing: what an answer lacks and adds, marked in the text."""
