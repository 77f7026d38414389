"""Metrics by judges: correctness graded from 1 to 5 or as true/false, gist, aspects, direct and MATE."""
