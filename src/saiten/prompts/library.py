"""A set of prompts: the built-in ones, some of which may be replaced."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from saiten.prompts.blocks import texts_of
from saiten.prompts.conversation import conversation_of
from saiten.prompts.files import LANGUAGES, load, load_frame, names
from saiten.prompts.layout import PromptLayout, fill
from saiten.prompts.prompt import Example, Prompt
from saiten.protocols import ChatMessage, Task, snake_case
from saiten.records import Language


class Prompted(Protocol):
    """Anything with a prompt: a judge's task, a step of a chain; its inputs are attributes."""

    @property
    def prompt(self) -> str:
        """The name of the prompt file; each of its fields is an attribute: a text, a tuple of texts, a number."""

    @property
    def language(self) -> Language:
        """The language of the prompt."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """Prompts by name and language, rendered and digested here."""

    replaced: Mapping[str, Mapping[Language, Prompt]] = field(default_factory=dict, hash=False)
    """Those that take the place of built-in ones, in one language or both."""
    _layouts: dict[tuple[str, Language, str, bool], PromptLayout] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By name, language, form of the reply and order of the grades."""

    def load(self, name: str, language: Language) -> Prompt:
        """Return the prompt; raises ConfigurationError if there is none of this name, or its file is faulty."""
        built_in = load(name)[language]
        return self.replaced.get(name, {}).get(language, built_in)

    def render(self, prompted: Prompted, examples: Sequence[Example] | None = None) -> tuple[ChatMessage, ...]:
        """Return the messages for a model; `layout` says in which order.

        `examples`, such as the user's, replace those of the file; () shows none. A task's `shots` also replace them.

        Raises:
            ConfigurationError: there is no such prompt, its file is faulty, or it lacks the form of the reply.
        """
        if examples is None and isinstance(prompted, Task) and prompted.shots:
            examples = [Example(*shot) for shot in prompted.shots]
        layout = self._layout(prompted) if examples is None else self._laid_out(prompted, examples)
        return layout.messages({name: getattr(prompted, name) for name in layout.fields}, conversation_of(prompted))

    def preview(
        self, name: str, language: Language, inputs: Mapping[str, Any], form: str | None = "json"
    ) -> tuple[ChatMessage, ...]:
        """Return the messages of a prompt with these inputs, as they would be sent; form None for plain text.

        Raises:
            ConfigurationError: there is no such prompt, its file is faulty, or it lacks the form.
        """
        prompt = self.load(name, language).with_grades(turned=False)
        return PromptLayout(prompt if form is None else prompt.in_form(form), load_frame(language)).messages(inputs)

    def texts_in(self, prompted: Prompted) -> tuple[str, ...]:
        """Return the untrusted texts sent to a model with this prompt, without worked examples."""
        inputs = (getattr(prompted, name) for name in self._layout(prompted).fields)
        said = conversation_of(prompted)
        return (*texts_of(each for each in inputs if isinstance(each, str | tuple)), *(said.texts if said else ()))

    def _layout(self, prompted: Prompted) -> PromptLayout:
        """Return the layout with the examples of the file, which is the same for all tasks of a kind."""
        task = prompted if isinstance(prompted, Task) else None
        key = (prompted.prompt, prompted.language, task.written if task else "", task is not None and task.turned)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = self._laid_out(prompted)
        return layout

    def _laid_out(self, prompted: Prompted, examples: Sequence[Example] | None = None) -> PromptLayout:
        prompt = self.load(prompted.prompt, prompted.language)
        if isinstance(prompted, Task):
            prompt = prompt.with_grades(turned=prompted.turned)
        if examples is not None:
            prompt = replace(prompt, examples=tuple(examples))
        if isinstance(prompted, Task):
            prompt = prompt.in_form(prompted.written)
        return PromptLayout(prompt, load_frame(prompted.language))

    def beginning(self, prompted: Prompted) -> tuple[str, ...]:
        """Return the first block of the prompt, if other tasks of the sample begin with it too: its name and its texts.

        Empty for a prompt that begins with its instruction.
        """
        for name in self._layout(prompted).shared:
            value = getattr(prompted, name)
            if value and isinstance(value, str | tuple):
                return (name, *((value,) if isinstance(value, str) else value))
        return ()

    def repair_request(self, language: Language, fault: str) -> ChatMessage:
        """Return the message to a model whose reply was unusable; `fault` is the reason, as a sentence."""
        return ChatMessage("user", fill(self.load("repair", language).user, {"fault": fault}))

    def digest(self, prompts: Iterable[str]) -> str:
        """Return eight hexadecimal digits that change with the text of any of these prompts, in either language."""
        texts = {name: {each: asdict(self.load(name, each)) for each in LANGUAGES} for name in set(prompts)}
        frame = {each: asdict(load_frame(each)) for each in LANGUAGES}
        canonical = json.dumps([texts, frame], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:8]


BUILT_IN = Prompts()
"""The prompts as saiten ships them."""


def names_for(task: type[Task[Any]]) -> tuple[str, ...]:
    """Return the prompts that tasks of this type use; empty for a task without a prompt."""
    name = snake_case(task.__name__)
    return (name,) if name in names() else ()
