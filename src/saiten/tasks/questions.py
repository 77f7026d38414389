"""Writing the questions of a test set from passages, and trying them out.

One task per kind of question, since each asks for something else; a reply with an empty question says that the passages
offer nothing to ask. Two tasks try a question out: without any document, and from its passages alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapidfuzz import fuzz

from saiten.protocols import R, Reply, Task
from saiten.tasks.described import described
from saiten.tasks.same_question import bare_question
from saiten.tasks.verdicts import YesNo


def _situation() -> Any:
    return described("who asks, and what they want to do with the answer", "誰が、何をするために尋ねるのか", default="")


def _quotes() -> Any:
    return described(
        "the words of the passages that the reference rests on, copied exactly",
        "参照回答の根拠となるパッセージの文言(一字一句そのまま)",
    )


def _question() -> Any:
    return described(
        "one question, or empty if the passages offer nothing to ask", "質問(一つ)。尋ねることが何もなければ空"
    )


def _reference() -> Any:
    return described("a complete and correct answer", "正しく、漏れのない回答")


class AnyDraft(Reply):
    """A question with its reference, and the parts of the passages that it rests on; each kind has it in its order."""

    if TYPE_CHECKING:  # declared by each kind, since the order of the fields is that of the JSON schema
        situation: str
        quotes: list[str]
        question: str
        reference: str

    @property
    def is_empty(self) -> bool:
        """Whether the model found nothing to ask."""
        return not self.question.strip()


class Draft(AnyDraft):
    """A question, with what it rests on first."""

    situation: str = _situation()
    quotes: list[str] = _quotes()
    question: str = _question()
    reference: str = _reference()


@dataclass(frozen=True, slots=True)
class _Drafting(Task[R]):
    """A task that writes a question from passages."""

    passages: tuple[str, ...]
    difficulty: str
    """`easy`, `medium` or `hard`; the prompts say what that means."""
    asker: str = ""
    """Who asks, in a few words; empty for nobody in particular."""

    def _check_draft(self, draft: AnyDraft, least: int) -> None:
        """Raise ValueError unless the draft is whole, and its quotes come from as many passages as it needs."""
        if draft.is_empty:
            return
        if not draft.reference.strip():
            raise ValueError("the reference is empty; write the answer to the question")
        quoted = _quoted(draft.quotes, self.passages)
        if not quoted:
            raise ValueError("none of the quotes is in the passages; copy them exactly as they are written there")
        if len(quoted) < least:
            raise ValueError(
                f"all quotes are from one passage; the question must take at least {least} passages, so quote each"
            )


@dataclass(frozen=True, slots=True)
class DraftSingle(_Drafting[Draft]):
    """Write a question that one passage answers."""

    reply = Draft

    def check(self, reply: Draft) -> None:
        self._check_draft(reply, 1)


@dataclass(frozen=True, slots=True)
class DraftSeveral(_Drafting[Draft]):
    """Write a question that takes at least two of the passages to answer."""

    reply = Draft

    def check(self, reply: Draft) -> None:
        self._check_draft(reply, min(2, len(self.passages)))


@dataclass(frozen=True, slots=True)
class DraftComparison(_Drafting[Draft]):
    """Write a question that compares two things, each described in a passage of its own."""

    reply = Draft

    def check(self, reply: Draft) -> None:
        self._check_draft(reply, min(2, len(self.passages)))


class UnanswerableDraft(AnyDraft):
    """A question that the passages come near to answering, and do not answer."""

    situation: str = _situation()
    missing: str = described("what the passages do not say", "パッセージに書かれていないこと", default="")
    quotes: list[str] = _quotes()
    question: str = _question()
    reference: str = _reference()


@dataclass(frozen=True, slots=True)
class DraftUnanswerable(_Drafting[UnanswerableDraft]):
    """Write a question on the subject of the passages that they do not answer; the reference says so."""

    reply = UnanswerableDraft

    def check(self, reply: UnanswerableDraft) -> None:
        self._check_draft(reply, 1)


class FalsePremiseDraft(AnyDraft):
    """A question that takes for granted something that the passages contradict."""

    situation: str = _situation()
    premise: str = described("the false assumption", "誤った前提", default="")
    quotes: list[str] = _quotes()
    question: str = _question()
    reference: str = _reference()


@dataclass(frozen=True, slots=True)
class DraftFalsePremise(_Drafting[FalsePremiseDraft]):
    """Write a question with a false premise; the reference corrects it."""

    reply = FalsePremiseDraft

    def check(self, reply: FalsePremiseDraft) -> None:
        self._check_draft(reply, 1)


class FollowUpDraft(AnyDraft):
    """A question and answer that open a conversation, and the question that follows."""

    situation: str = _situation()
    first_question: str = described("the question that opens the conversation", "会話の最初の質問", default="")
    first_answer: str = described("its answer", "最初の質問への回答", default="")
    quotes: list[str] = _quotes()
    question: str = _question()
    reference: str = _reference()


@dataclass(frozen=True, slots=True)
class DraftFollowUp(_Drafting[FollowUpDraft]):
    """Write the first question and answer of a conversation, and a question that is understandable only after them."""

    reply = FollowUpDraft

    def check(self, reply: FollowUpDraft) -> None:
        self._check_draft(reply, 1)
        if not reply.is_empty and not (reply.first_question.strip() and reply.first_answer.strip()):
            raise ValueError("the first question and its answer are needed before a question that follows them")


_NEARLY = 90
"""The agreement, in percent, from which a quote is one: models change a word now and then."""


def _quoted(quotes: Sequence[str], passages: Sequence[str]) -> set[int]:
    """Return the indices of the passages that have a quote, ignoring white space, punctuation, width and case."""
    bare = [bare_question(passage) for passage in passages]
    found = (_where(each, bare) for each in map(bare_question, quotes) if each)
    return {at for at in found if at is not None}


def _where(quote: str, passages: Sequence[str]) -> int | None:
    """Return the index of the first passage that has the quote word for word, or else nearly; None if none has."""
    for at, passage in enumerate(passages):
        if quote in passage:
            return at
    near = (
        at
        for at, passage in enumerate(passages)
        if len(quote) <= len(passage) and fuzz.partial_ratio(quote, passage, score_cutoff=_NEARLY)
    )
    return next(near, None)


class ClosedBookTry(Reply):
    """Whether a question is understandable by itself, and what is known of its answer without documents."""

    reason: str = described("what is unclear, or why nothing is", "何がはっきりしないか、または、はっきりしている理由")
    clear: YesNo
    answer: str = described(
        "the answer from what you know, or empty", "自分の知識による回答。分からなければ空", default=""
    )


@dataclass(frozen=True, slots=True)
class TryClosedBook(Task[ClosedBookTry]):
    """Decide whether a question is understandable without the documents, and answer it from what a model knows."""

    reply = ClosedBookTry
    question: str


class PassagesAnswer(Reply):
    """The answer that passages give to a question."""

    answered: YesNo
    answer: str = described(
        "the answer that the passages give, or empty if they give none",
        "パッセージから得られる回答。得られなければ空",
        default="",
    )


@dataclass(frozen=True, slots=True)
class AnswerFromPassages(Task[PassagesAnswer]):
    """Answer a question from passages alone, or say that they do not answer it."""

    reply = PassagesAnswer
    question: str
    passages: tuple[str, ...]

    def check(self, reply: PassagesAnswer) -> None:
        if reply.answered and not reply.answer.strip():
            raise ValueError("`answered` is true, but the answer is empty; write the answer")
