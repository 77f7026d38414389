"""Questions that a whole Japanese sentence answers: what something is, why, what is needed, what to do in a case."""

import re
from collections.abc import Iterator, Sequence

from saiten.testsets.offline.japanese_clauses import JapaneseClause, is_unclear, topic_end
from saiten.testsets.offline.japanese_headings import about
from saiten.testsets.offline.japanese_quantities import gaps
from saiten.testsets.offline.posed import Posed
from saiten.text.common_words import is_common
from saiten.text.tokenizers import Morpheme

_REASON = re.compile(
    r"^(?P<what>[^。]{6,60}のは)、?[^。]{6,}?(?:ため|(?<=[るたいすだくう])から)(?:です|である|だ|で、)"
)
_IS_KNOWN = re.compile(r"^(?P<what>[^、。は]{1,30}?)とは、?[^。]{6,}")
_NEEDED = re.compile(
    r"(?:^|(?:ので|が)、)(?P<what>[^。、]{4,60}?(?:には|場合は|ときは|"
    r"とき))、?(?P<thing>[^、。はがにをで]{2,25})が(?:必要|要り)(?:です|ます|である|で、|となり)"
)
_TODO = re.compile(r"(?P<case>(?:たら|だら|ときは|ときには|時は|時には|場合は|場合には|際は|際には|には|とき|場合))、")


def questions_of_whole(
    sentence: str, words: Sequence[Morpheme], clauses: Sequence[JapaneseClause], heading: str
) -> Iterator[Posed]:
    """Yield the questions; `words` are the sentence's, `heading` is the one above it."""
    for made in (
        _reason(sentence),
        _definition(sentence, words, clauses),
        _requirement(sentence),
        _condition(sentence, words, heading),
    ):
        if made is not None:
            yield made


def _reason(sentence: str) -> Posed | None:
    found = _REASON.match(sentence)
    if found is None or is_unclear(found["what"]):
        return None
    return Posed(f"{found['what']}なぜですか。", "reason")


def _definition(sentence: str, words: Sequence[Morpheme], clauses: Sequence[JapaneseClause]) -> Posed | None:
    """Return *What is X?* for X とは …, and for X は … です if X is a term and … ends in a plain noun."""
    if (known := _IS_KNOWN.match(sentence)) and _is_term(known["what"], words):
        return Posed(f"{known['what']}とは何ですか。", "definition")
    at = topic_end(clauses[0].words)
    if at is None or at > _LONGEST_TERM_IN_WORDS:
        return None
    mark, said = clauses[0].words[at - 1], clauses[0].words[at + 1 :]
    term = sentence[: mark.end]
    if is_unclear(term) or not _is_term(term, words) or len(said) < 3:
        return None
    if said[-1].base == "ます":
        verb = _shown(said)
        return Posed(f"{term}は何を{verb}ますか。", "definition") if verb else None
    if not _is_plain_noun(said) or any(gaps(sentence[said[0].start : said[-1].end])):
        return None
    person = "人名" in mark.part and any(_PERSONAL.search(word.surface) for word in said[-3:])
    return Posed(f"{term}はどのような人物ですか。" if person else f"{term}とは何ですか。", "definition")


def _shown(said: Sequence[Morpheme]) -> str | None:
    verb = said[-2]
    if len(said) > 4 and said[-3].surface == "を" and verb.base in {"表す", "示す", "指す"}:
        return verb.surface
    return None


_LONGEST_TERM_IN_WORDS = 5
_LONGEST_TERM = 25
_SHORTEST_TERM = 4
"""Characters; a shorter one is rarely a term, unless it is in Latin letters or katakana."""


def _is_term(text: str, words: Sequence[Morpheme]) -> bool:
    """Return whether the text is a term that can be asked about alone: nouns, one of them not an everyday word."""
    inside = [word for word in words if word.end <= len(text)]
    telling = len(text) >= _SHORTEST_TERM or re.search("[A-Za-z]{2}|[ァ-ヺー]{3}", text)
    if not inside or not telling or len(text) > _LONGEST_TERM or re.search("[:：]", text):
        return False
    nouns = all(
        word.part.startswith(_NOMINAL) and "副詞可能" not in word.part for word in inside
    )  # 毎週水曜日 says when
    return nouns and not all(is_common(word.surface) for word in inside)


_NOMINAL = ("名詞", "接尾辞-名詞的", "接頭辞", "補助記号-括弧", "記号", "補助記号-一般")
_COPULAS = frozenset({"です", "だ", "ある"})


def _is_plain_noun(said: Sequence[Morpheme]) -> bool:
    """Return whether the predicate is a noun that says what something is, not 必要, 対象外 or 3回."""
    at = next((at for at in range(len(said) - 1, -1, -1) if said[at].base not in _COPULAS), 0)
    if len(said) < 4 or at in {0, len(said) - 1} or not said[at].part.startswith(("名詞-普通名詞", "名詞-固有名詞")):
        return False
    noun, before = said[at], said[at - 1]
    if "形状詞可能" in noun.part or "副詞可能" in noun.part:
        return before.surface == "の"
    described = before.surface in {"の", "な", "た", "する"} or before.part.startswith(("名詞", "動詞", "助動詞"))
    return described and noun.surface not in _NO_KIND


_PERSONAL = re.compile("[者家人員優手師士官王帝]$|将軍|監督|大統領|首相|市長|知事")
_NO_KIND = frozenset(
    """対象 対象外 原則 目安 上限 下限 通り とおり 場合 もの こと はず わけ ため 同様 禁止 同じ 無料 有料 予定
    必須 任意""".split()  # noqa: SIM905 - a list of words
)


def _requirement(sentence: str) -> Posed | None:
    found = _NEEDED.search(sentence)
    if found is None or is_unclear(found["what"]) or re.search(r"\d", found["thing"]):
        return None
    return Posed(f"{found['what']}何が必要ですか。", "requirement")


def _condition(sentence: str, words: Sequence[Morpheme], heading: str) -> Posed | None:
    """Return *What should one do if …?* for a request under a condition."""
    found = _TODO.search(sentence)
    if found is None or not _REQUEST.search(sentence) or is_unclear(sentence[: found.start()]):
        return None
    case = sentence[: found.end() - 1]
    means = found["case"] != "には" or _is_purpose(case, words)
    if "、" in case[:-4] or not means or len(sentence) - found.end() < _SHORTEST_REQUEST:
        return None
    inside = [word for word in words if word.end <= found.start()]
    if sum(word.part.startswith("名詞") for word in inside) >= 2 or len(case) >= _CLEAR_CASE:
        return Posed(f"{case}、どうすればよいですか。", "condition")
    before = about(heading, case)
    if before is None or (before == "" and len(inside) <= 2):
        return None  # 交換したら: of what?
    return Posed(f"{before}{case}、どうすればよいですか。", "condition")


_REQUEST = re.compile("(?:て|(?<!ない)で)(?:ください|下さい)。$")
_SHORTEST_REQUEST = 6
_CLEAR_CASE = 14
"""Characters of a condition that says enough by itself."""


def _is_purpose(case: str, words: Sequence[Morpheme]) -> bool:
    verb = next((word for word in words if word.end == len(case) - 2), None)
    return verb is not None and verb.part.startswith("動詞")
