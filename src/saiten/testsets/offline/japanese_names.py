"""Names in Japanese sentences, with the words that ask for them: 東京で → どこで, 夏目漱石が → 誰が."""

import re
from collections.abc import Iterator, Sequence

from saiten.testsets.offline.japanese_quantities import Blank
from saiten.text.tokenizers import Morpheme

_CASE = frozenset({"で", "に", "を", "が", "へ", "から"})


def names(sentence: str, words: Sequence[Morpheme]) -> Iterator[Blank]:
    """Yield names in brackets with the noun beside them, and names of people and places."""
    for at, word in enumerate(words):
        if word.surface in {"「", "『"}:
            yield from _bracketed(sentence, words, at)
        elif word.part.startswith("名詞-固有名詞"):
            yield from _proper(words, at)


def _bracketed(sentence: str, words: Sequence[Morpheme], at: int) -> Iterator[Blank]:
    """勤怠システム「ホシナビ」で → どの勤怠システムで; 「通報」ボタンを → どのボタンを."""
    close = next((end for end in range(at + 1, len(words)) if words[end].surface in {"」", "』"}), None)
    if close is None or close + 1 >= len(words):
        return
    begun = at
    while begun > 0 and _is_noun(words[begun - 1]):
        begun -= 1
    after = close + 1
    while after < len(words) and _is_noun(words[after]):
        after += 1
    if after >= len(words) or words[after].surface not in _CASE or (begun < at) == (after > close + 1):
        return
    noun = sentence[words[begun].start : words[at].start] or sentence[words[close].end : words[after].start]
    if not re.search(r"\d", noun) and noun not in {"もの", "こと", "方"}:
        yield Blank(words[begun].start, words[after - 1].end, f"どの{noun}")


def _is_noun(word: Morpheme) -> bool:
    return word.part.startswith(("名詞-普通名詞", "接尾辞-名詞的")) and word.part != "名詞-普通名詞-副詞可能"


_PLACE, _PERSON = frozenset({"で", "に", "へ", "から"}), frozenset({"が", "によって", "により"})


def _proper(words: Sequence[Morpheme], at: int) -> Iterator[Blank]:
    """東京都で → どこで; 夏目漱石が → 誰が; only a whole name between particles."""
    kind = words[at].part.split("-")[2] if words[at].part.count("-") >= 2 else ""
    before = words[at - 1] if at else None
    if before is None or not before.part.startswith(("助詞", "補助記号-読点")) or before.surface == "の":
        return
    end = at + 1
    while end < len(words) and words[end].part.startswith("名詞-固有名詞"):
        end += 1
    if end >= len(words) or not words[end].part.startswith("助詞"):
        return
    following = words[end].surface
    if end + 1 < len(words) and words[end + 1].surface == "、" and following == "で":
        return  # …は東京で、: is in Tokyo, and
    if kind == "地名" and following in _PLACE:
        yield Blank(words[at].start, words[end - 1].end, "どこ")
    elif kind == "人名" and following in _PERSON and words[end - 1].end - words[at].start > 1:
        yield Blank(words[at].start, words[end - 1].end, "誰")
