"""The nine RAGAS metrics and context relevance, one file each; `compat.py` relates our values to RAGAS's."""
