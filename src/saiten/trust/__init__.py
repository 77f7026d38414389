"""Can the judge be believed: agreement, meta-evaluation, estimates, probes and drift."""
