"""Adapters to the system under test: a Python callable, an HTTP service, a chat model, answers in a file."""
