"""The order of a prompt's parts.

A prompt whose inputs other tasks of the sample share (contexts, evidence) is one message that begins with them, after a
system message that is the same for all such prompts. A server's prefix cache then reads contexts once per sample, not
once per task. Any other prompt begins with its instruction and examples, which are the same for all samples.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from saiten.prompts.blocks import EXAMPLE, as_blocks, free_suffix, may_hold_mark, texts_of
from saiten.prompts.conversation import MARKS, Conversation
from saiten.prompts.prompt import CONDITION, PLACEHOLDER, Prompt, PromptFrame
from saiten.protocols import ChatMessage

Inputs = Mapping[str, Any]


class PromptLayout:
    """A prompt whose parts are put in order once; `messages` only fills in the inputs.

    What does not depend on the inputs (instruction, examples) is written once for each set of optional inputs that are
    missing, and kept.
    """

    def __init__(self, prompt: Prompt, frame: PromptFrame) -> None:
        self._prompt, self._frame = prompt, frame
        self.fields = prompt.fields
        """The names of the inputs, in order."""
        self._shared, self._user, self._inputs = map(_Template, (prompt.shared, prompt.user, prompt.inputs))
        self.shared = tuple(name for name, _ in PLACEHOLDER.findall(prompt.shared))
        """The names of those that come first."""
        found = map(CONDITION.match, prompt.instruction.splitlines())
        self._conditions = tuple(dict.fromkeys(each[1] for each in found if each))
        self._marks = [f"{prefix}{name}" for name in self.fields for prefix in ("", EXAMPLE)]
        shown = texts_of(text for example in prompt.examples for text in materials_in(example.inputs))
        self._suspicious = tuple(filter(may_hold_mark, shown))
        self._before: dict[tuple[str, ...], tuple[ChatMessage, ...]] = {}
        self._between: dict[tuple[str, ...], str] = {}

    def messages(self, inputs: Inputs, said: Conversation | None = None) -> tuple[ChatMessage, ...]:
        """Return the messages of the prompt with these inputs; `said`: the conversation before the question."""
        missing = tuple(name for name in self._conditions if _is_blank(inputs.get(name)))
        if self._shared.is_there(inputs):
            return self._material_first(inputs, missing, said)
        before = self._before.get(missing)
        if before is None:
            before = self._before[missing] = self._instruction_first(missing)
        return (*before, ChatMessage("user", _fill(self._inputs, inputs, said=said)))

    def _instruction_first(self, missing: Sequence[str]) -> tuple[ChatMessage, ...]:
        """Return the messages before the inputs."""
        prompt, frame = self._prompt, self._frame
        instruction = _that_applies(prompt.instruction, missing)
        said = "\n".join(filter(None, (instruction, frame.material if prompt.closing else "", prompt.closing)))
        turns = [
            message
            for example in prompt.examples
            for message in (
                ChatMessage("user", _fill(self._inputs, example.inputs)),
                ChatMessage("assistant", example.reply),
            )
        ]
        return ChatMessage("system", said), *turns

    def _material_first(
        self, inputs: Inputs, missing: tuple[str, ...], said: Conversation | None
    ) -> tuple[ChatMessage, ...]:
        suffix = _free(self._marks, (*texts_of(materials_in(inputs)), *self._suspicious), said)
        between = None if suffix else self._between.get(missing)
        if between is None:
            between = self._after_material(missing, suffix)
            if not suffix:
                self._between[missing] = between
        values = _values(inputs, "", suffix, said)
        shared, rest = self._shared.fill(values, inputs), self._user.fill(values, inputs)
        task = "\n".join(filter(None, (self._frame.task if self._prompt.examples else "", rest)))
        text = "\n\n".join(filter(None, (shared, between, task, self._prompt.closing)))
        return ChatMessage("system", self._frame.system), ChatMessage("user", text)

    def _after_material(self, missing: Sequence[str], suffix: str) -> str:
        """Return instruction and examples."""
        frame = self._frame
        parts = [_that_applies(self._prompt.instruction, missing)]
        for example in self._prompt.examples:
            blocks = _fill(self._inputs, example.inputs, prefix=EXAMPLE, suffix=suffix)
            parts.append(f"{frame.example}\n{blocks}\n{frame.reply}\n{example.reply}")
        return "\n\n".join(filter(None, parts))


class _Template:
    """A place for inputs, taken apart once."""

    def __init__(self, text: str) -> None:
        self._lines: list[tuple[str, Sequence[tuple[str, str]], str]] = []
        for line in text.splitlines():
            alone = PLACEHOLDER.fullmatch(line)
            *pieces, end = PLACEHOLDER.split(line)  # text, name, `?` or "", text, …
            pairs = list(zip(pieces[::3], pieces[1::3], strict=True))
            self._lines.append((alone[1] if alone and alone[2] else "", pairs, end))

    def is_there(self, inputs: Inputs) -> bool:
        """Return whether anything remains of the template."""
        return any(not (optional and _is_blank(inputs.get(optional))) for optional, _, _ in self._lines)

    def fill(self, values: Mapping[str, str], inputs: Inputs) -> str:
        """Fill in one pass; a line that is an optional input disappears if it is missing, and leaves no empty block."""
        lines = []
        for optional, pairs, end in self._lines:
            if optional and _is_blank(inputs.get(optional)):
                continue
            line = ""
            for text, name in pairs:
                line += text + values[name]
            lines.append(line + end)
        return "\n".join(lines)


def _that_applies(instruction: str, missing: Sequence[str]) -> str:
    """Return the instruction without lines about an optional input that is missing: `{evidence?} Use it to …`."""
    lines = ((line, CONDITION.match(line)) for line in instruction.splitlines())
    return "\n".join(
        line[found.end() :] if found else line for line, found in lines if not (found and found[1] in missing)
    )


def materials_in(inputs: Inputs) -> tuple[str | tuple[str, ...], ...]:
    """Return the inputs that are texts or lists of texts."""
    return tuple(value for value in inputs.values() if _is_material(value))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill a template in one pass, so that placeholders within values mean nothing."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], template)


def _fill(
    template: _Template,
    inputs: Inputs,
    *,
    prefix: str = "",
    suffix: str | None = None,
    said: Conversation | None = None,
) -> str:
    """Fill with texts and lists as marked blocks, and numbers as they are."""
    return template.fill(_values(inputs, prefix, suffix, said), inputs)


def _values(inputs: Inputs, prefix: str, suffix: str | None, said: Conversation | None = None) -> Mapping[str, str]:
    materials = {name: value for name, value in inputs.items() if _is_material(value)}
    if suffix is None:
        suffix = _free([f"{prefix}{name}" for name in materials], texts_of(materials.values()), said)
    values = as_blocks(materials, prefix=prefix, suffix=suffix)
    if said is not None and "question" in values:
        values["question"] = said.before(values["question"], suffix)
    return values | {name: str(value) for name, value in inputs.items() if isinstance(value, int)}


def _free(marks: Sequence[str], texts: Sequence[str], said: Conversation | None) -> str:
    """Return the ending of marks that no text has, those of the conversation included."""
    return free_suffix(marks, texts) if said is None else free_suffix([*marks, *MARKS], [*texts, *said.texts])


def _is_material(value: Any) -> bool:
    return isinstance(value, str | tuple)


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return not any(text.strip() for text in value) if isinstance(value, tuple) else not value
