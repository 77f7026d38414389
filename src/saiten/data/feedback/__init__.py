"""Scores for the tools that the traces came from: OpenTelemetry, Langfuse, Phoenix, MLflow.

Each file has one function, from samples with their scores to the objects that the tool reads, one line of JSON each. A
score without a value goes back with its status as the label, and never as 0.
"""

from saiten.data.feedback.feedback import FORMATS, Feedback, feedback_lines

__all__ = ["FORMATS", "Feedback", "feedback_lines"]
