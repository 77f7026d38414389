"""Pairwise judging: which of two answers to a question is better."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from saiten.protocols import Reply, Task
from saiten.tasks.described import described

_MEANT = {
    **dict.fromkeys(("first", "最初", "最初の回答", "一つ目", "1つ目", "前者"), "first"),
    **dict.fromkeys(("second", "二番目", "二番目の回答", "2番目", "二つ目", "2つ目", "後者"), "second"),
    **dict.fromkeys(("tie", "tied", "draw", "equal", "both", "neither", "same", "引き分け", "同等", "優劣なし"), "tie"),
}


def read_better(value: Any) -> Any:
    """Return `first`, `second` or `tie` as meant by a model; leave anything else for pydantic to refuse.

    Numbers are refused, since 1 is the second for a model that counts from 0.
    """
    if not isinstance(value, str):
        return value
    word = value.strip().strip(".。!！*<>[]\"'「」").casefold()
    return _MEANT.get(word.removeprefix("the ").removesuffix(" answer").removesuffix(" one"), value)


Better = Annotated[Literal["first", "second", "tie"], BeforeValidator(read_better)]


class Preference(Reply):
    """The better of two answers, with the reason first."""

    explanation: str = described(
        "how the two answers differ, and which of them is right where they do",
        "二つの回答の違いと、そのどちらが正しいか",
    )
    better: Better = described(
        "the better answer, or tie if neither is better", "優れている方の回答(優劣がなければtie)"
    )


@dataclass(frozen=True, slots=True)
class PreferAnswer(Task[Preference]):
    """Decide which answer is better: by the references alone, or without any by what is known to be right.

    Neither position nor length should count. Pairwise judging and its position bias: Zheng et al. 2023, *Judging
    LLM-as-a-Judge with MT-Bench and Chatbot Arena*, section 3; the prompt is saiten's own.
    """

    reply = Preference
    votable = True
    question: str
    first: str
    second: str
    references: tuple[str, ...] = ()
    """Empty: the judge is given no correct answer."""

    def merge(self, replies: Sequence[Preference]) -> Preference:
        """Return the most frequent vote; a tie if two are equally frequent, regardless of order."""
        counts = Counter(reply.better for reply in replies)
        most = [better for better, votes in counts.items() if votes == max(counts.values())]
        better = most[0] if len(most) == 1 else "tie"
        if better in counts:
            return next(reply for reply in replies if reply.better == better)
        # no vote says tie, so quote one of each side
        heard = {reply.better: reply.explanation for reply in reversed(replies)}
        sides = " / ".join(filter(None, (heard["first"], heard["second"])))
        return Preference(explanation=sides, better="tie")
