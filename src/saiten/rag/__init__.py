"""Saiten's reference RAG: three ways to combine passages into an answer, with and without a conversation."""
