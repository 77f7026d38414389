"""Metrics that use a network in this process instead of a judge (extra `neural`)."""
