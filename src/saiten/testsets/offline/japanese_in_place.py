"""Asking for a part of a Japanese sentence in its place: 30日前から予約できます → 何日前から予約できますか."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from saiten.testsets.offline.japanese_clauses import JapaneseClause, is_case, is_unclear, polite_question, topic_end
from saiten.testsets.offline.japanese_headings import LONGEST_TOPIC, about, of_heading
from saiten.testsets.offline.japanese_quantities import Blank, gaps
from saiten.text.tokenizers import Morpheme

_LIMITS = "(?:まで|以上|以内|以下|未満|程度|分まで|分)?"
_VAGUE = re.compile("(?:こと|おそれ|場合|恐れ|可能性|とき)[がも]あり|ため(?:で|です)|[:：]")
"""*It may happen that …* is no statement about the number in it."""
_NOT_ASKED = re.compile("[はもら中]|など|ずつ|とも|でも")
"""Words after a quantity that leave nothing to ask: 6件とも."""
_FEWEST_NOUNS = 3
"""A clause with fewer nouns, the unit among them, says too little to be asked about."""
_BRIEF = 8
"""Characters after the topic of a clause that says no more than a number: 配偶者の出産は3日."""
_PERIOD = re.compile("何(?:年|か月|ヶ月|週間|日|時間)間?$|どのくらい$")
_COPULAS = frozenset({"です", "だ", "ある"})

_Place = tuple[int, int]


class Told(NamedTuple):
    """A sentence, taken apart."""

    sentence: str
    clauses: Sequence[JapaneseClause]
    heading: str
    """The heading above it; "" if there is none."""

    def asking(self, gap: Blank) -> str | None:
        """Return the clause with the gap asked for, its topic, and a polite ending; None if it is unclear by itself."""
        clause = next((each for each in self.clauses if each.start <= gap.start and gap.end <= each.end), None)
        if clause is None or not _can_be_asked(self.sentence, clause, gap):
            return None
        text, topic = self._alone(clause, gap), self._topic(clause)
        question = None if text is None or topic is None else _ended(clause, gap, text)
        return None if question is None else f"{topic}{question}。"

    def _alone(self, clause: JapaneseClause, gap: Blank) -> str | None:
        """Return the clause with the gap filled by what asks; of a list (Aが3日、Bが5日です) only its item.

        None for an item that does not say what the number belongs to.
        """
        sentence = self.sentence
        at = topic_end(clause.words)
        start = clause.start if at is None else clause.words[at].end
        pieces = _pieces(sentence, start, clause.end)
        here = next((each for each in pieces if each[0] <= gap.start < each[1]), None)
        listed = [each for each in pieces if _is_item(sentence, each, gap)]
        if here not in listed:
            several = sum(bool(re.search(r"が[^\d、]{0,2}\d", sentence[begin:end])) for begin, end in pieces) > 1
            return None if several else _filled(sentence, clause, gap)
        if len(listed) < 2 or listed != pieces[-len(listed) :]:
            return _filled(sentence, clause, gap)
        return self._item(clause, gap, listed, start)

    def _item(self, clause: JapaneseClause, gap: Blank, listed: Sequence[_Place], start: int) -> str | None:
        """Return the topic, the gap's item of the list, and the ending of the last one, which is that of all."""
        sentence, first = self.sentence, listed[0][0]
        begin, end = next(each for each in listed if each[0] <= gap.start < each[1])
        said = sentence[begin : gap.start]
        if "・" in sentence[begin:end] or not re.search("[がではにら]", said):
            return None
        if begin != first and re.search("(?<!ま)で", sentence[first : listed[0][1]]):
            return None  # 強運転ではAが54dB、Bが51dB: B, too, only in that mode
        last = [each for each in gaps(sentence) if listed[-1][0] <= each.start and each.end <= clause.end][-1]
        rest, tail = sentence[gap.end : end], sentence[last.end : clause.end]
        if end != listed[-1][1] and not tail.startswith(rest):
            return None
        comma = "" if start == clause.start or sentence.startswith("、", start) else "、"
        return f"{sentence[clause.start : start]}{comma}{sentence[start:first]}{said}{gap.asking}{tail}"

    def _topic(self, clause: JapaneseClause) -> str | None:
        """Return what has to precede the clause for a reader to know what it is about; None if nothing says it."""
        own = topic_end(clause.words)
        said = self.sentence[clause.start : clause.end]
        if own is None:
            return self._topic_before(clause)
        before = of_heading(clause.words[:own], self.heading)
        brief = len(self.clauses) > 1 and clause.end - clause.words[own].end <= _BRIEF
        return (about(self.heading, said) or "") if before == "" and brief else before

    def _topic_before(self, clause: JapaneseClause) -> str | None:
        """Return the topic of the sentence, which its later clauses share, or else the heading."""
        first = self.clauses[0]
        reason = self.sentence.startswith("ので", first.end)
        end = topic_end(first.words) if clause is not first and not reason else None
        if end is None:
            return about(self.heading, self.sentence[clause.start : clause.end])
        topic = self.sentence[first.start : first.words[end].start]
        before = of_heading(first.words[:end], self.heading)
        if before is None or len(topic) > LONGEST_TOPIC or is_unclear(topic):
            return None
        again = any(word.surface == "は" for word in clause.words)
        return f"{before}{topic}{'について' if again else 'は'}、"


def _can_be_asked(sentence: str, clause: JapaneseClause, gap: Blank) -> bool:
    """Return whether the clause is about the gap, clear by itself, and says enough."""
    said = sentence[clause.start : clause.end]
    if _NOT_ASKED.match(sentence, gap.end) or is_unclear(said) or _VAGUE.search(said):
        return False
    # 8件の回答で、データベースは…: the clause is about what comes later
    later = [word for word in clause.words if word.start >= gap.end and word.part == "助詞-係助詞"]
    nouns = sum(word.part.startswith("名詞-普通名詞") for word in clause.words)
    told = all(_ends_case(clause, word) for word in later) and nouns >= _FEWEST_NOUNS
    return told and not _is_in_a_description(clause, gap)


def _ends_case(clause: JapaneseClause, particle: Morpheme) -> bool:
    """Return whether the particle follows a condition, as in 3日以上休む場合は."""
    before = next((word for word in clause.words if word.end == particle.start), None)
    return before is not None and is_case(before)


def _is_in_a_description(clause: JapaneseClause, gap: Blank) -> bool:
    """Return whether the gap is in words that describe a noun that the clause ends with: *is a room in which 5 …*."""
    rest = [word for word in clause.words if word.start >= gap.end]
    noun = next((at for at in range(len(rest) - 1, -1, -1) if rest[at].part.startswith("名詞")), None)
    if noun is None or is_case(rest[noun]) or any(word.base not in _COPULAS for word in rest[noun + 1 :]):
        return False
    return any(word.part.startswith("動詞") for word in rest[:noun])


def _pieces(sentence: str, start: int, end: int) -> list[_Place]:
    """Return the places of what commas separate."""
    cuts = [start, *(start + found.end() for found in re.finditer("、", sentence[start:end])), end + 1]
    return [(begin, stop - 1) for begin, stop in pairwise(cuts) if begin < stop - 1]


def _is_item(sentence: str, place: _Place, gap: Blank) -> bool:
    """Return whether a piece is one of a list of quantities of a kind: HK-700が4.0L; the last one ends the clause."""
    start, end = place
    inside = [each for each in gaps(sentence) if start <= each.start and each.end <= end and _kind(each) == _kind(gap)]
    rest = sentence[inside[-1].end : end] if inside else "-"
    return re.fullmatch(f"{_LIMITS}(?:です|でした|だ|である|と.*|を.*)?", rest) is not None


def _kind(gap: Blank) -> str:
    """Return what the gap asks for; periods are one kind, in whatever unit."""
    return "period" if _PERIOD.match(gap.asking) else gap.asking


def _filled(sentence: str, clause: JapaneseClause, gap: Blank) -> str:
    return f"{sentence[clause.start : gap.start]}{gap.asking}{sentence[gap.end : clause.end]}"


def _ended(clause: JapaneseClause, gap: Blank, text: str) -> str | None:
    """Return the text with a polite ending; までとします, which says no more, becomes までですか."""
    asked = re.search(rf"(?P<kept>{re.escape(gap.asking)}{_LIMITS})と(?:し|します|する)$", text)
    if asked:
        return f"{text[: asked.end('kept')]}ですか"
    noun = Morpheme(gap.asking, "名詞-普通名詞", "*", "*", gap.asking, gap.start, gap.end)
    rest = [word for word in clause.words if word.start >= gap.end] or [noun]
    return polite_question(rest if len(rest) > 2 else [*clause.words[:-1], rest[-1]], clause.tone, text)
