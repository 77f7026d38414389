"""What models are told: one TOML file a prompt, loaded, filled and digested here.

A prompt becomes a fixed part (what to do, then the examples) and, last, one message with the inputs in marked blocks.
Filling is one pass: braces, placeholders and marks inside an input stay as they are and mean nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from saiten.prompts.blocks import as_blocks
from saiten.prompts.files import PLACEHOLDER, Prompt, load, names
from saiten.protocols import Message, Task, snake_case
from saiten.records import Language

__all__ = ["digest", "names_for", "render", "repair_request"]


def render(task: Task[Any]) -> tuple[Message, ...]:
    """The messages that ask a model for the task: the fixed part, then the task's inputs.

    Raises:
        ConfigurationError: there is no prompt for the task, or something is wrong in its file.
    """
    prompt = load(task.prompt)[task.language]
    inputs = {name: getattr(task, name) for name in prompt.fields}
    return (*_fixed_part(task.prompt, task.language), Message("user", fill(prompt, inputs)))


def fill(prompt: Prompt, inputs: Mapping[str, Any]) -> str:
    """The user's part of the prompt with its inputs: texts and lists as marked blocks, numbers as they are."""
    materials = {name: value for name, value in inputs.items() if _is_material(value)}
    values = as_blocks(materials) | {name: str(value) for name, value in inputs.items() if isinstance(value, int)}
    lines: list[str] = []
    for line in prompt.user.splitlines():
        alone = PLACEHOLDER.fullmatch(line)
        if alone and alone[2] and not inputs.get(alone[1]):
            continue  # an optional input that is not there leaves no empty block
        lines.append(PLACEHOLDER.sub(lambda match: values[match[1]], line))
    return "\n".join(lines)


def _is_material(value: Any) -> bool:
    return isinstance(value, str | tuple)


@cache
def _fixed_part(name: str, language: Language) -> tuple[Message, ...]:
    prompt = load(name)[language]
    messages = [Message("system", prompt.system)]
    for example in prompt.examples:
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
