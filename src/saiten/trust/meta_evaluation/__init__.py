"""Grading the grader: automatic figures held against what people said."""
