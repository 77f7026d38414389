"""Runs as files for other tools: one row or object per answer, with all its scores."""
