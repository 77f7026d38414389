"""saiten (採点) grades the answers of RAG and long-form question-answering systems, and grades the grader."""
