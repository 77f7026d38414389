"""What models are told: one TOML file a prompt, loaded, filled and digested here.

A prompt becomes a fixed part (what to do, then the examples) and, last, one message with the inputs in marked blocks.
Filling is one pass: braces, placeholders and marks inside an input stay as they are and mean nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Protocol

from saiten.prompts.blocks import as_blocks
from saiten.prompts.files import PLACEHOLDER, Example, Prompt, load, names
from saiten.protocols import Message, Task, snake_case
from saiten.records import Language

__all__ = ["Example", "Prompted", "digest", "names_for", "render", "repair_request", "texts_in"]


class Prompted(Protocol):
    """What a model can be asked with a prompt: a judge's task, a step of a chain; its inputs are attributes."""

    @property
    def prompt(self) -> str:
        """The name of the prompt file; each of its fields is an attribute: a text, a tuple of texts, a number."""
        ...

    @property
    def language(self) -> Language:
        """Of the prompt."""
        ...


def render(asked: Prompted, examples: Sequence[Example] | None = None) -> tuple[Message, ...]:
    """The messages that ask a model for this: the fixed part, then the inputs.

    `examples` stand in the place of the file's own, for example the user's; () shows none. So do a task's `shots`.

    Raises:
        ConfigurationError: there is no such prompt, or something is wrong in its file.
    """
    prompt = load(asked.prompt)[asked.language]
    inputs = {name: getattr(asked, name) for name in prompt.fields}
    if examples is None and isinstance(asked, Task) and asked.shots:
        examples = [Example(*shot) for shot in asked.shots]
    fixed = _files_own(asked.prompt, asked.language) if examples is None else _fixed_part(prompt, examples)
    return (*fixed, Message("user", fill(prompt, inputs)))


def texts_in(asked: Prompted) -> tuple[str, ...]:
    """The texts from outside that a model is sent when it is asked this, those of worked examples apart."""
    values = (getattr(asked, name) for name in load(asked.prompt)[asked.language].fields)
    return tuple(
        text for value in values if _is_material(value) for text in ([value] if isinstance(value, str) else value)
    )


def fill(prompt: Prompt, inputs: Mapping[str, Any]) -> str:
    """The user's part of the prompt with its inputs: texts and lists as marked blocks, numbers as they are."""
    materials = {name: value for name, value in inputs.items() if _is_material(value)}
    values = as_blocks(materials) | {name: str(value) for name, value in inputs.items() if isinstance(value, int)}
    lines: list[str] = []
    for line in prompt.user.splitlines():
        alone = PLACEHOLDER.fullmatch(line)
        if alone and alone[2] and _is_blank(inputs.get(alone[1])):
            continue  # an optional input that is not there leaves no empty block
        lines.append(PLACEHOLDER.sub(lambda match: values[match[1]], line))
    return "\n".join(lines)


def _is_material(value: Any) -> bool:
    return isinstance(value, str | tuple)


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return not any(text.strip() for text in value) if isinstance(value, tuple) else not value


@cache
def _files_own(name: str, language: Language) -> tuple[Message, ...]:
    prompt = load(name)[language]
    return _fixed_part(prompt, prompt.examples)


def _fixed_part(prompt: Prompt, examples: Sequence[Example]) -> tuple[Message, ...]:
    messages = [Message("system", prompt.system)]
    for example in examples:
        messages += [Message("user", fill(prompt, example.inputs)), Message("assistant", example.reply)]
    return tuple(messages)


def repair_request(language: Language, fault: str) -> Message:
    """What a model is told whose reply could not be used; `fault` says why, in a sentence."""
    return Message("user", PLACEHOLDER.sub(lambda _: fault, load("repair")[language].user))


def names_for(task: type[Task[Any]]) -> tuple[str, ...]:
    """The prompts that tasks of this type may use, in all their forms; none for a task without a prompt."""
    base = snake_case(task.__name__)
    return tuple(name for name in names() if name == base or name.startswith(base + "_"))


def digest(prompts: Iterable[str]) -> str:
    """Eight hexadecimal digits that change whenever the text of one of these prompts changes, in either language."""
    content = {name: {language: asdict(prompt) for language, prompt in load(name).items()} for name in set(prompts)}
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]
