"""The nine RAGAS metrics and context relevance, one file each; `compat.py` says how our values relate to RAGAS's."""
