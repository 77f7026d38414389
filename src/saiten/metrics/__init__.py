"""Metrics: one small file each, found by name through `catalog`."""
