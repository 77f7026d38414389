"""Multi-turn evaluation: how much of the reference can be got out of a system, and how soon (spec 02)."""
