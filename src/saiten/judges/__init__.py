"""Judges: the LLM judge, the offline judge, and wrappers around either, each a `protocols.Judge`.

`llm` uses a chat model · `offline` needs no model · `encoder` and `support` use a small network · `wrappers` vote,
perform equal tasks once, add up usage and estimate cost · `scripted` is the double for tests.
"""
