"""Correctness against a reference as a judge sees it: graded 1 to 5, or true/false."""
