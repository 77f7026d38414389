"""The samples of one row: one, or those of the conversation in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from saiten.data.chat_logs import (
    ChatNotes,
    ChatUse,
    Exchange,
    as_history,
    chat_in,
    read_exchanges,
    read_request,
    with_histories,
)
from saiten.data.columns import Columns
from saiten.data.guessed_names import ROW_NUMBERS
from saiten.data.objects.answered import Answered
from saiten.data.rows import RawRow
from saiten.data.traces.kept import trace_from_json
from saiten.data.values import as_language, as_references, as_text, as_texts, is_list, is_nothing
from saiten.records import Language, Sample, Turn

_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "question", "answer", "group", "system"), as_text),
    **dict.fromkeys(("contexts", "evidence"), as_texts),
    **dict.fromkeys(("reference", "alternatives"), as_references),
    "language": as_language,
}
_SHORT = 40
"""Characters of question, answer and references below which the history helps to detect the language."""


@dataclass(frozen=True, slots=True)
class RowSamples:
    """Makes the samples of each row."""

    columns: Columns
    detect: Callable[..., Language]
    language: Language | None
    """Overrides that of the rows."""
    chats: ChatUse
    notes: ChatNotes
    """Learns what is not graded."""

    def __call__(self, row: RawRow) -> list[Sample]:
        """Return the samples; raises ValueError for a row that cannot be used."""
        found = self.columns.find_all(row.fields)
        if not row.typed:  # an empty cell of CSV, which has no null, is only a value as an answer
            found = {name: value for name, value in found.items() if value != "" or name == "answer"}
        answer = found.get("answer")
        if isinstance(answer, Answered):
            found = answer.beside(found)
        chat = chat_in(found)
        given = self._read(found, None if chat is None else chat.field)
        if chat is not None and chat.is_log:
            return list(self._of_log(row, found, given, read_exchanges(chat.messages)))
        if chat is None:
            history = as_history(found.get("history"), given.get("question") or "")
            self.notes.histories += history is None
            contexts: tuple[str, ...] | None = None
        else:
            history, last = read_request(chat.messages, given.get("answer"))
            given["question"], contexts = last.question, last.contexts
            given["reference"] = given.get("reference") or last.references
        if given.get("contexts") is None:
            given["contexts"] = contexts
        said = given.get("answer")
        if not given.get("question") and (said is None or not (row.typed or said.strip())):
            raise ValueError("neither question nor answer")
        sample = self._sample(self._id(row, given), given, history or (), _named(found))
        return [_with_trace(sample, row.fields.get("trace"))]

    def numbers_rows(self, row: RawRow) -> bool:
        """Return whether the id of the row is from a column that only numbers rows or questions."""
        return self.columns.source_of(row.fields, "id") in ROW_NUMBERS

    def _id(self, row: RawRow, given: Mapping[str, Any]) -> str:
        """Return the id; the system is part of it if systems share a row of the file, or the number of a question."""
        found = given.get("id")
        if not found:
            return place_id(row)
        if row.system:
            return f"{found}/{row.system}"
        return f"{found}/{given['system']}" if given.get("system") and self.numbers_rows(row) else str(found)

    def _read(self, found: Mapping[str, Any], chat: str | None) -> dict[str, Any]:
        """Return the values of the fields, without the one that has the messages."""
        given: dict[str, Any] = {}
        for field, value in found.items():
            read = _READERS.get(field)
            if read is None or field == chat or (field == "language" and self.language):
                continue
            try:
                given[field] = read(value)
            except ValueError as error:
                raise ValueError(f"{field}: {error}") from error
        return given

    def _of_log(
        self, row: RawRow, found: Mapping[str, Any], given: Mapping[str, Any], exchanges: list[Exchange]
    ) -> Iterator[Sample]:
        """Yield the samples of a conversation; what a message does not say is as for the whole conversation."""
        name = given.get("id") or _named(found) or place_id(row)
        turns = list(with_histories(exchanges))
        answered = [exchange for _, exchange in turns if exchange.answer is not None]
        if not turns or (not answered and self.chats != "questions"):
            raise ValueError(
                "the conversation has no answer to a question: no message of the assistant after the user's"
            )
        if self.chats in {"conversations", "openings"}:
            yield self._whole(name, given, answered)
            return
        self.notes.greetings += not exchanges[0].question.strip()
        self.notes.unanswered += self.chats == "answers" and len(answered) < len(turns)
        self.notes.references += len(turns) > 1 and bool(given.get("reference"))
        spoken = self._spoken(given, [text for each in exchanges for text in (each.question, each.answer or "")])
        for number, (history, exchange) in enumerate(turns, 1):
            if exchange.answer is None and self.chats == "answers":
                continue
            references = exchange.references or (given.get("reference") or () if len(turns) == 1 else ())
            contexts = given.get("contexts") if exchange.contexts is None else exchange.contexts
            of_turn = {"question": exchange.question, "answer": exchange.answer, "contexts": contexts}
            about = {**given, **of_turn, "reference": references, "language": spoken}
            yield self._sample(f"{name}/turn-{number}", about, history, name)

    def _whole(self, name: str, given: Mapping[str, Any], answered: list[Exchange]) -> Sample:
        """Return the conversation as one sample; a question next to the messages is what it is about.

        Its turns are the history, unless it is read for its first question: those do not come before it.
        """
        references = given.get("reference") or (answered[0].references if len(answered) == 1 else ())
        question = given.get("question") or answered[0].question
        about = {**given, "question": question, "answer": None, "contexts": None, "reference": references}
        turns = tuple(each.turn for each in answered) if self.chats == "conversations" else ()
        return self._sample(name, about, turns, None)

    def _sample(
        self, identity: str, given: Mapping[str, Any], history: tuple[Turn, ...], conversation: str | None
    ) -> Sample:
        reference, *others = given.get("reference") or (None,)
        return Sample(
            identity,
            given.get("question") or "",
            given.get("answer"),
            given.get("contexts"),
            reference,
            (*others, *(given.get("alternatives") or ())),
            given.get("evidence"),
            given.get("group") or None,
            given.get("system") or None,
            self.language or given.get("language") or self._spoken(given, _texts(given, history)),
            history=history,
            conversation=conversation,
        )

    def _spoken(self, given: Mapping[str, Any], texts: list[str]) -> Language:
        return self.language or given.get("language") or self.detect(*texts)


def _with_trace(sample: Sample, value: Any) -> Sample:
    """Return the sample with its trace; the answers of a session are those of a conversation."""
    trace = None if value is None else trace_from_json(value)
    if trace is None:
        return sample
    return replace(sample, trace=trace, conversation=sample.conversation or trace.session)


def place_id(row: RawRow) -> str:
    """Return the id of a row that has none: its place in the file, and the system, if several share the row."""
    place = f"{row.prefix}row-{row.number}"
    return f"{place}/{row.system}" if row.system else place


def _texts(given: Mapping[str, Any], history: tuple[Turn, ...]) -> list[str]:
    """Return the texts that show the language: those of the sample, and if they are short, of the history."""
    own = [given.get("question"), given.get("answer"), *(given.get("reference") or ())]
    texts = [text for text in own if text]
    if sum(map(len, texts)) < _SHORT:
        texts += [text for turn in history for text in (turn.question, turn.answer)]
    return texts


def _named(found: Mapping[str, Any]) -> str | None:
    """Return the id of the conversation; a list under that name is the conversation itself."""
    value = found.get("conversation")
    return None if is_nothing(value) or is_list(value) or isinstance(value, Mapping) else as_text(value) or None
