"""The defects of the demo's answers: what each is, and what follows from it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One way in which an answer was made wrong, or right; the README beside this file has the reasons."""

    name: str
    """As it stands in the samples."""
    en: str
    """What such an answer does, in one line."""
    ja: str
    """The same in Japanese."""
    correct: bool = False
    """It answers the question, and nothing of that is wrong by the reference; it may leave something out."""
    faithful: bool = False
    """Every claim stands in the contexts."""
    complete: bool = False
    """Everything that the reference says is said."""
    claims: bool = True
    """Whether it claims anything at all; what claims nothing says nothing about a metric of faithfulness."""


DEFECTS: tuple[Defect, ...] = (
    Defect(
        name="right",
        en="right, close to the source or in the system's own words",
        ja="正しい回答",
        correct=True,
        faithful=True,
        complete=True,
    ),
    Defect(
        name="right_paraphrase",
        en="right, with hardly a word or numeral of the source",
        ja="正しいが、原文の語や数字をほとんど使わない言い換え",
        correct=True,
        faithful=True,
        complete=True,
    ),
    Defect(
        name="incomplete",
        en="leaves out a part or a condition",
        ja="条件や一部の要素が抜けている",
        correct=True,
        faithful=True,
    ),
    Defect(
        name="made_up_addition",
        en="right, plus a claim that stands nowhere",
        ja="正しいが、根拠のない付け足しがある",
        correct=True,
        complete=True,
    ),
    Defect(
        name="contradicting",
        en="says the opposite",
        ja="正答と反対のことを述べる",
    ),
    Defect(
        name="wrong_number",
        en="gives a number that stands nowhere",
        ja="コンテキストにない誤った数値を答える",
    ),
    Defect(
        name="swapped_number",
        en="gives a number that belongs to something else in the contexts",
        ja="コンテキスト中の別の事柄の数値を答える",
    ),
    Defect(
        name="off_topic",
        en="says something true that was not asked",
        ja="聞かれていない別の事実を述べる",
        faithful=True,
    ),
    Defect(
        name="copied_context",
        en="copies sentences of the contexts, not the ones that answer",
        ja="答えを含まない箇所をそのまま写す",
        faithful=True,
    ),
    Defect(
        name="refusing",
        en="says that it does not know, though the contexts do",
        ja="コンテキストに答えがあるのに「分からない」と言う",
        faithful=True,
        claims=False,
    ),
)
"""All of them, from right to refusing: the order of every table."""
