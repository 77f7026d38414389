"""Tuning judges with a user's own labels."""
