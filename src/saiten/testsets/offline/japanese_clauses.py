"""Clauses of Japanese sentences, and their predicates turned into polite questions."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from saiten.text.tokenizers import Morpheme

Tone = Literal["present", "past", "request"]

_ENDINGS = dict(zip("うくぐすつぬぶむる", "いきぎしちにびみり", strict=True))
_CUTS = frozenset({"が", "し", "けれど", "けれども", "ので"})
"""Conjunctive particles after which another statement begins."""
_POLITE = frozenset({"です", "ます"})


class JapaneseClause(NamedTuple):
    """A part of a sentence that states something by itself."""

    words: tuple[Morpheme, ...]
    """Without the comma, full stop or particle that ends it."""
    tone: Tone
    """That of the whole sentence: 電源を切り、5分待ってください asks for both."""

    @property
    def start(self) -> int:
        """Where it begins in the sentence."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where it ends, exclusive."""
        return self.words[-1].end


def clauses_of(words: Sequence[Morpheme]) -> list[JapaneseClause]:
    """Return the coordinate clauses of a sentence; conditions and reasons stay with what they belong to."""
    tone = _tone(words)
    clauses: list[JapaneseClause] = []
    begun = 0
    for at, word in enumerate(words):
        if word.surface in {"。", "．", "！"} or at == len(words) - 1:
            end = at if word.part.startswith("補助記号") else at + 1
        elif word.surface in {"、", "，"} and (cut := _cut(words, begun, at)) is not None:
            end = cut
        else:
            continue
        if end > begun:
            clauses.append(JapaneseClause(tuple(words[begun:end]), tone))
        begun = at + 1
    return clauses


def _cut(words: Sequence[Morpheme], begun: int, comma: int) -> int | None:
    """Return where the clause before a comma ends, exclusive; None if the comma is within it."""
    if comma - 2 < begun:
        return None
    before, last = words[comma - 2], words[comma - 1]
    if last.surface == "で" and before.part == "助詞-準体助詞":  # ですので, ますので; するので belongs to what follows
        return comma - 2 if comma - 3 > begun and words[comma - 3].base in _POLITE else None
    if last.part.startswith(("動詞", "助動詞")) and last.form.startswith("連用形"):
        return None if last.base in _NO_END else comma
    if (
        last.part.startswith("助詞-接続助詞")
        and last.surface in _CUTS
        and before.part.startswith(("助動詞", "動詞", "形容詞"))
    ):
        return comma - 1
    item = comma - 1 if last.surface == "で" else comma
    if item < comma and (words[item - 1].surface in _BOUNDS or words[item - 2].part == "名詞-数詞"):
        return item
    ends = words[item - 1].part.startswith(("名詞", "接尾辞", "助詞-副助詞"))
    return comma if ends and _has_topic(words[begun:comma]) and _has_topic(_until_comma(words, comma)) else None


_BOUNDS = frozenset({"以内", "以上", "以下", "未満", "まで"})
_NO_END = frozenset(
    {
        "除く",
        "含む",
        "限る",
        "応じる",
        "経る",
        "基づく",
        "関する",
        "よる",
        "対する",
        "加える",
        "伴う",
        "おく",
        "際する",
        "かねる",
    }
)
"""Verbs whose 連用形 works as a particle: 土日を除き、."""


def _until_comma(words: Sequence[Morpheme], comma: int) -> Sequence[Morpheme]:
    end = next((at for at in range(comma + 1, len(words)) if words[at].surface in {"、", "。"}), len(words))
    return words[comma + 1 : end]


def _has_topic(words: Sequence[Morpheme]) -> bool:
    return topic_end(words) is not None


def topic_end(words: Sequence[Morpheme]) -> int | None:
    """Return the index of the は that marks the topic, a noun; None if there is none."""
    for at, word in enumerate(words):
        if at and word.surface == "は" and word.part == "助詞-係助詞" and _is_nominal(words[at - 1]):
            return at
    return None


def _is_nominal(word: Morpheme) -> bool:
    return (
        word.part.startswith(("名詞", "接尾辞-名詞的", "補助記号-括弧閉", "代名詞", "助詞-準体助詞"))
        and word.surface not in _CASES
    )


_CASES = frozenset(
    {"場合", "とき", "時", "際", "ところ", "うち", "間", "あいだ", "以外", "ため", "後", "あと", "前", "まえ", "以降"}
)
"""Nouns that begin a condition, not a topic: 場合は, ときは."""


def is_case(word: Morpheme) -> bool:
    """Return whether the word makes a condition: 場合, とき."""
    return word.surface in _CASES


def _tone(words: Sequence[Morpheme]) -> Tone:
    last = [word for word in words if not word.part.startswith("補助記号")][-2:]
    if last and last[-1].surface in {"ください", "下さい"}:
        return "request"
    return "past" if last and last[-1].conjugation == "助動詞-タ" else "present"


def polite_question(words: Sequence[Morpheme], tone: Tone, text: str) -> str | None:
    """Return a statement as a polite question, with ですか or ますか; None if its ending is not known, or negative.

    `text`: the words as they are to appear, ending in the same predicate.
    """
    last = words[-1]
    if last.base in _POLITE or (last.conjugation == "助動詞-タ" and len(words) > 1 and words[-2].base in _POLITE):
        return f"{text}か"
    if last.surface == "ん":
        return None  # …ませんか is an invitation
    if last.surface in {"ください", "下さい"}:
        return _request(words, text)
    if last.part.startswith(("名詞", "接尾辞-名詞的", "補助記号-括弧閉")):
        return f"{text}{'でした' if tone == 'past' else 'です'}か"
    return _plain(words, tone, text)


def _request(words: Sequence[Morpheme], text: str) -> str | None:
    """提出してください becomes 提出する必要がありますか; requests not to do something, and お…ください, do not."""
    if len(words) < 3 or words[-2].surface not in {"て", "で"} or not words[-3].part.startswith("動詞"):
        return None
    verb = words[-3]
    stem = text[: len(text) - len(words[-1].surface) - len(words[-2].surface) - len(verb.surface)]
    return f"{stem}{_base(verb)}必要がありますか"


def _base(verb: Morpheme) -> str:
    # Sudachi reads 行って always as 行く; what manuals ask for is mostly 行う
    return "行う" if verb.surface == "行っ" else verb.base


def _plain(words: Sequence[Morpheme], tone: Tone, text: str) -> str | None:
    """書く becomes 書きますか, 書いた 書きましたか, 高い 高いですか, である ですか."""
    last, before = words[-1], words[-2] if len(words) > 1 else None
    if last.conjugation == "助動詞-タ" and before is not None:  # also 悩んだ
        return _past(words[:-1], text[: -len(last.surface)])
    if last.base == "だ" or (last.base == "ある" and before is not None and before.base == "だ"):
        return _copula(words, tone, text)
    if last.part.startswith("形容詞") or last.base == "ない":
        said = last.form.startswith(("終止形", "連体形")) and last.base != "ない"
        return f"{text}ですか" if said else None
    return _verbal(last, tone, text) if last.part.startswith(("動詞", "助動詞")) else None


def _copula(words: Sequence[Morpheme], tone: Tone, text: str) -> str | None:
    if any(word.base == "た" for word in words[-3:-1]):
        return None
    cut = len(words[-1].surface) + (len(words[-2].surface) if words[-1].base == "ある" else 0)
    return f"{text[:-cut]}{'でした' if tone == 'past' else 'です'}か"


def _verbal(last: Morpheme, tone: Tone, text: str) -> str | None:
    stem = "い" if last.base == "おる" else _masu_stem(last)  # ており is the written form of ていて
    head = text[: -len(last.surface)]
    if stem is not None and tone == "request" and last.form.startswith("連用形"):
        return f"{head}{last.base}必要がありますか"
    return None if stem is None else f"{head}{stem}{'ました' if tone == 'past' else 'ます'}か"


def _past(words: Sequence[Morpheme], text: str) -> str | None:
    last = words[-1]
    if last.base == "だ":
        return f"{text[: -len(last.surface)]}でしたか"
    if last.base == "ある" and len(words) > 1 and words[-2].base == "だ":
        return f"{text[: -len(last.surface) - len(words[-2].surface)]}でしたか"
    stem = _masu_stem(last) if last.part.startswith(("動詞", "助動詞")) else None
    return f"{text[: -len(last.surface)]}{stem}ましたか" if stem else None


def _masu_stem(word: Morpheme) -> str | None:
    """Return the form before ます: 書く → 書き, 食べる → 食べ, する → し; None for other words."""
    base, kind = word.base, word.conjugation
    if kind == "サ行変格":
        return base[:-2] + "し" if base.endswith("する") else "し"
    if kind == "カ行変格":
        return base[:-2] + ("来" if base.endswith("来る") else "き") if len(base) >= 2 else None
    if kind.startswith(("上一段", "下一段")) or kind in {
        "助動詞-レル",
        "助動詞-ラレル",
        "助動詞-セル",
        "助動詞-サセル",
    }:
        return base[:-1] if base.endswith("る") else None
    if kind.startswith("五段") and base[-1:] in _ENDINGS:
        return base[:-1] + _ENDINGS[base[-1]]
    return None


_UNCLEAR = re.compile(
    r"^以降は|それ|これ|そこ|ここ|その(?!他|まま|都度)|この|あの|同じ|同様|上記|下記|前述|以下の|次の|前者|後者|そう|"
    r"こう|彼|同氏|同社|さらに|いずれ|どちら|ほか|他の|別の"
)


def is_unclear(text: str) -> bool:
    """Return whether the text refers to something outside it."""
    return _UNCLEAR.search(text) is not None
