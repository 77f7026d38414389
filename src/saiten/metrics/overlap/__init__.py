"""Metrics that compare words without a judge: the baselines that every judge has to beat."""
