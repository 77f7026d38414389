"""What is said wherever figures come from the offline judge: it compares words, and understands nothing."""

from collections.abc import Iterable

from saiten.records import Language, Signature

_MARK = "|judge:offline-overlap|"

ONLY_WORDS = (
    "No model was called: the offline judge compares words, numbers and names, and does not understand the answers. "
    "Compare its figures with people's labels (`saiten meta-evaluate`), or name a model with --judge."
)
"""In English, as in tables; `japanese.toml` has the sentences in Japanese."""

_SHORT: dict[Language, str] = {
    "en": "Judged offline: words, numbers and names compared, no model called.",
    "ja": "オフライン評価器による採点:語・数値・名称を比べただけで、モデルは呼び出していない。",
}


def only_words(signatures: Iterable[Signature | str]) -> bool:
    """Whether one of these figures was made by the offline judge."""
    return any(_MARK in f"{signature}|" for signature in signatures)


def short_note(language: Language) -> str:
    """For the head of a picture."""
    return _SHORT[language]
