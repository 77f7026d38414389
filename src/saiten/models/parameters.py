"""The parameters of a model as signatures show them: without secrets, and with what the server refused."""

import json
from collections.abc import Mapping
from typing import Any

from saiten.protocols import Chat
from saiten.redaction import HIDDEN, redact_headers, redact_options


def described(chat: Chat, options: Mapping[str, Any], headers: Mapping[str, str], **asked: str) -> dict[str, str]:
    """Return the parts of a signature for these parameters.

    A parameter that the server refused is `refused(VALUE)`; one that an option replaces is only among the `options`.
    Values of options and headers that may be secret are `***`.
    """
    refused = chat.left_out
    parts = {
        name: f"refused({value})" if name in refused and value not in ("default", "none") else value
        for name, value in asked.items()
        if name not in options
    }
    if options:
        parts["options"] = shown(redact_options(options))
    if headers:
        parts["headers"] = shown(redact_headers(headers))
    return parts


def shown(options: Mapping[str, Any]) -> str:
    """Return `reasoning_effort=low, top_k=5`: texts as they are, other values as JSON."""
    return ", ".join(f"{name}={_value(value)}" for name, value in sorted(options.items()))


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if text == HIDDEN else text.replace("|", "\\u007c")  # which separates the parts of a signature
