"""Texts that a spreadsheet would run as a formula, and the apostrophe that prevents it in CSV.

As OWASP recommends for CSV: https://owasp.org/www-community/attacks/CSV_Injection
"""

import re

_FORMULA = re.compile(r"[=@\t\r\n＝＠]|[+＋－-](?!\d+(?:\.\d+)?\Z)")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run the text as a formula; a number with a sign is none."""
    return _FORMULA.match(text) is not None


def no_formula(text: str) -> str:
    """Prefix an apostrophe if a spreadsheet would run the text as a formula; answers come from anywhere."""
    return f"'{text}" if is_formula(text) else text
