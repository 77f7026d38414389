"""A chat model alone as the system under test: it answers from what it knows, the baseline of every retrieval."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from saiten.errors import CallFailed, SystemFailed
from saiten.prompts import digest, render
from saiten.protocols import Chat, ChatRequest, Message
from saiten.records import Answer, Inquiry, Language, TimedCall, Turn
from saiten.text.thinking import without_thinking

_PROMPT = "answer_question"


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """What the model is asked."""

    question: str
    language: Language
    prompt: str = _PROMPT


class ChatModel:
    """Asks a chat model, with the history as the messages of the chat.

    The latency is that of the call with all that stands around it: a wait for the rate, and for another attempt, are in
    it. An answer that was on disk has none.
    """

    def __init__(
        self, chat: Chat, *, temperature: float | None = 0.0, seed: int | None = 1, max_tokens: int | None = None
    ) -> None:
        self._chat = chat
        self._temperature = temperature
        self._seed = seed
        self._max_tokens = max_tokens

    @property
    def name(self) -> str:
        return self._chat.name

    def describe(self) -> Mapping[str, str]:
        settings = {"temperature": self._temperature, "seed": self._seed, "max_tokens": self._max_tokens}
        told = {name: str(value) for name, value in settings.items() if value is not None}
        return {"system": self.name, "prompt": digest([_PROMPT]), **told}

    async def answer(self, inquiry: Inquiry) -> Answer:
        request = ChatRequest(
            messages_for(inquiry), temperature=self._temperature, seed=self._seed, max_tokens=self._max_tokens
        )
        begun = perf_counter()
        try:
            said = await self._chat.complete(request)
        except CallFailed as error:
            raise SystemFailed(str(error), usage=error.usage) from error
        seconds = perf_counter() - begun
        try:
            text = without_thinking(said.text).strip()
        except ValueError as error:
            raise SystemFailed(f"{self.name}: {error}", "unreadable", said.usage) from error
        reused = bool(said.usage.reused and not said.usage.calls)
        calls = () if reused else (TimedCall("answer", seconds, said.usage),)
        return Answer(text, None, None if reused else seconds, said.usage, calls)

    async def close(self) -> None:
        await self._chat.close()


def messages_for(inquiry: Inquiry) -> tuple[Message, ...]:
    """The instruction, then the conversation, then the question."""

    def asked(question: str) -> tuple[Message, ...]:
        return render(AnswerQuestion(question, inquiry.language))

    def told(turn: Turn) -> tuple[Message, Message]:
        return asked(turn.question)[-1], Message("assistant", turn.answer)

    *instruction, question = asked(inquiry.question)
    return (*instruction, *(message for turn in inquiry.history for message in told(turn)), question)
