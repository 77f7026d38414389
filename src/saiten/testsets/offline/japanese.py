"""Questions out of Japanese sentences: the thing asked for is replaced in its place, and the predicate made a question.

会議室は30日前から予約できます。 → 会議室は何日前から予約できますか。
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from saiten.testsets.offline.japanese_clauses import (
    JapaneseClause,
    clauses_of,
    is_case,
    is_unclear,
    polite_question,
    topic_end,
)
from saiten.testsets.offline.japanese_quantities import Blank, gaps
from saiten.testsets.offline.posed import Form, Posed
from saiten.testsets.offline.statements import Statement
from saiten.text.common_words import is_common
from saiten.text.tokenizers import Morpheme, morphemes

_OPENING = re.compile(
    r"^(?:ただし|なお|また|ただ|さらに|そして|一方|例えば|たとえば|特に|もちろん|つまり|すなわち|実際|通常)、?"
)
_ASIDE = re.compile("[（(][^（）()]{0,200}[)）]")
_LONGEST_TOPIC = 30
_WIDE = str.maketrans("０１２３４５６７８９，．％", "0123456789,.%")


def questions_of(statement: Statement) -> Iterator[Posed]:
    """Yield the questions that the sentence answers, the most natural first."""
    sentence = _ASIDE.sub("", _OPENING.sub("", statement.text)).translate(_WIDE)
    words = morphemes(sentence)
    clauses = clauses_of(words)
    if not clauses or is_unclear(clauses[0].words[0].surface):
        return
    for made in (
        _reason(sentence),
        _definition(sentence, words, clauses),
        _requirement(sentence),
        _condition(sentence, words, statement.heading),
    ):
        if made is not None:
            yield made
    told = _Told(sentence, words, clauses, statement.heading)
    for gap in sorted(gaps(sentence), key=lambda each: -each.start):
        if question := told.asking(gap):
            yield Posed(question, "quantity")
    for gap in _named(sentence, words):
        if question := told.asking(gap):
            yield Posed(question, "name")


# ------------------------------------------------------------------------------------------ asking in place

_LIMITS = "(?:まで|以上|以内|以下|未満|程度|分まで|分)?"
_VAGUE = re.compile("(?:こと|おそれ|場合|恐れ|可能性|とき)[がも]あり|ため(?:で|です)")
"""*It may happen that …* is no statement about the number in it."""


_Place = tuple[int, int]


def _pieces(sentence: str, start: int, end: int) -> list[_Place]:
    """Return the places of what commas separate."""
    found, begin = [], start
    for comma in [*re.finditer("、", sentence[start:end]), None]:
        stop = end if comma is None else start + comma.start()
        if stop > begin:
            found.append((begin, stop))
        begin = stop + 1
    return found


def _is_item(sentence: str, place: _Place, gap: Blank) -> bool:
    """Return whether a piece is one of a list of quantities of a kind: HK-700が4.0L; the last one ends the clause."""
    inside = [
        each for each in gaps(sentence) if place[0] <= each.start and each.end <= place[1] and _kind(each) == _kind(gap)
    ]
    return (
        bool(inside)
        and re.fullmatch(f"{_LIMITS}(?:です|でした|だ|である|とし.*|と.*|を.*)?", sentence[inside[-1].end : place[1]])
        is not None
    )


class _Told(NamedTuple):
    """A sentence, taken apart."""

    sentence: str
    words: Sequence[Morpheme]
    clauses: Sequence[JapaneseClause]
    heading: str

    def asking(self, gap: Blank) -> str | None:
        """Return the clause with the gap asked for, its topic, and a polite ending; None if it is unclear by itself."""
        clause = next((each for each in self.clauses if each.start <= gap.start and gap.end <= each.end), None)
        if clause is None or re.match("[はもら中]|など|ずつ|とも|でも", self.sentence[gap.end : gap.end + 2]):
            return None
        if any(
            word.part == "助詞-係助詞"
            for word in clause.words
            if word.start >= gap.end and not _is_case_end(clause, word)
        ):
            return None  # what is said comes later: 8件の回答で、データベースは…
        said = self.sentence[clause.start : clause.end]
        if (
            re.search("[:：]", said)
            or sum(word.part.startswith("名詞-普通名詞") for word in clause.words) < _FEWEST_NOUNS
        ):
            return None
        if is_unclear(said) or _VAGUE.search(said) or _is_in_a_description(clause, gap):
            return None
        text = self._alone(clause, gap)
        topic = self._topic(clause)
        if text is None or topic is None:
            return None
        question = _ended(clause, gap, text)
        return None if question is None else f"{topic}{question}。"

    def _alone(self, clause: JapaneseClause, gap: Blank) -> str | None:
        """Return the clause with the gap filled by what asks; of a list (A が 3日、B が 5日です) only its item.

        None for an item that does not say what the number belongs to.
        """
        sentence = self.sentence
        at = topic_end(clause.words)
        start = clause.words[at].end if at is not None else clause.start
        pieces = _pieces(sentence, start, clause.end)
        listed = [each for each in pieces if _is_item(sentence, each, gap)]
        here = next((each for each in pieces if each[0] <= gap.start < each[1]), None)
        if (
            sum(bool(re.search(r"が[^\d、]{0,2}\d", sentence[begin:end])) for begin, end in pieces) > 1
            and here not in listed
        ):
            return None
        if (
            len(listed) < 2
            or here not in listed
            or any(each not in listed for each in pieces[pieces.index(listed[0]) :])
        ):
            return sentence[clause.start : gap.start] + gap.asking + sentence[gap.end : clause.end]
        return self._item(clause, gap, listed, here, start)

    def _item(
        self, clause: JapaneseClause, gap: Blank, listed: Sequence[_Place], here: _Place, start: int
    ) -> str | None:
        sentence, first = self.sentence, listed[0]
        said = sentence[here[0] : gap.start]
        if "・" in sentence[here[0] : here[1]] or not re.search("[がではにら]", said):
            return None
        if re.search("(?<!ま)で", sentence[first[0] : first[1]]) and here != first:
            return None  # 強運転ではAが54dB、Bが51dB: B, too, only in that mode
        last = [each for each in gaps(sentence) if listed[-1][0] <= each.start and each.end <= clause.end][-1]
        rest, tail = sentence[gap.end : here[1]], sentence[last.end : clause.end]
        if here != listed[-1] and not tail.startswith(rest):
            return None
        comma = "" if sentence[start : first[0]].startswith("、") or start == clause.start else "、"
        return f"{sentence[clause.start : start]}{comma}{sentence[start : first[0]]}{said}{gap.asking}{tail}"

    def _topic(self, clause: JapaneseClause) -> str | None:
        """Return what has to precede the clause for a reader to know what it is about; None if nothing says it."""
        own = topic_end(clause.words)
        if own is not None:
            before = _of_heading(clause.words[:own], self.heading)
            brief = len(self.clauses) > 1 and clause.end - clause.words[own].end <= _BRIEF
            return before or (
                _about(self.heading, self.sentence[clause.start : clause.end]) or ""
                if brief and before == ""
                else before
            )
        first = self.clauses[0]
        end = topic_end(first.words) if clause is not first and not self._gives_reason(first) else None
        if end is None:
            return _about(self.heading, self.sentence[clause.start : clause.end])
        topic = self.sentence[first.start : first.words[end].start]
        before = _of_heading(first.words[:end], self.heading)
        if before is None or len(topic) > _LONGEST_TOPIC or is_unclear(topic):
            return None
        again = any(word.surface == "は" for word in clause.words)
        return f"{before}{topic}{'について' if again else 'は'}、"

    def _gives_reason(self, clause: JapaneseClause) -> bool:
        return self.sentence.startswith("ので", clause.end)


def _is_case_end(clause: JapaneseClause, particle: Morpheme) -> bool:
    """Return whether the particle follows a condition, as in 3日以上休む場合は."""
    before = next((word for word in clause.words if word.end == particle.start), None)
    return before is not None and is_case(before)


_FEWEST_NOUNS = 3
"""A clause with fewer nouns, the unit among them, says too little to be asked about."""
_BRIEF = 8
"""Characters after the topic of a clause that says no more than a number: 配偶者の出産は3日."""
_PERIOD = re.compile("何(?:年|か月|ヶ月|週間|日|時間)間?$|どのくらい$")


def _kind(gap: Blank) -> str:
    """Return what the gap asks for; periods are one kind, in whatever unit."""
    return "period" if _PERIOD.match(gap.asking) else gap.asking


def _ended(clause: JapaneseClause, gap: Blank, text: str) -> str | None:
    """Return the text with a polite ending; までとします, which says no more, becomes までですか."""
    asked = re.search(rf"(?P<kept>{re.escape(gap.asking)}{_LIMITS})と(?:し|します|する)$", text)
    if asked:
        return f"{text[: asked.end('kept')]}ですか"
    rest = [word for word in clause.words if word.start >= gap.end] or [_noun(gap)]
    return polite_question(rest if len(rest) > 2 else [*clause.words[:-1], rest[-1]], clause.tone, text)


def _noun(gap: Blank) -> Morpheme:
    return Morpheme(gap.asking, "名詞-普通名詞", "*", "*", gap.asking, gap.start, gap.end)


def _is_in_a_description(clause: JapaneseClause, gap: Blank) -> bool:
    """Return whether the gap is in words that describe a noun that the clause ends with: *is a room in which 5 …*."""
    rest = [word for word in clause.words if word.start >= gap.end]
    noun = next((at for at in range(len(rest) - 1, -1, -1) if rest[at].part.startswith("名詞")), None)
    if noun is None or is_case(rest[noun]) or any(word.base not in {"です", "だ", "ある"} for word in rest[noun + 1 :]):
        return False
    return any(word.part.startswith("動詞") for word in rest[:noun])


def _of_heading(topic: Sequence[Morpheme], heading: str) -> str | None:
    """Return the heading for a topic that is too general alone, such as 申請 and 費用; "" for others."""
    nouns = [word for word in topic if not word.part.startswith(("補助記号", "名詞-数詞", "助詞", "接尾辞"))]
    if topic[-1].surface in {"もの", "分", "こと"}:
        return _about(heading, "")
    bracketed = topic[0].surface in {"「", "『"} and topic[-1].surface in {"」", "』"}
    if not bracketed and not (len(nouns) <= 2 and all(is_common(word.surface) for word in nouns)):
        return ""
    if re.search("[、。・：:（(」]|と|を|が|は|たら|とき|ない", heading):
        return _about(heading, "")
    return f"{heading}の" if _is_nominal(heading) else None


def _about(heading: str, said: str) -> str | None:
    """Return the heading as the topic of what is said, "" if it says so itself, None if there is no fitting one."""
    if any(run in said for run in _RUN.findall(heading)):
        return ""
    heading = heading.removesuffix("について")
    if not heading or len(heading) > _LONGEST_TOPIC:
        return None
    if heading.endswith(("とき", "場合", "時")):
        return f"{heading}、" if "とき" not in said and "場合" not in said else None
    if not _is_nominal(heading):
        return None
    return f"「{heading}」について、" if re.search("[、。・：:（(]", heading) else f"{heading}について、"


def _is_nominal(heading: str) -> bool:
    """Return whether a heading ends in a noun, so that the particle の or について can follow."""
    return bool(heading) and morphemes(heading)[-1].part.startswith(("名詞", "接尾辞-名詞的", "記号"))


_RUN = re.compile("[一-鿿]{2,}|[ァ-ヺー]{3,}|[A-Za-z0-9-]{3,}")


# ------------------------------------------------------------------------------------------ names


_CASE = frozenset({"で", "に", "を", "が", "へ", "から"})


def _named(sentence: str, words: Sequence[Morpheme]) -> Iterator[Blank]:
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


# ------------------------------------------------------------------------------------------ whole sentences


_REASON = re.compile(r"^(?P<what>[^。]{6,60}のは)、?[^。]{6,}?(?:ため|から)(?:です|である|だ|で、)")
_IS_KNOWN = re.compile(r"^(?P<what>[^、。は]{1,30}?)とは、?[^。]{6,}")
_NEEDED = re.compile(
    r"(?:^|(?:ので|が)、)(?P<what>[^。、]{4,60}?(?:には|場合は|ときは|とき))、?(?P<thing>[^、。はがにをで]{2,25})が(?:必要|要り)(?:です|ます|である|で、|となり)"
)
_TODO = re.compile(r"(?P<case>(?:たら|だら|ときは|ときには|時は|時には|場合は|場合には|際は|際には|には|とき|場合))、")


def _reason(sentence: str) -> Posed | None:
    found = _REASON.match(sentence)
    if found is None or is_unclear(found["what"]):
        return None
    return Posed(f"{found['what']}なぜですか。", "reason")


def _definition(sentence: str, words: Sequence[Morpheme], clauses: Sequence[JapaneseClause]) -> Posed | None:
    """Return *What is X?* for X とは …, and for X は … です if X is a term and … ends in a plain noun."""
    if (known := _IS_KNOWN.match(sentence)) and _is_term(known["what"], words):
        return Posed(f"{known['what']}とは何ですか。", "definition")
    first = clauses[0]
    at = topic_end(first.words)
    if at is None or at > 5:
        return None
    term, said = sentence[: first.words[at - 1].end], first.words[at + 1 :]
    if is_unclear(term) or not _is_term(term, words) or len(said) < 3:
        return None
    if said[-1].base == "ます" and (verb := _shown(said)):
        return Posed(f"{term}は何を{verb}ますか。", "definition")
    if (
        said[-1].base in {"です", "だ", "ある"}
        and _is_plain_noun(said)
        and not any(gaps(sentence[said[0].start : said[-1].end]))
    ):
        person = "人名" in first.words[at - 1].part and any(_PERSONAL.search(word.surface) for word in said[-3:])
        return Posed(f"{term}はどのような人物ですか。" if person else f"{term}とは何ですか。", "definition")
    return None


def _shown(said: Sequence[Morpheme]) -> str | None:
    verb = said[-2]
    if len(said) > 4 and said[-3].surface == "を" and verb.base in {"表す", "示す", "指す"}:
        return verb.surface
    return None


_SHORTEST_TERM = 4
"""Characters; a shorter one is rarely a term, unless it is in Latin letters or katakana."""


def _is_term(text: str, words: Sequence[Morpheme]) -> bool:
    """Return whether the text is a term that can be asked about alone: nouns, one of them not an everyday word."""
    inside = [word for word in words if word.end <= len(text)]
    if re.search("[:：]", text) or any("副詞可能" in word.part for word in inside):
        return False  # 毎週水曜日 says when
    nouns = all(
        word.part.startswith(("名詞", "接尾辞-名詞的", "接頭辞", "補助記号-括弧", "記号", "補助記号-一般"))
        for word in inside
    )
    telling = len(text) >= _SHORTEST_TERM or re.search("[A-Za-z]{2}|[ァ-ヺー]{3}", text)
    return (
        nouns
        and bool(inside)
        and bool(telling)
        and len(text) <= 25
        and not all(is_common(word.surface) for word in inside)
    )


def _is_plain_noun(said: Sequence[Morpheme]) -> bool:
    """Return whether the predicate is a noun that says what something is, not 必要, 対象外 or 3回."""
    at = next((at for at in range(len(said) - 1, -1, -1) if said[at].base not in {"です", "だ", "ある"}), None)
    if at is None or len(said) < 4:
        return False
    noun = said[at]
    if not noun.part.startswith(("名詞-普通名詞", "名詞-固有名詞")) or noun.surface in _NO_KIND:
        return False
    if "形状詞可能" in noun.part or "副詞可能" in noun.part:
        return said[at - 1].surface == "の"
    return at > 0 and (
        said[at - 1].surface in {"の", "な", "た", "する"} or said[at - 1].part.startswith(("名詞", "動詞", "助動詞"))
    )


_PERSONAL = re.compile("[者家人員優手師士官王帝]$|将軍|監督|大統領|首相|市長|知事")
_NO_KIND = frozenset(
    {
        "対象",
        "対象外",
        "原則",
        "目安",
        "上限",
        "下限",
        "通り",
        "とおり",
        "場合",
        "もの",
        "こと",
        "はず",
        "わけ",
        "ため",
        "同様",
        "禁止",
        "同じ",
        "無料",
        "有料",
        "予定",
        "必須",
        "任意",
    }
)


def _requirement(sentence: str) -> Posed | None:
    found = _NEEDED.search(sentence)
    if found is None or is_unclear(found["what"]) or re.search(r"\d", found["thing"]):
        return None
    return Posed(f"{found['what']}何が必要ですか。", "requirement")


def _condition(sentence: str, words: Sequence[Morpheme], heading: str) -> Posed | None:
    """Return *What should one do if …?* for a request under a condition."""
    if not re.search("(?:て|で)(?:ください|下さい)。$", sentence) or re.search(
        "ないで(?:ください|下さい)。$", sentence
    ):
        return None
    found = _TODO.search(sentence)
    if found is None or is_unclear(sentence[: found.start()]):
        return None
    case = sentence[: found.end() - 1]
    if (
        "、" in case[:-4]
        or (found["case"] == "には" and not _is_purpose(case, words))
        or len(sentence) - found.end() < 6
    ):
        return None
    inside = [word for word in words if word.end <= found.start()]
    clear = sum(word.part.startswith("名詞") for word in inside) >= 2 or len(case) >= 14
    before = "" if clear else _about(heading, case)
    if before == "" and not clear and len(inside) <= 3:
        return None  # 交換したら: of what?
    return None if before is None else Posed(f"{before}{case}、どうすればよいですか。", "condition")


def _is_purpose(case: str, words: Sequence[Morpheme]) -> bool:
    verb = next((word for word in words if word.end == len(case) - 2), None)
    return verb is not None and verb.part.startswith("動詞")
