"""Checking a test set again: repeated questions, references that contradict each other, documents that changed."""
