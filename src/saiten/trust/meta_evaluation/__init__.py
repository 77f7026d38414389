"""Meta-evaluation: automatic figures compared with human labels."""
