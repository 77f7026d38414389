"""The reasons of verdicts, in the sample's language; negative ones name something *to check*."""

from typing import Literal

from saiten.judges.offline.reasons import said
from saiten.judges.support.network import Found
from saiten.records import Language

Source = Literal["contexts", "reference", "answer"]
"""The text that a statement is compared with."""

_ONE = {"reference": "正答例", "answer": "回答"}


def why(found: Found, source: Source, language: Language, *, supported: bool) -> str:
    """Explain a verdict: by which context, and with which probability."""
    if found.p is None:
        return said(
            language, "unclear: there is nothing in it that the network can read", "ネットワークが読める内容がない"
        )
    if not found.places:
        return said(language, "to check: there is nothing to compare it with", "要確認：比べる相手がない")
    english = japanese = ""
    if found.sources_cut:
        english += "; the texts were too long to be read to their end"
        japanese += "；長すぎるため末尾は読んでいない"
    if found.statement_cut:
        english += "; only the beginning of the statement was read, since it is too long"
        japanese += "；主張が長すぎるため冒頭だけを読んだ"
    verdict = _verdict(found, source, language, supported=supported)
    return verdict + said(language, english, japanese)


def _verdict(found: Found, source: Source, language: Language, *, supported: bool) -> str:
    p = f"p {found.p:.2f}"
    if source != "contexts":
        name = _ONE[source]
        if supported:
            return said(language, f"supported by the {source} ({p})", f"{name}に裏付けられている（{p}）")
        return said(language, f"to check: not supported by the {source} ({p})", f"要確認：{name}に裏付けがない（{p}）")
    numbers = [place[0] + 1 for place in found.places]
    if supported and len(numbers) > 1:
        return said(
            language, f"supported by the contexts taken together ({p})", f"コンテキスト全体に裏付けられている（{p}）"
        )
    if supported:
        return said(
            language, f"supported by context {numbers[0]} ({p})", f"コンテキスト{numbers[0]}に裏付けられている（{p}）"
        )
    if len(numbers) > 1:
        return said(
            language, f"to check: not supported by the contexts ({p})", f"要確認：コンテキストに裏付けがない（{p}）"
        )
    return said(
        language,
        f"to check: supported by no context (most by context {numbers[0]}, {p})",
        f"要確認：どのコンテキストにも裏付けがない（最も近いのはコンテキスト{numbers[0]}、{p}）",
    )
