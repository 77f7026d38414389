"""Judges: the LLM judge, the offline judge, and wrappers around either, each a `protocols.Judge`.

`llm` uses a chat model · `offline` needs no model · `panel` votes · `memo` performs equal tasks once · `metered` adds
up usage · `rehearsal` estimates cost · `scripted` is the double for tests.
"""
