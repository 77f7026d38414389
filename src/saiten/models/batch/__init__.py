"""Batches: requests that are sent in one file, answered within a day, and cost half with most providers.

A request waits in the current *wave* (`waves.py`), which is sent as a batch once nothing more is coming. So the first
batch contains the first step of every sample, the next one the second step, and so on.
"""
