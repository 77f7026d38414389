"""Prompts of one's own: a folder of files that replace built-in prompts, or a folder that comes with saiten.

A folder may hold some of the prompts, and one of two languages of each; all others stay as they are.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from saiten.errors import ConfigurationError
from saiten.prompts.files import PromptFault, load, names, read, trail_of_example
from saiten.prompts.library import BUILT_IN, Prompts
from saiten.prompts.prompt import Prompt
from saiten.records import Language


def find_prompts(named: str | Path | None) -> Prompts:
    """Return saiten's prompts with those of a preset or a folder in their place; None for saiten's alone.

    Raises:
        ConfigurationError: there is no such preset or folder, or one of its files is faulty; the text names the line.
    """
    if named is None:
        return BUILT_IN
    return Prompts({name: _read_replacement(name, file) for name, file in files_in(named).items()})


def files_in(named: str | Path | None) -> Mapping[str, Traversable]:
    """Return the files of a preset or a folder by the name of the prompt; None for saiten's own.

    Raises:
        ConfigurationError: there is no such preset or folder, or it holds no prompt.
    """
    if named is None:
        return {name: files(__package__) / f"{name}.toml" for name in names()}
    folder = _folder(named)
    found = {file.name.removesuffix(".toml"): file for file in folder.iterdir() if file.name.endswith(".toml")}
    if not found:
        raise ConfigurationError(
            f"{folder} holds no prompts (NAME.toml); `saiten prompts copy {folder}` copies saiten's there, to be edited"
        )
    return dict(sorted(found.items()))


def presets() -> tuple[str, ...]:
    """Return the names of the folders that come with saiten, sorted."""
    return tuple(sorted(folder.name for folder in (files(__package__) / "presets").iterdir() if folder.is_dir()))


def about(preset: str) -> str:
    """Return what a preset is, in a sentence."""
    return (files(__package__) / "presets" / preset / "about.txt").read_text(encoding="utf-8").strip()


def about_prompt(name: str) -> str:
    """Return what a built-in prompt is given and asks for, in a sentence: the first line of its file."""
    return files_in(None)[name].read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")


def _folder(named: str | Path) -> Traversable:
    if str(named) in presets():
        return files(__package__) / "presets" / str(named)
    folder = Path(named).expanduser()
    if not folder.is_dir():
        near = get_close_matches(str(named), presets(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"the presets are {', '.join(presets())}"
        raise ConfigurationError(
            f"{named}: there is no such folder of prompts; {hint} (`saiten prompts copy FOLDER` makes one to edit)"
        )
    return folder


def _read_replacement(name: str, file: Traversable) -> Mapping[Language, Prompt]:
    """Read a file and compare it with the built-in prompt of this name."""
    if name not in names():
        near = get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}.toml?" if near else "`saiten prompts` lists the names"
        raise ConfigurationError(f"{file}: there is no prompt of this name; {hint}")
    return read(file, compare=partial(_compare, name))


def _compare(name: str, language: Language, prompt: Prompt) -> None:
    """Refuse a prompt that could not replace the built-in one of this name."""
    for compare in (_compare_inputs, _compare_parts, _compare_examples):
        compare(prompt, load(name)[language], f"[{language}]")


def _compare_inputs(prompt: Prompt, built_in: Prompt, where: str) -> None:
    """Refuse a prompt that shows inputs that there are not, or leaves out one that is needed."""
    for name in prompt.fields:
        if name not in built_in.fields:
            near = get_close_matches(name, built_in.fields, n=1)
            there = ", ".join(f"{{{field}}}" for field in built_in.fields)
            hint = f"did you mean {{{near[0]}}}?" if near else f"this prompt is given {there}"
            raise PromptFault(f"{where} has {{{name}}}, which this prompt is not given; {hint}", where, f"{{{name}")
    for name in built_in.fields:
        if name not in prompt.fields:
            placeholder = f"{{{name}}}" if name in built_in.required else f"{{{name}?}}"
            raise PromptFault(f"{where} lacks {placeholder}; put it on a line of its own in `user` or `shared`", where)


def _compare_parts(prompt: Prompt, built_in: Prompt, where: str) -> None:
    """Refuse a prompt without instruction or without one of the forms of the reply."""
    for part in ("instruction", "closing"):
        if getattr(built_in, part) and not getattr(prompt, part):
            raise PromptFault(f"{where} lacks `{part}`; copy it from saiten's prompt, or write your own", where)
    for form in built_in.forms:
        if form not in prompt.forms:
            raise PromptFault(
                f"{where} lacks the form {form}; add a table [{where[1:-1]}.forms.{form}] with closing and reply", where
            )


def _compare_examples(prompt: Prompt, built_in: Prompt, where: str) -> None:
    """Refuse examples with a text in the place of a list, or the other way round."""
    kinds = {name: type(value) for example in built_in.examples for name, value in example.inputs.items()}
    words = {tuple: "a list of texts", str: "a text", int: "a whole number"}
    for number, example in enumerate(prompt.examples, start=1):
        for name, value in example.inputs.items():
            if name in kinds and not isinstance(value, kinds[name]):
                raise PromptFault(
                    f"`{name}` in example {number} of {where} must be {words[kinds[name]]}",
                    *trail_of_example(where, number),
                    f"{name} =",
                )
