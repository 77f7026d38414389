"""Prompts: one TOML file per prompt, loaded, filled and digested here.

A prompt becomes a fixed part (instructions, then examples) and a final message with the inputs in marked blocks.
Filling is one pass: braces, placeholders and marks inside an input are left as they are and mean nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Protocol

from saiten.prompts.blocks import as_blocks, texts_of
from saiten.prompts.files import PLACEHOLDER, Example, Prompt, load, names
from saiten.protocols import ChatMessage, Task, snake_case
from saiten.records import Language

__all__ = ["Example", "Prompted", "digest", "names_for", "render", "repair_request", "texts_in"]


class Prompted(Protocol):
    """Anything with a prompt: a judge's task, a step of a chain; its inputs are attributes."""

    @property
    def prompt(self) -> str:
        """The name of the prompt file; each of its fields is an attribute: a text, a tuple of texts, a number."""

    @property
    def language(self) -> Language:
        """The language of the prompt."""


def render(prompted: Prompted, examples: Sequence[Example] | None = None) -> tuple[ChatMessage, ...]:
    """Return the messages for a model: the fixed part, then the inputs.

    `examples`, such as the user's, replace those of the file; () shows none. A task's `shots` also replace them.

    Raises:
        ConfigurationError: there is no such prompt, or its file is faulty.
    """
    prompt = load(prompted.prompt)[prompted.language]
    inputs = {name: getattr(prompted, name) for name in prompt.fields}
    if examples is None and isinstance(prompted, Task) and prompted.shots:
        examples = [Example(*shot) for shot in prompted.shots]
    fixed = _default_part(prompted.prompt, prompted.language) if examples is None else _fixed_part(prompt, examples)
    return (*fixed, ChatMessage("user", fill(prompt, inputs)))


def texts_in(prompted: Prompted) -> tuple[str, ...]:
    """Return the untrusted texts sent to a model with this prompt, without worked examples."""
    values = (getattr(prompted, name) for name in load(prompted.prompt)[prompted.language].fields)
    return texts_of(filter(_is_material, values))


def fill(prompt: Prompt, inputs: Mapping[str, Any]) -> str:
    """Fill the user's part of the prompt: texts and lists as marked blocks, numbers as they are."""
    materials = {name: value for name, value in inputs.items() if _is_material(value)}
    values = as_blocks(materials) | {name: str(value) for name, value in inputs.items() if isinstance(value, int)}
    lines: list[str] = []
    for line in prompt.user.splitlines():
        alone = PLACEHOLDER.fullmatch(line)
        if alone and alone[2] and _is_blank(inputs.get(alone[1])):
            continue  # a missing optional input leaves no empty block
        lines.append(PLACEHOLDER.sub(lambda match: values[match[1]], line))
    return "\n".join(lines)


def _is_material(value: Any) -> bool:
    return isinstance(value, str | tuple)


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return not any(text.strip() for text in value) if isinstance(value, tuple) else not value


@cache
def _default_part(name: str, language: Language) -> tuple[ChatMessage, ...]:
    prompt = load(name)[language]
    return _fixed_part(prompt, prompt.examples)


def _fixed_part(prompt: Prompt, examples: Sequence[Example]) -> tuple[ChatMessage, ...]:
    messages = [ChatMessage("system", prompt.system)]
    for example in examples:
        messages += [ChatMessage("user", fill(prompt, example.inputs)), ChatMessage("assistant", example.reply)]
    return tuple(messages)


def repair_request(language: Language, fault: str) -> ChatMessage:
    """Return the message to a model whose reply was unusable; `fault` is the reason, as a sentence."""
    return ChatMessage("user", PLACEHOLDER.sub(lambda _: fault, load("repair")[language].user))


def names_for(task: type[Task[Any]]) -> tuple[str, ...]:
    """Return the prompts that tasks of this type may use, in all variants; empty for a task without a prompt."""
    base = snake_case(task.__name__)
    return tuple(name for name in names() if name == base or name.startswith(base + "_"))


def digest(prompts: Iterable[str]) -> str:
    """Return eight hexadecimal digits that change with the text of any of these prompts, in either language."""
    content = {name: {language: asdict(prompt) for language, prompt in load(name).items()} for name in set(prompts)}
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]
