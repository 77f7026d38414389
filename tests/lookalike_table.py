"""Writes `src/saiten/lookalikes.toml` from Unicode's confusables, as the package confusable-homoglyphs has them.

PYTHONPATH=src .venv/bin/python tests/lookalike_table.py
"""

import unicodedata
from pathlib import Path

from confusable_homoglyphs.confusables import confusables_data

TABLE = Path(__file__).parent.parent / "src/saiten/lookalikes.toml"
HEADER = """\
# Characters that resemble ASCII, from Unicode's confusables.txt (UTS #39, version 15.1), without those that NFKD
# decomposes into it. © 1991-2023 Unicode, Inc.; Unicode License v3, https://www.unicode.org/license.txt.
# Written by tests/lookalike_table.py.

[confusables]
"""


def confusable_with(character: str) -> set[str]:
    """Characters and sequences that are confusable with this one."""
    found = confusables_data.get(character) or confusables_data.get(f"\u200e{character}\u200e") or []
    return {each["c"].replace("\u200e", "") for each in found}


def bare(text: str) -> str:
    """The text without marks on its letters."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def reading_of(character: str) -> str | None:
    """What it is confusable with in ASCII: one character, or else several; None if nothing."""
    looks = {bare(each).lower() for each in confusable_with(character)}
    looks = {each for each in looks if each and each.isascii() and not set(each) - SHOWN}
    return min(looks, key=lambda each: (len(each), not each.isalpha(), each == "i", each), default=None)


def readings() -> dict[str, str]:
    """The reading of each character for which decomposing it does not give the same or another ASCII one."""
    found = {}
    for key in confusables_data:
        character = key.replace("\u200e", "")
        if len(character) != 1 or character.isascii() or unicodedata.category(character) in {"Mn", "Me"}:
            continue
        reading, apart = reading_of(character), bare(character).strip()
        decomposed = apart != character and apart and (apart.isascii() or reading_of(apart) == reading)
        if reading and not decomposed:
            found[character] = reading
    return found


SHOWN = set("abcdefghijklmnopqrstuvwxyz0123456789<>/\\-_:|")


def written() -> str:
    """The file."""
    by_reading: dict[str, list[str]] = {}
    for character, reading in readings().items():
        by_reading.setdefault(reading, []).append(character)
    lines = [f"'{reading}' = '{''.join(sorted(those))}'\n" for reading, those in sorted(by_reading.items())]
    return HEADER + "".join(lines)


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")
