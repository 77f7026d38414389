"""The help in the language of the terminal; the Japanese is in `words/texts/help.ja.po`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from saiten.words import Message
from saiten.words.terminal import help_in_terminal_language, in_terminal_language, terminal_language

_DEFAULT = re.compile(r"(?P<text>.*) Default:? (?P<default>\S+)\.", re.DOTALL)
"""What `unfold` appends to an option's help."""
_EXAMPLES = "Examples:\n"
_UsageError: Any = typer.BadParameter.__mro__[1]
"""What all errors of the parser are derived from; typer has no public name for it."""
_FRAMES = (
    "arguments_panel_title",
    "commands_panel_title",
    "default_string",
    "errors_panel_title",
    "options_panel_title",
    "required_long_string",
    "rich_help",
)
"""Constants of `typer.rich_utils`, in lower case."""


def in_words(command: Any) -> Any:
    """Return the command with its help, and that of its options and subcommands, in the language of the terminal."""
    _fold_long_words()
    if terminal_language() == "en":
        return command
    _word_frames()
    for each in (command, *getattr(command, "commands", {}).values()):
        each.get_usage = _worded_usage(each)
        each.get_help_option = _worded_help_option(each)
        each.help = "\n\n".join(
            help_in_terminal_language(text) if own else _examples(text) for text, own in paragraphs(each.help or "")
        )
        for parameter in each.params:
            if getattr(parameter, "help", None):
                parameter.help = _option(parameter.help)
            if getattr(parameter, "rich_help_panel", None):
                parameter.rich_help_panel = help_in_terminal_language(parameter.rich_help_panel)
    return command


@contextmanager
def worded_errors() -> Iterator[None]:
    """Put what the parser refuses, such as `No such option`, into the language of the terminal."""
    try:
        yield
    except _UsageError as error:
        if terminal_language() == "en" or type(error).__name__ == "NoArgsIsHelpError":  # which has been shown
            raise
        _word_frames()
        raise _UsageError(in_terminal_language(error.format_message()), error.ctx) from error


def worded_usage(text: str) -> str:
    """Return the line `Usage: saiten …` in the language of the terminal."""
    return re.sub(r"^Usage: ", in_terminal_language(Message("parser", "usage")), text)


def _fold_long_words() -> None:
    """Let a help go on in the next line where a word is longer than its column; Japanese has no spaces to break at."""
    from typer import rich_utils

    class FoldingHighlighter(rich_utils.OptionHighlighter):
        def __call__(self, text: Any) -> Any:
            found = super().__call__(text)
            found.overflow = "fold"
            return found

    rich_utils.highlighter = FoldingHighlighter()


def _word_frames() -> None:
    """Word what typer writes around each help and error; its own translations are read before ours could be."""
    from typer import rich_utils

    for name in _FRAMES:
        setattr(rich_utils, name.upper(), in_terminal_language(Message("parser", name)))


def _worded_usage(command: TyperCommand) -> Any:
    make = command.get_usage
    return lambda ctx: worded_usage(make(ctx))


def _worded_help_option(command: TyperCommand) -> Any:
    make = command.get_help_option

    def made(ctx: Any) -> Any:
        found = make(ctx)
        if found is not None:
            found.help = in_terminal_language(Message("parser", "help"))
        return found

    return made


def paragraphs(text: str) -> list[tuple[str, bool]]:
    """Return the paragraphs of a command's help, and whether each is prose: examples are the same in all languages."""
    return [(each, not each.startswith(_EXAMPLES)) for each in text.split("\n\n") if each.strip()]


def without_default(text: str) -> str:
    """Return an option's help without the default that was appended to it."""
    found = _DEFAULT.fullmatch(text)
    return found["text"] if found else text


def _option(text: str) -> str:
    found = _DEFAULT.fullmatch(text)
    if found is None:
        return help_in_terminal_language(text)
    return f"{help_in_terminal_language(found['text'])}既定値：{found['default']}。"


def _examples(text: str) -> str:
    return f"{help_in_terminal_language(_EXAMPLES.strip())}\n{text.removeprefix(_EXAMPLES)}"
