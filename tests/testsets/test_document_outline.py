"""Sections: the heading above most of a passage, in the forms in which a base keeps headings."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.rag.knowledge.chunking import cut
from saiten.rag.knowledge.html import visible_text
from saiten.testsets.plan.sections import Outline, document_text

MANUAL = """# Pump P-7

It moves water.

## Care

Rinse it weekly.

```sh
# not a heading
pump --rinse
```

### Filter ###

Change it every 90 days.

## Errors

E1 means that no water comes in.
"""


def section_at(text, words, outline=None):
    """The section of the sentence with these words."""
    start = text.index(words)
    return (outline or Outline([(0, text)])).section(start, start + len(words))


@pytest.mark.parametrize(
    ("words", "section"),
    [
        ("It moves water", "Pump P-7"),
        ("Rinse it weekly", "Pump P-7 > Care"),
        ("pump --rinse", "Pump P-7 > Care"),
        ("every 90 days", "Pump P-7 > Care > Filter"),
        ("no water comes", "Pump P-7 > Errors"),
    ],
)
def test_a_passage_is_in_the_section_of_the_headings_above_it(words, section):
    """Markdown's headings, by level; a comment in a block of code is none."""
    assert section_at(MANUAL, words) == section


def test_a_passage_with_several_headings_is_in_the_section_of_most_of_its_text():
    """Not in that of its first words, which may be the end of the section before."""
    text = "# A\n\nEnd.\n\n# B\n\nMuch more is said about this one here."
    assert Outline([(0, text)]).section(text.index("End"), len(text)) == "B"
    assert Outline([(0, text)]).section(0, text.index("# B")) == "A"


def test_text_above_the_first_heading_has_no_section():
    """Nor has a document without headings."""
    assert section_at("An introduction to it all, without a title.\n\n# A\n\nText.", "introduction") == ""
    assert section_at("It opened in 1998. It closed in 2004.", "closed") == ""


def test_headings_of_a_page_are_found_by_their_form():
    """HTML and DOCX become text without marks: short lines between empty ones that do not end like a sentence."""
    page = visible_text(
        "<title>Office handbook</title><h2>Annual leave</h2><p>Everybody has 26 days.</p><p>Ask early!</p>"
        "<h2>病気休暇</h2><p>9時半までに連絡してください。</p><ul><li>Salary</li><li>Note</li></ul><p>More is said here.</p>"
    )
    assert section_at(page, "26 days") == "Annual leave"
    assert section_at(page, "Ask early!") == "Annual leave"
    assert section_at(page, "9時半までに") == "病気休暇"
    assert section_at(page, "More is said") == "病気休暇"


@pytest.mark.parametrize(
    ("text", "words", "section"),
    [
        ("2 Setup\nPlain.\n2.1 Hoses\nJoin two hoses.\n2.2 Salt\nFill it.", "Join two", "2.1 Hoses"),
        ("第2章 設置\n本文です。\n第1節 ホース\nホースをつなぐ。", "ホースをつなぐ", "第2章 設置 > 第1節 ホース"),
        ("Setup\n=====\n\nPlain.\n\nHoses\n-----\n\nJoin two hoses.", "Join two", "Setup > Hoses"),
        ("1.5 m long hoses fit.\nThey are blue.", "They are", ""),
        ("3.5 L are needed for a cycle of this machine, which is less than before\nYes.", "Yes", "3.5 L are needed for a cycle of this machine, which is less than before"),
    ],
)  # fmt: skip
def test_numbered_and_underlined_lines_are_headings(text, words, section):
    """2.1, 第2章 and Setext's; a sentence that begins with a number is none, while a line without an end may be."""
    assert section_at(text, words) == section


def test_a_document_with_marked_headings_has_no_others():
    """A short line between empty ones is then just a line."""
    assert section_at("# A\n\nNot a heading\n\nSome text is here.\n", "Some text") == "A"


def test_a_fence_that_is_never_closed_begins_no_code():
    """Headings below it are still found."""
    assert section_at("# A\n\n```\n\n# B\n\nText.", "Text") == "B"


@pytest.mark.parametrize("name", ["docs/metrics.md", "docs/ja/metrics.md", "docs/reports.md", "docs/ja/systems.md"])
@pytest.mark.parametrize(("size", "overlap", "exact"), [(512, 0, False), (300, 80, False), (200, 20, True)])
def test_chunks_show_the_same_sections_as_the_document(name, size, overlap, exact):
    """However it was cut: only a heading that is divided by the cut may be lost or shortened."""
    text = (Path(__file__).parents[2] / name).read_text("utf-8")
    chunks = [(chunk.start, chunk.text) for chunk in cut(text, size, overlap, exact=exact)]
    whole, parts = Outline([(0, text)]), Outline(chunks)
    same = [parts.section(at, at + len(part)) == whole.section(at, at + len(part)) for at, part in chunks]
    assert sum(same) >= 0.9 * len(same)
    if not exact:
        assert all(same)


@given(st.text(alphabet="ab #\n`=-1.。章第", max_size=200), st.integers(1, 40), st.integers(0, 10))
def test_any_text_has_an_outline(text, size, overlap):
    """Whatever is in it: prose is part of the chunk, and chunks give back all of the visible text."""
    chunks = [(each.start, each.text) for each in cut(text, size, min(overlap, size - 1))]
    outline = Outline(chunks)
    for start, part in chunks:
        assert isinstance(outline.section(start, start + len(part)), str)
        rest = iter(part)
        assert all(letter in rest for letter in outline.prose(start, part))
    assert document_text(chunks).split() == text.split() or any(b < a + len(p) for (a, p), (b, _) in pairwise(chunks))
