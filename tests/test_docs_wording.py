"""The English pages avoid the words that once gave them away as translated: a help for writers, not the aim."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
INSTEAD = {
    r"told|tells? (?:how|that|what|which|whether)": "show, report, print",
    r"stands?|stood": "is, appears, occurs",
    r"of ours|of yours|of one's own": "our own, your own",
    r"(?:hold|holds|held) (?:\w+ ){0,3}against": "compare with, check against",
    r"beside": "next to, with, in addition to",
    r"says? nothing of|none of (?:ours|these)": "a plain negation",
    r"[Aa] (?:line|row|call|file|page|question|sample) (?:a|an) \w+": "one line per …",
    r"whoever": "anyone who",
    r"at hand": "available",
}
"""By pattern, what to write instead."""


def prose(page):
    """The lines of a page with their numbers, without code, quoted output and links' targets."""
    text = re.sub(r"^(```+)\w*\{?.*?^\1$", lambda block: "\n" * block.group().count("\n"), page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)  # fmt: skip
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|\*[^*\n]+\*|“[^”]*”", " ", text)
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith("    ")]


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_a_page_is_written_in_plain_english(page):
    """Each finding names the line and the replacement."""
    found = [
        f"{page.name}:{number}: “{match.group()}” → {instead}"
        for number, line in prose(page)
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{pattern})\b", line)
    ]
    assert not found, "\n".join(found)
