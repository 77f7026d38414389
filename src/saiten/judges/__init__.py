"""Judges: the LLM judge, the offline judge, and the wrappers around either, each a `protocols.Judge` of its own.

`llm` asks a chat model · `offline` asks nobody · `panel` votes · `memo` asks equal tasks once · `metered` adds up what
was spent · `rehearsal` tells what would be spent · `scripted` is the double for tests.
"""
