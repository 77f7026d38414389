"""Every entry of the catalogs is used somewhere, and every key that code asks for is an entry."""

import ast
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

import saiten
from saiten.words import catalog

ROOT = Path(saiten.__file__).parent
FAULTS = {"_".join(pair) for pair in product(("system", "judge"), ("failed", "timeout", "unreadable"))}
"""Keys that are joined of who failed in a dialogue, and how."""
BY_FORM = ("annotation_", "form_", "field")
"""Sections of the annotation pages, whose keys are named by forms and stored answers; they have tests of their own."""


class Source:
    """The keys that the source asks for."""

    def __init__(self):
        self.asked = set()
        """Section and key of messages whose key is written out."""
        self.patterns = defaultdict(list)
        """By section: keys that are put together."""
        self.texts = set()
        """All string constants, also with underscores for spaces: a key may be the value of a field."""
        self.joints = []
        """Patterns of all f-strings with enough of their own to be recognized."""
        for path in sorted(ROOT.rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                    self.texts.add(node.value.replace("ci_low", "interval").replace(" ", "_"))
                    self.texts.add(node.value)
                elif isinstance(node, ast.JoinedStr):
                    literal = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
                    self.joints += [pattern(node)] * (len(literal) > 2)
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message":
                    self.message(*node.args[:2])
        pages = [path.read_text("utf-8") for kind in ("*.html", "*.js") for path in ROOT.rglob(kind)]
        self.texts |= set(re.findall(r"\w+", "\n".join(pages)))
        beginnings = re.findall(r"words\[`(\w{3,})\$\{", "\n".join(pages))
        self.joints += [re.compile(rf"{begins}\w+") for begins in beginnings]

    def message(self, section, key):
        """Note the key of one message."""
        if not isinstance(section, ast.Constant):
            return
        if isinstance(key, ast.Constant):
            self.asked.add((section.value, key.value))
        elif isinstance(key, ast.IfExp):
            self.message(section, key.body)
            self.message(section, key.orelse)
        elif isinstance(key, ast.JoinedStr):
            self.patterns[section.value].append(pattern(key))

    def uses(self, section, key):
        """Whether the source may ask for this entry."""
        if (section, key) in self.asked or any(one.fullmatch(key) for one in self.patterns[section]):
            return True
        return key in self.texts | FAULTS or any(one.fullmatch(key) for one in self.joints)


def pattern(joined):
    """Return a pattern of what an f-string may become."""
    parts = (re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in joined.values)
    return re.compile("".join(parts))


@pytest.fixture(scope="module")
def source():
    """All of it, read once."""
    return Source()


def test_every_key_that_is_written_out_is_an_entry(source):
    """Nobody finds out while a table is shown."""
    assert len(source.asked) > 300
    for language in ("en", "ja"):
        entries = catalog(language)
        assert {entry for entry in source.asked if entry not in entries} == set()
        for section, patterns in source.patterns.items():
            keys = [key for of, key in entries if of == section]
            assert [one.pattern for one in patterns if not any(map(one.fullmatch, keys))] == [], section


def test_every_entry_is_used(source):
    """A word that nothing asks for is deleted with what asked for it."""
    entries = [entry for entry in catalog("en") if not entry[0].startswith(BY_FORM)]
    assert {entry for entry in entries if not source.uses(*entry)} == set()
