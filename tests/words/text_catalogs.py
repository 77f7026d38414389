"""Write the catalogs of the texts in the code, `src/saiten/words/texts/*.ja.po`: what `make words` runs.

Translations of texts that still exist are kept, also if a value was renamed or the text moved to another file.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from babel.messages.pofile import read_po
from texts_in_code import ROOT, Text, texts_in_code
from texts_in_help import texts_in_help
from texts_of_parser import TEXTS_OF_PARSER

from saiten.prompts.folder import about, about_prompt, presets
from saiten.wiring.prompt_uses import prompt_uses

FOLDER = ROOT / "words" / "texts"
AREAS = {
    "cli": ("cli",),
    "data": ("data", "durable", "executor", "importing", "options", "settings"),
    "grading": ("judges", "metrics", "tasks", "text"),
    "models": ("models", "prompts"),
    "pages": ("annotation", "demo", "views"),
    "rag": ("dialogue", "rag", "testsets"),
    "runs": ("cluster", "exports", "results", "runs", "tracking", "wiring"),
    "trust": ("experiments", "papers", "trust", "tuning"),
}
"""Catalog → the packages whose texts it has; `help` has those of the help."""
_HEAD = """msgid ""
msgstr ""
"Language: ja\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"""
_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}")
"""Of the text itself, or a value."""


def written_catalogs(translations: Mapping[str, str]) -> dict[str, str]:
    """Return the contents of all catalogs by name, with these translations."""
    helps = texts_in_help()
    found = {"help": _catalog("help", (Text(each, "") for each in helps), translations)}
    abouts = [*(about_prompt(use.name) for use in prompt_uses()), *map(about, presets())]
    for name, listed in (("parser", TEXTS_OF_PARSER), ("prompts", dict.fromkeys(abouts))):
        found[name] = _catalog("text", (Text(each, "") for each in listed), translations)
    texts = [text for text in texts_in_code() if text.template not in helps]
    for area, packages in AREAS.items():
        own = (text for text in texts if text.file.partition("/")[0].removesuffix(".py") in packages)
        found[area] = _catalog("text", own, translations)
    return found


def translations_in(folder: Path = FOLDER) -> dict[str, str]:
    """Return the Japanese by the English of all catalogs, "" for none; values are numbered, as names may change."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.ja.po")):
        with path.open("rb") as file:
            for entry in read_po(file):
                if entry.id:
                    english, japanese = str(entry.id), str(entry.string)
                    numbers = _numbers(english)
                    found.setdefault(_renamed(english, numbers), _renamed(japanese, numbers))
    return found


def values_in(template: str) -> list[str]:
    """Return the names of a template's values, each once."""
    return list(dict.fromkeys(found[1] for found in _BRACES.finditer(template) if found[1]))


def _renamed(template: str, names: Mapping[str, str]) -> str:
    return _BRACES.sub(lambda found: f"{{{names.get(found[1], found[1])}}}" if found[1] else found[0], template)


def _numbers(template: str) -> dict[str, str]:
    return {name: str(at) for at, name in enumerate(values_in(template))}


def _catalog(context: str, texts: Iterable[Text], translations: Mapping[str, str]) -> str:
    entries = [_HEAD]
    for text in texts:
        numbers = _numbers(text.template)
        japanese = translations.get(_renamed(text.template, numbers), "")
        japanese = _renamed(japanese, {number: name for name, number in numbers.items()})
        place = f"#: {text.file}\n" if text.file else ""
        entries.append(f'{place}msgctxt "{context}"\nmsgid {_quoted(text.template)}\nmsgstr {_quoted(japanese)}\n')
    return "\n".join(entries)


def _quoted(text: str) -> str:
    """Return a text as gettext writes it, one line per line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r")
    lines = escaped.replace("\n", "\\n\n").splitlines()
    return (
        f'"{escaped}"' if len(lines) < 2 and "\n" not in text else "\n".join(['""', *(f'"{line}"' for line in lines)])
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in written_catalogs(translations_in()).items():
        (FOLDER / f"{name}.ja.po").write_text(content, encoding="utf-8")
