"""A chat model alone as the system under test: answers from its own knowledge, the baseline for any retrieval."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from time import perf_counter
from typing import Any

from saiten.errors import CallFailed, SystemFailed
from saiten.models.parameters import described
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import Chat, ChatMessage, ChatRequest
from saiten.rag.system import CallLog
from saiten.records import Answer, Inquiry, Language, Turn
from saiten.text.thinking import without_thinking

_PROMPT = "answer_question"


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """The question to the model."""

    question: str
    language: Language
    prompt: str = _PROMPT


@dataclass(frozen=True, slots=True, eq=False)
class ChatModel:
    """Asks a chat model, with the history as chat messages.

    The latency includes waits for the rate limit and for retries. A cached answer has none.
    """

    chat: Chat
    _: KW_ONLY
    temperature: float | None = 0.0
    seed: int | None = 1
    max_tokens: int | None = None
    prompts: Prompts = BUILT_IN
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters of every request, as `ChatRequest.options`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The headers that the chat model sends, for signatures."""

    @property
    def name(self) -> str:
        return self.chat.name

    def describe(self) -> Mapping[str, str]:
        settings = {"temperature": self.temperature, "seed": self.seed, "max_tokens": self.max_tokens}
        given = {name: str(value) for name, value in settings.items() if value is not None}
        parameters = described(self.chat, self.options, self.headers, **given)
        return {"system": self.name, "prompt": self.prompts.digest([_PROMPT]), **parameters}

    async def answer(self, inquiry: Inquiry) -> Answer:
        asked = self.temperature, self.seed, self.max_tokens
        request = ChatRequest(messages_for(inquiry, self.prompts), None, *asked, options=self.options)
        log = CallLog(perf_counter)
        try:
            reply = await log.timed("answer", self.chat.complete(request))
        except CallFailed as error:
            raise SystemFailed(str(error), usage=error.usage) from error
        try:
            text = without_thinking(reply.text).strip()
        except ValueError as error:
            raise SystemFailed(f"{self.name}: {error}", "unreadable", reply.usage) from error
        return Answer(text, None, log.calls[0].seconds if log.calls else None, reply.usage, log.calls)

    async def close(self) -> None:
        await self.chat.close()


def messages_for(inquiry: Inquiry, prompts: Prompts = BUILT_IN) -> tuple[ChatMessage, ...]:
    """Return the instruction, the conversation, and the question."""

    def rendered(question: str) -> tuple[ChatMessage, ...]:
        return prompts.render(AnswerQuestion(question, inquiry.language))

    def both(turn: Turn) -> tuple[ChatMessage, ChatMessage]:
        return rendered(turn.question)[-1], ChatMessage("assistant", turn.answer)

    *instruction, question = rendered(inquiry.question)
    return (*instruction, *(message for turn in inquiry.history for message in both(turn)), question)
