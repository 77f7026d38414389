"""Displays of results: tables in the terminal, JSON, CSV and Markdown from the same rows."""
