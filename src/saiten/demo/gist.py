"""Samples for the gist metric: references and answers composed of known units, and the span labels.

Each answer's missing and extra units are known by construction; offsets are counted while the texts are joined. The
format is described in the TOML files.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from saiten.demo.samples import LANGUAGES
from saiten.records import Label, Language, Sample, Span
from saiten.trust.spans.marks import CLASSES, COMBINATIONS

ASPECTS = (*CLASSES, *COMBINATIONS)
ANNOTATOR = "by construction"

_SIGNS = {"G": "gist", "S": "supplement"}
_GAP: Mapping[Language, str] = {"ja": "", "en": " "}
_UNIT = re.compile(r"([GS]\d+) (.+)")
_PIECE = re.compile(
    r"(?:= (?P<kept>[GS]\d+)|~ (?P<said>[GS]\d+) (?P<other>.+)|\+ (?P<extra>[GS]) (?P<new>.+)|\. (?P<plain>.+))"
)


@dataclass(frozen=True, slots=True)
class GistSample:
    """A sample, and the facts about its answer and reference that are known by construction."""

    sample: Sample
    units: Mapping[str, tuple[Span, ...]]
    """All six aspects: `gist`, `supplement` and missing units are in the reference, extra units in the answer."""

    @property
    def profile(self) -> tuple[bool, bool, bool, bool]:
        """Return whether there is any extra gist, extra supplement, missing gist, missing supplement."""
        extra_gist, extra_supplement, missing_gist, missing_supplement = (bool(self.units[a]) for a in ASPECTS[2:])
        return extra_gist, extra_supplement, missing_gist, missing_supplement


def load_gist(language: Language | None = None) -> list[GistSample]:
    """Return the 24 samples of a language, or all 48, Japanese first; always in the same order."""
    return [sample for each in LANGUAGES if language in {None, each} for sample in _read(each)]


def gist_labels(samples: Iterable[GistSample]) -> Iterator[Label]:
    """Yield six labels per sample, as a perfect annotator would give them; without spans if nothing is marked."""
    for one in samples:
        for aspect in ASPECTS:
            spans = one.units[aspect]
            yield Label(one.sample.id, float(len(spans)), ANNOTATOR, aspect, spans=spans)


def _read(language: Language) -> Iterator[GistSample]:
    text = (files(__package__) / f"gist.{language}.toml").read_text(encoding="utf-8")
    for item in tomllib.loads(text)["item"]:
        yield _sample(item, language)


def _sample(item: Mapping[str, Any], language: Language) -> GistSample:
    lines = [_match(_UNIT, line) for line in item["reference"].strip().split("\n")]
    units: dict[str, str] = {line[1]: line[2] for line in lines}
    reference, places = _joined(units.values(), _GAP[language])
    placed = dict(zip(units, places, strict=True))
    pieces = [_match(_PIECE, line).groupdict() for line in item["answer"].strip().split("\n")]
    texts = [units[one["kept"]] if one["kept"] else one["other"] or one["new"] or one["plain"] for one in pieces]
    answer, where = _joined(texts, _GAP[language])
    said = {one["kept"] or one["said"] for one in pieces}
    found: dict[str, tuple[Span, ...]] = {}
    for sign, name in _SIGNS.items():
        own = {key: span for key, span in placed.items() if key.startswith(sign)}
        found[name] = tuple(own.values())
        found[f"missing_{name}"] = tuple(span for key, span in own.items() if key not in said)
        found[f"extra_{name}"] = tuple(span for span, one in zip(where, pieces, strict=True) if one["extra"] == sign)
    given = {name: item[name] for name in ("id", "question", "group")}
    sample = Sample(**given, answer=answer, reference=reference, language=language)
    return GistSample(sample, {aspect: found[aspect] for aspect in ASPECTS})


def _joined(texts: Iterable[str], gap: str) -> tuple[str, list[Span]]:
    """Return the joined texts, and the span of each in the result."""
    whole, places = "", []
    for text in texts:
        whole += gap if whole else ""
        places.append(Span(text, len(whole), len(whole) + len(text)))
        whole += text
    return whole, places


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line)
    if found is None:
        raise ValueError(f"{line!r} is not written as the head of the file says")
    return found
