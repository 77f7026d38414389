"""Metrics that need no judge but a network in this process (extra `neural`)."""
