"""Our own RAG: three ways to join several passages into one answer, with and without a conversation."""
