"""Twelve short questions with contexts and answers, each in both languages, written for saiten."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from saiten.records import Language, Sample

_PAIRS: tuple[tuple[Language, Language], ...] = (("ja", "en"), ("en", "ja"))


def load_translations() -> list[Sample]:
    """Return 24 samples: each question in each language, with the answer in the other as an alternative reference.

    Invented, like the demo's, and under the project's licence; each version was written to be natural in its language,
    with the same facts.
    """
    return list(_samples())


def _samples() -> Iterator[Sample]:
    text = (files(__package__) / "translations.jsonl").read_text(encoding="utf-8")
    for line in text.strip().split("\n"):
        row: dict[str, Any] = json.loads(line)
        for own, other in _PAIRS:
            yield Sample(
                id=f"translation-{row['id']}-{own}",
                question=row[own]["question"],
                answer=row[own]["answer"],
                contexts=(row[own]["context"],),
                reference=row[own]["answer"],
                alternatives=(row[other]["answer"],),
                language=own,
            )
