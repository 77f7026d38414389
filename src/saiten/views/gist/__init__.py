"""Gist and supplement, extra and missing: an answer's gaps and additions, marked in the text."""
