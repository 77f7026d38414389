"""The help in the language of the terminal; its English is in the commands, the Japanese in `words/texts/help.ja.po`."""

import re
from typing import Any

from saiten.words.terminal import help_in_terminal_language, terminal_language

_DEFAULT = re.compile(r"(?P<text>.*) Default:? (?P<default>\S+)\.", re.DOTALL)
"""What `unfold` appends to an option's help."""
_EXAMPLES = "Examples:\n"


def in_words(command: Any) -> Any:
    """Return the command with its help, and that of its options and subcommands, in the language of the terminal."""
    if terminal_language() == "en":
        return command
    for each in (command, *getattr(command, "commands", {}).values()):
        each.help = "\n\n".join(
            help_in_terminal_language(text) if own else _examples(text) for text, own in paragraphs(each.help or "")
        )
        for parameter in each.params:
            if getattr(parameter, "help", None):
                parameter.help = _option(parameter.help)
            if getattr(parameter, "rich_help_panel", None):
                parameter.rich_help_panel = help_in_terminal_language(parameter.rich_help_panel)
    return command


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
