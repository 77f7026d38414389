"""Headings as the topic of Japanese questions: 申請は… under 有給休暇 becomes 有給休暇の申請は…."""

import re
from collections.abc import Sequence

from saiten.text.common_words import is_common
from saiten.text.tokenizers import Morpheme, morphemes

LONGEST_TOPIC = 30
"""Maximum characters of a topic in a question."""


def of_heading(topic: Sequence[Morpheme], heading: str) -> str | None:
    """Return the heading for a topic that is too general alone, such as 申請 and 費用; "" for others."""
    nouns = [word for word in topic if not word.part.startswith(("補助記号", "名詞-数詞", "助詞", "接尾辞"))]
    if topic[-1].surface in {"もの", "分", "こと"}:
        return about(heading, "")
    bracketed = topic[0].surface in {"「", "『"} and topic[-1].surface in {"」", "』"}
    if not bracketed and not (len(nouns) <= 2 and all(is_common(word.surface) for word in nouns)):
        return ""
    if re.search("[、。・：:（(」]|と|を|が|は|たら|とき|ない", heading):
        return about(heading, "")
    return f"{heading}の" if _is_nominal(heading) else None


def about(heading: str, said: str) -> str | None:
    """Return the heading as the topic of what is said, "" if it says so itself, None if there is no fitting one."""
    said = _SHORT_CASE.sub("", said)
    if any(run in said for run in _RUN.findall(heading)):
        return ""
    heading = heading.removesuffix("について")
    if not heading or len(heading) > LONGEST_TOPIC:
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
_SHORT_CASE = re.compile("^[一-鿿]{1,4}し?たら、?")
"""交換したら does not say what is replaced."""
