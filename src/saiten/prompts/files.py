"""Prompt files: one TOML file per prompt, English and Japanese side by side, checked on loading."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

from saiten.errors import ConfigurationError
from saiten.prompts.conversation import CONVERSATION
from saiten.prompts.prompt import CONDITION, PLACEHOLDER, Example, Prompt, PromptFrame, ReplyForm
from saiten.records import Language
from saiten.strict_parsing import strict_toml

FRAME = "frame"
"""The file of the texts that all prompts share."""

LANGUAGES: tuple[Language, ...] = get_args(Language)
_FRAME_KEYS = {"material", "system", "example", "reply", "task"}
_TEXTS = ("shared", "instruction", "closing", "user")
_LARGEST = 1 << 20
_KEYS = {*_TEXTS, "grades", "forms", "examples"}


class PromptFault(ValueError):
    """A fault in a prompt file, with texts that lead to its line: each is looked for after the one before."""

    def __init__(self, message: str, *trail: str) -> None:
        super().__init__(message)
        self.trail = trail


@cache
def load(name: str) -> Mapping[Language, Prompt]:
    """Load the built-in prompt of this name; raises ConfigurationError if its file is missing or faulty."""
    file = files(__package__).joinpath(f"{name}.toml")
    if name not in names():
        raise ConfigurationError(f"there is no prompt {name!r}: expected a file {file}; there are {', '.join(names())}")
    return read(file, LANGUAGES)


@cache
def load_frame(language: Language) -> PromptFrame:
    """Load the texts that all prompts share."""
    content = tomllib.loads(files(__package__).joinpath(f"{FRAME}.toml").read_text(encoding="utf-8"))
    _expect_keys(content[language], required=_FRAME_KEYS, allowed=_FRAME_KEYS, table=f"[{language}]")
    return PromptFrame(**{name: text.strip() for name, text in content[language].items()})


@cache
def names() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    there = (file.name for file in files(__package__).iterdir())
    return tuple(
        sorted({name.removesuffix(".toml") for name in there if name.endswith(".toml")} - {FRAME, CONVERSATION})
    )


def read(
    file: Traversable, languages: Collection[Language] = (), compare: Callable[[Language, Prompt], None] | None = None
) -> Mapping[Language, Prompt]:
    """Read the prompts in one file, which must have at least these languages.

    `compare` may raise PromptFault; it is called before the examples are checked, since a misspelled placeholder
    would make all of them look faulty.

    Raises:
        ConfigurationError: the text names file, line and fault.
    """
    try:
        if isinstance(file, Path) and file.stat().st_size > _LARGEST:
            raise ConfigurationError(f"{file}: larger than {_LARGEST >> 20} MiB; expected a prompt")
        text = file.read_text(encoding="utf-8")
        content = strict_toml(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"(.*) \(at line (\d+), column \d+\)", str(error))
        place, fault = (f"{file}:{found[2]}", found[1]) if found else (str(file), str(error))
        raise ConfigurationError(f"{place}: this is not TOML: {fault}") from error
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or nested too deeply
        raise ConfigurationError(f"{file}: {error}") from error
    try:
        return dict(_prompts(content, languages, compare))
    except PromptFault as fault:
        raise fault_in_file(file, fault, text) from fault


def fault_in_file(file: Traversable, fault: PromptFault, text: str) -> ConfigurationError:
    """Return the error with file and line: of the last text of the trail that can be found."""
    lines, at = text.splitlines(), -1
    for wanted in fault.trail:
        after = at + wanted.startswith("[")  # a key may have its fault on the same line
        at = next((n for n, line in enumerate(lines) if n >= after and _leads_to(line, wanted)), at)
    return ConfigurationError(f"{file}:{at + 1}: {fault}" if at >= 0 else f"{file}: {fault}")


def _leads_to(line: str, wanted: str) -> bool:
    """Return whether the line is the wanted table, assigns the wanted key (`key =`), or has the wanted text."""
    if wanted.startswith("["):
        return line.strip() == wanted
    if wanted.endswith(" ="):
        return re.match(rf"\s*{re.escape(wanted[:-2])}\s*=", line) is not None
    return wanted in line


def _prompts(
    content: Mapping[str, Any], languages: Collection[Language], compare: Callable[[Language, Prompt], None] | None
) -> Iterator[tuple[Language, Prompt]]:
    _expect_keys(content, required=languages, allowed=LANGUAGES, table="the file")
    if not content:
        raise PromptFault(f"the file is empty; expected [{'] or ['.join(sorted(LANGUAGES))}]")
    for language in (each for each in LANGUAGES if each in content):
        prompt = _prompt(content[language], f"[{language}]")
        if compare is not None:
            compare(language, prompt)
        _check_examples(prompt, f"[{language}]")
        yield language, prompt


def _prompt(table: Any, where: str) -> Prompt:
    _expect(table, Mapping, "a table", where)
    _expect_keys(table, required=(), allowed=_KEYS, table=where)
    if not table.keys() & {"user", "shared"}:
        raise PromptFault(f"{where} lacks user, the place for the inputs", where)
    for key in _TEXTS:
        _expect(table.get(key, ""), str, "a text", where, key)
    examples = _expect(table.get("examples", []), list, f"tables [[{where[1:-1]}.examples]]", where, "examples")
    forms = _expect(table.get("forms", {}), Mapping, f"tables [{where[1:-1]}.forms.NAME]", where, "forms")
    prompt = Prompt(
        **{key: table[key].strip() for key in _TEXTS if key in table},
        grades=tuple(map(str, _expect(table.get("grades", []), list, "a list of texts", where, "grades"))),
        forms={name: _form(form, f"[{where[1:-1]}.forms.{name}]") for name, form in forms.items()},
        examples=tuple(_example(example, where, number) for number, example in enumerate(examples, start=1)),
    )
    _check_placeholders(prompt, where)
    return prompt


def _check_examples(prompt: Prompt, where: str) -> None:
    """Refuse examples that lack an input, have another one, or whose reply does not fit a form."""
    for number, example in enumerate(prompt.examples, start=1):
        said, trail = f"example {number} of {where}", trail_of_example(where, number)
        _expect_keys(example.inputs, required=prompt.required, allowed=prompt.fields, table=said, trail=trail)
        _check_forms(prompt, example, said, trail)


def trail_of_example(where: str, number: int) -> tuple[str, ...]:
    """Return the trail that leads to an example of the table `[en]`, counted from 1."""
    return (where, *(f"[[{where[1:-1]}.examples]]",) * number)


def _form(table: Mapping[str, Any], where: str) -> ReplyForm:
    _expect_keys(table, required={"closing", "reply"}, allowed={"closing", "reply"}, table=where)
    return ReplyForm(str(table["closing"]).strip(), str(table["reply"]).strip())


def _example(table: Mapping[str, Any], where: str, number: int) -> Example:
    inputs = {name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
              for name, value in table.items() if name != "reply"}  # fmt: skip
    if "reply" not in table:
        raise PromptFault(f"example {number} of {where} has no reply", *trail_of_example(where, number))
    return Example(inputs, str(table["reply"]).strip())


def _check_placeholders(prompt: Prompt, where: str) -> None:
    """Refuse placeholders outside the parts that are filled, optional ones within a line, and grades not shown."""
    said = {"grades"} if prompt.grades else set()
    conditions = filter(None, map(CONDITION.match, prompt.instruction.splitlines()))
    said |= {found[1] for found in conditions if found[1] in prompt.fields}
    for part, allowed in (("instruction", said), ("closing", set[str]())):
        for name, _ in PLACEHOLDER.findall(getattr(prompt, part)):
            if name not in allowed:
                advice = "add `grades`, a list" if name == "grades" else "put it in `user` or `shared`"
                raise PromptFault(
                    f"{where} has {{{name}}} in `{part}`, where no input is filled in; {advice}",
                    where,
                    f"{part} =",
                    f"{{{name}",
                )
    if prompt.grades and "{grades}" not in prompt.instruction:
        raise PromptFault(
            f"{where} has `grades`, but no place for them; put {{grades}} in `instruction`", where, "grades ="
        )
    for line in prompt.inputs.splitlines():
        if "?}" in line and PLACEHOLDER.search(line) and not PLACEHOLDER.fullmatch(line):
            raise PromptFault(
                f"{where} has an optional input within a line, {line.strip()!r}; put it on a line of its own",
                where,
                line,
            )


def _check_forms(prompt: Prompt, example: Example, where: str, trail: Sequence[str]) -> None:
    for name, form in prompt.forms.items():
        try:
            form.rewrite(example.reply)
        except (ValueError, KeyError, TypeError) as error:
            raise PromptFault(
                f"the reply of {where} cannot be written in the form {name}: {error}; expected JSON with the fields "
                f"in {form.reply!r}",
                *trail,
                "reply =",
            ) from error


def _expect(value: Any, kind: type, what: str, where: str, key: str = "") -> Any:
    if not isinstance(value, kind):
        trail = (where, f"{key} =") if key else (where,)
        raise PromptFault(f"{f'`{key}` of ' if key else ''}{where} must be {what}, not {value!r}", *trail)
    return value


def _expect_keys(
    found: Mapping[str, Any],
    *,
    required: Collection[str],
    allowed: Collection[str],
    table: str,
    trail: Sequence[str] | None = None,
) -> None:
    """Refuse a table that lacks keys or has unknown ones."""
    trail = (table,) if trail is None else trail
    if lacking := sorted(set(required) - set(found)):
        raise PromptFault(f"{table} lacks {', '.join(lacking)}", *trail)
    if unknown := sorted(set(found) - set(allowed)):
        near = get_close_matches(unknown[0], allowed, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"expected only {', '.join(sorted(allowed))}"
        places = (f"[{unknown[0]}]",) if table == "the file" else (*trail, f"{unknown[0]} =")
        raise PromptFault(f"{table} has `{unknown[0]}`; {hint}", *places)
