"""The order of a prompt's parts.

A prompt whose inputs other tasks of the sample share (contexts, evidence) is one message that begins with them, after a
system message that is the same for all such prompts. A server's prefix cache then reads contexts once per sample, not
once per task. Any other prompt begins with its instruction and examples, which are the same for all samples.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from saiten.prompts.blocks import EXAMPLE, as_blocks, free_suffix, texts_of
from saiten.prompts.prompt import CONDITION, PLACEHOLDER, Prompt, PromptFrame
from saiten.protocols import ChatMessage

Inputs = Mapping[str, Any]


def arrange(prompt: Prompt, frame: PromptFrame, inputs: Inputs) -> tuple[ChatMessage, ...]:
    """Return the messages of a prompt with these inputs."""
    prompt = replace(prompt, instruction=_that_applies(prompt.instruction, inputs))
    if _is_there(prompt.shared, inputs):
        return _material_first(prompt, frame, inputs)
    said = "\n".join(filter(None, (prompt.instruction, frame.material if prompt.closing else "", prompt.closing)))
    template = prompt.inputs
    turns = [
        message
        for example in prompt.examples
        for message in (ChatMessage("user", _fill(template, example.inputs)), ChatMessage("assistant", example.reply))
    ]
    return (ChatMessage("system", said), *turns, ChatMessage("user", _fill(template, inputs)))


def _material_first(prompt: Prompt, frame: PromptFrame, inputs: Inputs) -> tuple[ChatMessage, ...]:
    marks = [f"{prefix}{name}" for name in prompt.fields for prefix in ("", EXAMPLE)]
    given = (inputs, *(example.inputs for example in prompt.examples))
    suffix = free_suffix(marks, texts_of(text for each in given for text in materials_in(each)))
    parts = [_fill(prompt.shared, inputs, suffix=suffix), prompt.instruction]
    for example in prompt.examples:
        blocks = _fill(prompt.inputs, example.inputs, prefix=EXAMPLE, suffix=suffix)
        parts.append(f"{frame.example}\n{blocks}\n{frame.reply}\n{example.reply}")
    rest = _fill(prompt.user, inputs, suffix=suffix)
    parts += ["\n".join(filter(None, (frame.task if prompt.examples else "", rest))), prompt.closing]
    return ChatMessage("system", frame.system), ChatMessage("user", "\n\n".join(filter(None, parts)))


def _that_applies(instruction: str, inputs: Inputs) -> str:
    """Return the instruction without lines about an optional input that is missing: `{evidence?} Use it to …`."""
    lines = ((line, CONDITION.match(line)) for line in instruction.splitlines())
    return "\n".join(
        line[found.end() :] if found else line
        for line, found in lines
        if not (found and _is_blank(inputs.get(found[1])))
    )


def materials_in(inputs: Inputs) -> tuple[str | tuple[str, ...], ...]:
    """Return the inputs that are texts or lists of texts."""
    return tuple(value for value in inputs.values() if _is_material(value))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill a template in one pass, so that placeholders within values mean nothing."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], template)


def _fill(template: str, inputs: Inputs, *, prefix: str = "", suffix: str | None = None) -> str:
    """Fill with texts and lists as marked blocks, and numbers as they are."""
    materials = {name: value for name, value in inputs.items() if _is_material(value)}
    values = as_blocks(materials, prefix=prefix, suffix=suffix)
    values |= {name: str(value) for name, value in inputs.items() if isinstance(value, int)}
    lines = [fill(line, values) for line in template.splitlines() if not _is_left_out(line, inputs)]
    return "\n".join(lines)


def _is_there(template: str, inputs: Inputs) -> bool:
    """Return whether anything remains of the template."""
    return any(not _is_left_out(line, inputs) for line in template.splitlines())


def _is_left_out(line: str, inputs: Inputs) -> bool:
    """Return whether the line is an optional input that is missing: it leaves no empty block."""
    alone = PLACEHOLDER.fullmatch(line)
    return bool(alone and alone[2] and _is_blank(inputs.get(alone[1])))


def _is_material(value: Any) -> bool:
    return isinstance(value, str | tuple)


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return not any(text.strip() for text in value) if isinstance(value, tuple) else not value
