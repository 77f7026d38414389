"""Tuning: what a user's own labels teach a judge."""
