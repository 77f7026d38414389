"""Adapters to the system under test: a Python callable, an HTTP endpoint, a chat model, answers in a file."""
