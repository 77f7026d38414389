"""The knowledge base: documents, cut into chunks, embedded, and found again."""
