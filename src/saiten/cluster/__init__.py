"""Runs over many processes and machines: the input in shards, each processed by a worker of a Ray cluster."""
