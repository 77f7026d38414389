"""From messages to the tokens of a local model, safe against control tokens in untrusted text.

A tokenizer's chat template writes control tokens around the messages (`<|im_start|>user`). An answer to be graded may
contain the same characters. Here they stay characters: only the template writes control tokens, whatever a message
contains. Text without such characters yields exactly the tokens of `apply_chat_template`.
"""

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jinja2 import TemplateError

from saiten.models.faults import without_system
from saiten.protocols import ChatMessage

FALLBACK_TEMPLATE = (
    "{{ bos_token | default('', true) }}"
    "{% for message in messages %}"
    "### {{ message['role'] | capitalize }}:\n{{ message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token | default('', true) }}{% endif %}{{ '\n\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}### Assistant:\n{% endif %}"
)
"""For models without a chat template: the role's name, then the text; assistant messages end with the end token.

Only plain text marks the roles, so `### System:` in an answer is recognized only by its marked block.
"""

_FAULTS = (TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""Exceptions that templates raise when they reject messages."""

_THINKING = frozenset({"<think>", "</think>"})
"""Left to the template in assistant messages, since it may strip old thinking."""


def with_template(tokenizer: Any) -> Any:
    """Return the tokenizer, with the fallback template set (and saved with the model) if it has none."""
    if not tokenizer.chat_template:
        tokenizer.chat_template = FALLBACK_TEMPLATE
    return tokenizer


class ChatTemplate:
    """A tokenizer's chat template, or the fallback, as a conversion from messages to tokens; not thread-safe."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer`: from the transformers library; gets the fallback template if it has none."""
        self._tokenizer = with_template(tokenizer)
        self._controls = _control_tokens(tokenizer)
        self._normalized = _normalized_tokens(tokenizer, self._controls)
        self._hidden = {
            "system": _any_of(self._controls),
            "user": _any_of(self._controls),
            "assistant": _any_of(self._controls - _THINKING),
        }

    def ids(self, messages: Sequence[ChatMessage], *, answering: bool = True) -> list[int]:
        """Return the tokens of the messages; with `answering`, up to where the assistant's turn begins.

        If the template rejects or drops a system message, its text opens the first user message; if the roles must
        alternate, adjacent messages of one role are merged.

        Raises:
            ValueError: the template rejects these messages.
        """
        mark = secrets.token_hex(8)  # unguessable, so that no text contains it
        hidden: list[str] = []

        def hide(token: str) -> str:
            hidden.append(token)
            return f"{mark}x{len(hidden) - 1}x"

        def guard(message: ChatMessage) -> ChatMessage:
            text = self._hidden[message.role].sub(lambda match: hide(match[0]), _whole(message.content))
            for start, end in reversed(self._look_alikes(text)):
                text = text[:start] + "".join(map(hide, text[start:end])) + text[end:]
            return ChatMessage(message.role, text)

        guarded = list(map(guard, messages))
        text = self._rendered(guarded, answering=answering)
        ids: list[int] = []
        for piece in _pieces(text, f"{mark}x([0-9]+)x", hidden):
            ids += self._tokenizer.encode(piece, add_special_tokens=False, verbose=False)
        return ids

    def end_tokens(self, configured: int | Sequence[int] | None = None) -> tuple[int, ...]:
        """Return the tokens that end an answer: the model's, the tokenizer's, and those the template writes."""
        found = [configured] if isinstance(configured, int) else list(configured or ())
        found.append(self._tokenizer.eos_token_id)
        mark = secrets.token_hex(8)
        try:
            text = self._rendered([ChatMessage("user", "?"), ChatMessage("assistant", mark)], answering=False)
        except ValueError:
            text = ""
        behind = text.partition(mark)[2].lstrip()
        if ends := [token for token in self._controls if behind.startswith(token)]:
            found.append(self._tokenizer.convert_tokens_to_ids(max(ends, key=len)))
        return tuple(dict.fromkeys(token for token in found if token is not None))

    def _look_alikes(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the spans that the tokenizer would normalize into a control token, such as `＜|im_end|>` by NFKC."""
        if not self._normalized:
            return ()
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        tokens = zip(found["input_ids"], found["offset_mapping"], strict=True)
        return [span for token, span in tokens if token in self._normalized]

    def _rendered(self, messages: Sequence[ChatMessage], *, answering: bool) -> str:
        try:
            text = self._written(messages, answering=answering)
            if all(each.content.strip() in text for each in messages if each.role == "system"):
                return text
        except _FAULTS:
            pass  # try again without a system message
        try:
            return self._written(without_system(messages), answering=answering)
        except _FAULTS as error:
            raise ValueError(f"the model's chat template does not take these messages: {error}") from error

    def _written(self, messages: Sequence[ChatMessage], *, answering: bool) -> str:
        plain = [{"role": each.role, "content": each.content} for each in messages]
        text: str = self._tokenizer.apply_chat_template(plain, tokenize=False, add_generation_prompt=answering)
        return text


def _whole(text: str) -> str:
    """Replace lone surrogates, which no tokenizer accepts, with question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _control_tokens(tokenizer: Any) -> frozenset[str]:
    """Return the texts read as control tokens: special tokens, and other added ones that the template writes."""
    added = tokenizer.added_tokens_decoder.values()
    special = {token.content for token in added if token.special} | set(tokenizer.all_special_tokens)
    written = {token.content for token in added if token.content in str(tokenizer.chat_template)}
    return frozenset(token for token in special | written if token.strip() and len(token) > 1)


def _normalized_tokens(tokenizer: Any, controls: frozenset[str]) -> frozenset[int]:
    """Return the control tokens that are looked for in normalized text; only fast tokenizers normalize first."""
    if not tokenizer.is_fast:
        return frozenset()
    added = tokenizer.added_tokens_decoder.items()
    return frozenset(number for number, token in added if token.normalized and token.content in controls - _THINKING)


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def _pieces(text: str, mark: str, hidden: Sequence[str]) -> Iterator[str]:
    """Yield the pieces to tokenize one by one; a hidden control token is split in two, which makes it plain text."""
    for n, part in enumerate(re.split(mark, text)):
        if n % 2:
            token = hidden[int(part)]
            yield from (token[:1], token[1:])
        elif part:
            yield part
