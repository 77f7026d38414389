"""Prompt files: one TOML file per prompt, English and Japanese side by side, checked on loading."""

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Self, get_args

from saiten.errors import ConfigurationError
from saiten.records import Language

PLACEHOLDER = re.compile(r"\{([a-z_]+)(\??)\}")
"""`{name}` in the user's part, or `{name?}`, which disappears if the input is empty."""

CONDITION = re.compile(r"\{([a-z_]+)\?\} ")
"""The beginning of a line of the instruction that applies only if this optional input is there."""

FRAME = "frame"
"""The file of the texts that all prompts share."""

_LANGUAGES = set(get_args(Language))
_FRAME_KEYS = {"material", "system", "example", "reply", "task"}
_KEYS = {"shared", "instruction", "grades", "closing", "user", "forms", "examples"}


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
    def fields(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(name for name, _ in PLACEHOLDER.findall(f"{self.shared}\n{self.user}"))

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


@cache
def load(name: str) -> Mapping[Language, Prompt]:
    """Load the prompt of this name in each language; raises ConfigurationError if its file is missing or faulty."""
    file = files(__package__).joinpath(f"{name}.toml")
    if name not in names():
        raise ConfigurationError(f"there is no prompt {name!r}: expected a file {file}; there are {', '.join(names())}")
    return read(file)


@cache
def load_frame(language: Language) -> PromptFrame:
    """Load the texts that all prompts share."""
    content = tomllib.loads(files(__package__).joinpath(f"{FRAME}.toml").read_text(encoding="utf-8"))
    _expect_keys(content[language], required=_FRAME_KEYS, allowed=_FRAME_KEYS, where=f"[{language}]")
    return PromptFrame(**{name: text.strip() for name, text in content[language].items()})


@cache
def names() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    there = (file.name for file in files(__package__).iterdir())
    return tuple(sorted({name.removesuffix(".toml") for name in there if name.endswith(".toml")} - {FRAME}))


def read(file: Traversable) -> Mapping[Language, Prompt]:
    """Read the prompts in one file; raises ConfigurationError, which names the file and its fault."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        _expect_keys(content, required=_LANGUAGES, allowed=_LANGUAGES, where="the file")
        prompts = {language: _prompt(content[language], language) for language in get_args(Language)}
    except (OSError, ValueError) as error:  # tomllib's and unicode's errors are ValueErrors
        raise ConfigurationError(f"{file}: {error}") from error
    return prompts


def _prompt(table: Mapping[str, Any], language: str) -> Prompt:
    where = f"[{language}]"
    _expect_keys(table, required=set(), allowed=_KEYS, where=where)
    if not table.keys() & {"user", "shared"}:
        raise ValueError(f"{where} lacks user")
    texts = {key: str(table[key]).strip() for key in ("shared", "instruction", "closing", "user") if key in table}
    prompt = Prompt(
        **texts,
        grades=tuple(map(str, table.get("grades", ()))),
        forms={name: _form(form, f"[{language}.forms.{name}]") for name, form in table.get("forms", {}).items()},
        examples=tuple(_example(example, language) for example in table.get("examples", ())),
    )
    _check_placeholders(prompt, where)
    for number, example in enumerate(prompt.examples, start=1):
        required = {name for name, optional in PLACEHOLDER.findall(f"{prompt.shared}\n{prompt.user}") if not optional}
        numbered = f"example {number} of {where}"
        _expect_keys(example.inputs, required=required, allowed=set(prompt.fields), where=numbered)
        _check_forms(prompt, example, numbered)
    return prompt


def _form(table: Mapping[str, Any], where: str) -> ReplyForm:
    _expect_keys(table, required={"closing", "reply"}, allowed={"closing", "reply"}, where=where)
    return ReplyForm(str(table["closing"]).strip(), str(table["reply"]).strip())


def _example(table: Mapping[str, Any], language: str) -> Example:
    inputs = {name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
              for name, value in table.items() if name != "reply"}  # fmt: skip
    if "reply" not in table:
        raise ValueError(f"an example of [{language}] has no reply")
    return Example(inputs, str(table["reply"]).strip())


def _check_placeholders(prompt: Prompt, where: str) -> None:
    """Refuse placeholders outside the parts that are filled, and grades that are not shown."""
    said = {"grades"} if prompt.grades else set()
    for part, allowed in (("instruction", said), ("closing", set[str]())):
        lines = getattr(prompt, part).splitlines()
        conditions = filter(None, map(CONDITION.match, lines)) if part == "instruction" else ()
        filled = allowed | ({found[1] for found in conditions} & set(prompt.fields))
        found = {name for name, _ in PLACEHOLDER.findall("\n".join(lines))}
        if unknown := sorted(found - filled):
            raise ValueError(
                f"{where} has {{{unknown[0]}}} in `{part}`, which is not filled; put inputs in `user` or `shared`"
            )
    if prompt.grades and "{grades}" not in prompt.instruction:
        raise ValueError(f"{where} has `grades`, but its `instruction` does not say where: it lacks {{grades}}")


def _check_forms(prompt: Prompt, example: Example, where: str) -> None:
    for name, form in prompt.forms.items():
        try:
            form.rewrite(example.reply)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"the reply of {where} cannot be written in the form {name}: {error}") from error


def _expect_keys(table: Mapping[str, Any], *, required: Collection[str], allowed: Collection[str], where: str) -> None:
    if lacking := sorted(set(required) - set(table)):
        raise ValueError(f"{where} lacks {', '.join(lacking)}")
    if unknown := sorted(set(table) - set(allowed)):
        raise ValueError(f"{where} has {', '.join(unknown)}, expected only {', '.join(sorted(allowed))}")
