"""The reasons of verdicts, in the sample's language; negative ones name something *to check*."""

from collections.abc import Sequence
from typing import Literal

from saiten.judges.offline.support import Support
from saiten.records import Language

Source = Literal["contexts", "reference", "answer", "summary"]
"""The text a statement was compared with."""

_SHOWN = 3
"""Maximum number of numbers and names listed in a reason; the rest are counted."""

_ABSENT: dict[Language, dict[Source, str]] = {
    "en": {
        "contexts": "in no context",
        "reference": "not in the reference",
        "answer": "not in the answer",
        "summary": "not in the summary",
    },
    "ja": {
        "contexts": "がどのコンテキストにもない",
        "reference": "が正答例にない",
        "answer": "が回答にない",
        "summary": "が要約にない",
    },
}


def said(language: Language, english: str, japanese: str) -> str:
    """Return the words in the sample's language."""
    return japanese if language == "ja" else english


def why(found: Support, verdict: bool, unclear: bool, source: Source, language: Language, *, cut: bool = False) -> str:  # noqa: FBT001 - the verdict itself
    """Explain a verdict: what is missing, how much is shared, and whether a negation differs."""
    if not found.comparable:
        english = "unclear: no content words, numbers or names to compare"
        return said(language, english, "比べられる内容語・数値・名称がない")
    parts = absent(found.missing_numbers, found.missing_names, source, language) + instead_of(found.replaced, language)
    for one, other in found.rivals[:_SHOWN]:
        english = f"the sentence also has {other}, and the words do not show which of the two {one} should be"
        parts.append(said(language, english, f"同じ文には {other} もあり、{one} がどちらの値かは語からは分からない"))
    percent = round(100 * found.share)
    english = f"{percent} % of the content words in the best sentence"
    parts.append(said(language, english, f"内容語の {percent} % が最も近い文にある"))
    if found.negation_differs:
        parts.append(said(language, "negation differs", "否定の有無が異なる"))
    if cut:
        english = "the contexts were too long to be read to their end"
        parts.append(said(language, english, "長すぎるため末尾は読んでいない"))
    lead = said(language, "unclear: ", "判定保留：") if unclear else said(language, "to check: ", "要確認：")
    return ("" if verdict and not unclear else lead) + said(language, "; ", "；").join(parts)


def instead_of(replaced: Sequence[tuple[str, str]], language: Language) -> list[str]:
    """Format *has 13,000 yen in the place of 10,000 yen*, at most three."""
    template = said(language, "has {1} in the place of {0}", "{0} のところが {1} になっている")
    return [template.format(*pair) for pair in list(dict.fromkeys(replaced))[:_SHOWN]]


def absent(numbers: tuple[str, ...], names: tuple[str, ...], source: Source, language: Language) -> list[str]:
    """Format *number 1,200 in no context* and the like, at most three of each."""
    kinds = ("数値", "名称", "ほか") if language == "ja" else ("number", "name", "and more")
    listed = []
    for kind, missing in zip(kinds, (numbers, names), strict=False):
        joined = (", " if language == "en" else "、").join(missing[:_SHOWN])
        rest = f" {kinds[2]} {len(missing) - _SHOWN}" if len(missing) > _SHOWN else ""
        if missing:
            listed.append(f"{kind} {joined}{rest} {_ABSENT[language][source]}")
    return listed
