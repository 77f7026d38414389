"""Traces of observability tools as rows: OpenTelemetry, OpenInference, Langfuse, Phoenix, MLflow.

Each format makes `TraceSpan`s of the rows of a file; `grouping` collects the spans of a trace, and `assembling` makes
one row of them, with question, contexts and answer.
"""
