"""From what a generator wrote as a search query to what is searched for."""

import re

_LONGEST = 1_000
"""Characters; what is longer is an answer rather than a query, and its beginning serves as well."""
_LABEL = re.compile(r"(?:search )?query\s*[:：]\s*|(?:検索)?クエリー?\s*[:：]\s*", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "「": "」", "`": "`", "'": "'"}


def read_query(text: str, question: str) -> str:
    """The first line with something in it, without a label and quotation marks around it; else the question."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    query = _LABEL.sub("", line, count=1).strip() if _LABEL.match(line) else line
    if len(query) > 1 and _QUOTES.get(query[0]) == query[-1] and query.count(query[0]) <= 2:
        query = query[1:-1].strip()
    return query[:_LONGEST] or question
