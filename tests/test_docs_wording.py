"""Pages avoid the words that once gave them away as translated, in either language: a help for writers, not the aim."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("papers/*.md")),
]
JAPANESE = [
    ROOT / "README.ja.md",
    *sorted((ROOT / "docs" / "ja").glob("*.md")),
    *sorted((ROOT / "docs").glob("ja/papers/*.md")),
]
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
    r"goes? on where|asks? nothing twice": "re-run the command to resume; finished calls are not repeated",
    r"[Tt]he same command again": "re-run the command",
    r"who names none|on record|in the books": "a plain noun: the default, recorded, the records",
    r"comes? about": "is made, happens",
    r"no row has none|misses all": "a plain negation",
    r"how far \w+(?: \w+)? can be believed": "how well … agrees with people",
    r"by several standards|as people weigh": "on several criteria, weighted like human judgments",
    r"that may be chance": "possibly by chance",
}
"""By pattern, what to write instead."""
JAPANESE_INSTEAD = {
    r"その旨": "「そのこと」、または何を示すかを書く",
    r"誤りになります": "エラーになります",
    r"(?:手元の)?計算機": "PC、マシン",
    r"することが(?:でき|可能)": "「できる」の形に縮める",
    r"(?:において|における)": "で、の",
    r"に対しての": "への",
    r"鍵": "キー",
    r"シグネチャ(?!を添え)": "署名",
    r"ナレッジベース": "知識ベース",
    r"言い分": "メッセージ",
    r"もう一度打": "もう一度実行する",
}
"""The same for the Japanese pages."""


def prose(page):
    """The lines of a page with their numbers, without code, quoted output and links' targets."""
    text = re.sub(r"^(```+)\w*\{?.*?^\1$", lambda block: "\n" * block.group().count("\n"), page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)  # fmt: skip
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|\*[^*\n]+\*|“[^”]*”", " ", text)
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith("    ")]


def findings(page, patterns):
    """Each line with such a word, and what to write instead."""
    return [
        f"{page.name}:{number}: “{match.group()}” → {instead}"
        for number, line in prose(page)
        for pattern, instead in patterns.items()
        for match in re.finditer(pattern, line)
    ]


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_a_page_is_written_in_plain_english(page):
    """Each finding names the line and the replacement."""
    found = findings(page, {rf"\b(?:{pattern})\b": instead for pattern, instead in INSTEAD.items()})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in JAPANESE])
def test_a_page_is_written_in_plain_japanese(page):
    """Likewise, in words that a reader would use."""
    found = findings(page, JAPANESE_INSTEAD)
    assert not found, "\n".join(found)
