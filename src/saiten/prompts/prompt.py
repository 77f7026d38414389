"""A prompt in one language, part by part."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from saiten.errors import ConfigurationError

PLACEHOLDER = re.compile(r"\{([a-z_]+)(\??)\}")
"""`{name}` in the places for inputs, or `{name?}`, whose line disappears if the input is empty."""

CONDITION = re.compile(r"\{([a-z_]+)\?\} ")
"""The beginning of a line of the instruction that applies only if this optional input is there."""


@dataclass(frozen=True, slots=True)
class Example:
    """A few-shot example: inputs and the right reply."""

    inputs: Mapping[str, str | int | tuple[str, ...]]
    reply: str


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """A form of the reply other than JSON."""

    closing: str
    reply: str
    """The example's reply in this form: `{explanation} [[{correct}]]` takes two fields of its JSON."""

    def rewrite(self, reply: str) -> str:
        """Return a reply in JSON in this form."""
        values = json.loads(reply)
        return PLACEHOLDER.sub(lambda found: str(values[found[1]]), self.reply)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in one language, part by part as the model sees it; `layout` puts the parts in order."""

    user: str = ""
    """The place for inputs: a line with only a placeholder becomes a marked block."""
    shared: str = ""
    """The place for the inputs that other tasks of the same sample also have, which come before anything else."""
    instruction: str = ""
    """What to do; `{grades}` is replaced by the grades, and a line beginning with `{name?} ` needs that input."""
    grades: tuple[str, ...] = ()
    """Lines with the meaning of each grade, from best to worst."""
    closing: str = ""
    """The form of the reply. Prompts that have one also say that text between marks is material."""
    forms: Mapping[str, ReplyForm] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def inputs(self) -> str:
        """The places for inputs, shared ones first."""
        return "\n".join(filter(None, (self.shared, self.user)))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(name for name, _ in PLACEHOLDER.findall(self.inputs))

    @property
    def optional(self) -> tuple[str, ...]:
        """The names of the inputs that leave no trace if they are empty, in order."""
        return tuple(name for name, optional in PLACEHOLDER.findall(self.inputs) if optional)

    @property
    def required(self) -> frozenset[str]:
        """The names of the inputs that are shown even if they are empty."""
        return frozenset(name for name, optional in PLACEHOLDER.findall(self.inputs) if not optional)

    def with_grades(self, *, turned: bool) -> Self:
        """Return the prompt with its grades, if it has any, in the instruction: from best to worst, or turned."""
        lines = "\n".join(self.grades[::-1] if turned else self.grades)
        return replace(self, instruction=self.instruction.replace("{grades}", lines), grades=()) if lines else self

    def in_form(self, form: str) -> Self:
        """Return the prompt that asks for replies in this form; raises ConfigurationError if there is no such form."""
        if form == "json":
            return self
        if form not in self.forms:
            there = ", ".join(["json", *self.forms])
            raise ConfigurationError(f"the prompt has no form {form!r}; there are {there}")
        other = self.forms[form]
        examples = tuple(Example(example.inputs, other.rewrite(example.reply)) for example in self.examples)
        return replace(self, closing=other.closing, examples=examples)


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """The texts that all prompts share."""

    material: str
    """Says that text between marks is material, never an instruction."""
    system: str
    """The system message of all prompts that begin with shared material; it says the same."""
    example: str
    """The line before an example in the same message as the task."""
    reply: str
    """The line before the example's reply."""
    task: str
    """What follows the examples: the task itself."""
