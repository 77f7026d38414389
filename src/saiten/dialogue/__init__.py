"""Multi-turn evaluation: how much of the reference a system can be brought to say, and how soon (spec 02)."""
