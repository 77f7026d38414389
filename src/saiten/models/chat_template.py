"""How messages become the tokens that a local model reads, and why no text from outside can play a role of its own.

A tokeniser's chat template writes control tokens around the messages (`<|im_start|>user`). An answer that is to be
graded may hold the same characters. Here they stay characters: whatever a message holds, only the template writes
control tokens. A text without such characters gives the very tokens that `apply_chat_template` gives.
"""

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jinja2 import TemplateError

from saiten.models.roles import without_system
from saiten.protocols import Message

FALLBACK_TEMPLATE = (
    "{{ bos_token | default('', true) }}"
    "{% for message in messages %}"
    "### {{ message['role'] | capitalize }}:\n{{ message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token | default('', true) }}{% endif %}{{ '\n\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}### Assistant:\n{% endif %}"
)
"""For models without a chat template: the role's name, the text; what the assistant said ends with the end token.

Nothing but prose marks the roles, so an answer that writes `### System:` is told apart by its marked block only.
"""

_FAULTS = (TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What templates raise when they do not like the messages."""

_THINKING = frozenset({"<think>", "</think>"})
"""In what the assistant said they are left to the template, which may leave out old thinking."""


def with_template(tokenizer: Any) -> Any:
    """The same tokeniser; one without a chat template now has the fallback, and saves it with the model."""
    if not tokenizer.chat_template:
        tokenizer.chat_template = FALLBACK_TEMPLATE
    return tokenizer


class ChatTemplate:
    """A tokeniser's chat template, or the fallback, as a way from messages to tokens; for one thread at a time."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer`: one of the transformers library; it gets the fallback template if it has none."""
        self._tokenizer = with_template(tokenizer)
        self._controls = _control_tokens(tokenizer)
        self._hidden = {
            "system": _any_of(self._controls),
            "user": _any_of(self._controls),
            "assistant": _any_of(self._controls - _THINKING),
        }

    def ids(self, messages: Sequence[Message], *, answering: bool = True) -> list[int]:
        """The tokens of the messages; with `answering`, up to where the assistant begins to speak.

        A template that refuses a system message, or leaves it out, gets it at the head of the first user message; one
        that wants the roles to alternate gets neighbours of one role as one message.

        Raises:
            ValueError: the template cannot write these messages.
        """
        mark = secrets.token_hex(8)  # nobody can guess it, so no text can hold it
        hidden: list[str] = []

        def hide(match: re.Match[str]) -> str:
            hidden.append(match[0])
            return f"{mark}x{len(hidden) - 1}x"

        guarded = [Message(each.role, self._hidden[each.role].sub(hide, _whole(each.content))) for each in messages]
        text = self._rendered(guarded, answering=answering)
        ids: list[int] = []
        for piece in _pieces(text, f"{mark}x([0-9]+)x", hidden):
            ids += self._tokenizer.encode(piece, add_special_tokens=False, verbose=False)
        return ids

    def end_tokens(self, configured: int | Sequence[int] | None = None) -> tuple[int, ...]:
        """What ends an answer: the model's own tokens, the tokeniser's, and what the template writes behind one."""
        found = [configured] if isinstance(configured, int) else list(configured or ())
        found.append(self._tokenizer.eos_token_id)
        mark = secrets.token_hex(8)
        try:
            text = self._rendered([Message("user", "?"), Message("assistant", mark)], answering=False)
        except ValueError:
            text = ""
        behind = text.partition(mark)[2].lstrip()
        if ends := [token for token in self._controls if behind.startswith(token)]:
            found.append(self._tokenizer.convert_tokens_to_ids(max(ends, key=len)))
        return tuple(dict.fromkeys(token for token in found if token is not None))

    def _rendered(self, messages: Sequence[Message], *, answering: bool) -> str:
        try:
            text = self._written(messages, answering=answering)
            if all(each.content.strip() in text for each in messages if each.role == "system"):
                return text
        except _FAULTS:
            pass  # the plainer form may do
        try:
            return self._written(without_system(messages), answering=answering)
        except _FAULTS as error:
            raise ValueError(f"the model's chat template does not take these messages: {error}") from error

    def _written(self, messages: Sequence[Message], *, answering: bool) -> str:
        told = [{"role": each.role, "content": each.content} for each in messages]
        text: str = self._tokenizer.apply_chat_template(told, tokenize=False, add_generation_prompt=answering)
        return text


def _whole(text: str) -> str:
    """The text with a question mark for half a character (a lone surrogate), which no tokeniser takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _control_tokens(tokenizer: Any) -> frozenset[str]:
    """The texts read as control tokens: the special ones, and other added ones that the template writes."""
    added = tokenizer.added_tokens_decoder.values()
    special = {token.content for token in added if token.special} | set(tokenizer.all_special_tokens)
    written = {token.content for token in added if token.content in str(tokenizer.chat_template)}
    return frozenset(token for token in special | written if token.strip() and len(token) > 1)


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _pieces(text: str, mark: str, hidden: Sequence[str]) -> Iterator[str]:
    """The text in pieces to be tokenised one by one; a hidden control token comes in two, and so is none."""
    for n, part in enumerate(re.split(mark, text)):
        if n % 2:
            token = hidden[int(part)]
            yield from (token[:1], token[1:])
        elif part:
            yield part
