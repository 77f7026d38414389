"""The texts that the demo's questions are about."""

import re
import unicodedata
from importlib.resources import files
from pathlib import Path

import pytest

from saiten.text.language import detect_language

FOLDER = files("saiten.demo")
TEXTS = [(language, name) for language in ("ja", "en") for name in ("handbook", "manual")]


def read(language, name):
    """One text of the corpus."""
    return (FOLDER / "corpus" / language / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "name"), TEXTS)
def test_sections_are_as_many_and_as_long_as_real_ones(language, name):
    """A text has 8 to 14 sections of 300 to 600 Japanese characters or 100 to 250 English words, numbered from 1."""
    _, *sections = read(language, name).split("\n## ")
    assert 8 <= len(sections) <= 14
    for number, section in enumerate(sections, 1):
        heading, _, body = section.partition("\n")
        assert heading.startswith(f"{number}. ")
        length = len("".join(body.split())) if language == "ja" else len(body.split())
        low, high = (300, 600) if language == "ja" else (100, 250)
        assert low <= length <= high, (heading, length)


@pytest.mark.parametrize(("language", "name"), TEXTS)
def test_every_passage_is_in_the_texts_language_and_clean(language, name):
    """Each paragraph is one line in its language, composed characters, no stray space, no full-width digit."""
    text = read(language, name)
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"[ \t]\n|  |\r|�|[０-９]", text)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            assert detect_language(line) == language, line


def test_the_package_data_stay_small():
    """The demo adds less than 700 KB to the package."""
    folder = Path(str(FOLDER))
    data = [path for path in folder.rglob("*") if path.suffix in {".md", ".jsonl"}]
    assert len(data) == 7
    assert sum(path.stat().st_size for path in data) < 700_000
