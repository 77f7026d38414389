"""A chat model as generator: renders a step's prompt and asks the model for plain text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from saiten.errors import Unreadable
from saiten.models.parameters import described
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import Chat, ChatRequest, Completion
from saiten.rag.example import WorkedExample
from saiten.rag.steps import Step
from saiten.text.thinking import without_thinking


@dataclass(frozen=True, slots=True)
class ChatGenerator:
    """Uses a chat model, without an example (zero-shot) or with one from the user's data (one-shot)."""

    chat: Chat
    example: WorkedExample | None = None
    """Shown before every question, whatever its language."""
    temperature: float | None = 0.0
    """None omits it, as reasoning models require."""
    seed: int | None = 1
    max_tokens: int | None = 4096
    """Per text, to stop a model that repeats itself forever; None leaves it to the server."""
    forget: Callable[[ChatRequest], None] | None = None
    """Called with each request whose reply was unusable, so that a cache does not serve it forever."""
    prompts: Prompts = BUILT_IN
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters of every request, as `ChatRequest.options`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The headers that the chat model sends, for signatures."""

    @property
    def name(self) -> str:
        return self.chat.name

    def describe(self, steps: Iterable[type[Step]]) -> Mapping[str, str]:
        asked = {
            "temperature": "default" if self.temperature is None else str(self.temperature),
            "seed": "none" if self.seed is None else str(self.seed),
            "max_tokens": "default" if self.max_tokens is None else str(self.max_tokens),
        }
        return {
            "generator": self.name,
            "prompts": self.prompts.digest(step.prompt for step in steps),
            "example": "none" if self.example is None else self.example.digest,
            **described(self.chat, self.options, self.headers, **asked),
        }

    async def write(self, step: Step) -> Completion:
        examples = () if self.example is None else self.example.examples(step)
        messages = self.prompts.render(step, examples)
        asked = self.temperature, self.seed, self.max_tokens
        request = ChatRequest(messages, None, *asked, options=self.options)
        completion = await self.chat.complete(request)
        try:
            return replace(completion, text=_spoken(completion.text))
        except ValueError as error:
            if self.forget is not None:
                self.forget(request)
            limit = f" (max_tokens is {self.max_tokens})" if completion.finish_reason == "length" else ""
            message = f"{self.name}: the model wrote no text for the step `{step.called}`: {error}{limit}"
            raise Unreadable(message, completion.text, completion.usage) from error

    async def close(self) -> None:
        await self.chat.close()


def _spoken(text: str) -> str:
    """Return the text without thinking; raises ValueError if there is nothing else."""
    spoken = without_thinking(text).strip()
    if text.strip() and not spoken:
        raise ValueError("the reply ends with the thinking, so it holds no answer")
    return spoken
