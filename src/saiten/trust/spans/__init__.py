"""Marked spans: those of a judge compared with those of people, by characters."""
