"""Objects of other frameworks as systems under test: LangChain, LlamaIndex and Haystack."""
