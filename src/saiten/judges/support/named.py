"""The model and its settings as typed: `NAME_OR_FOLDER?support=LABEL&window=TOKENS&threshold=P`."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl

from saiten.errors import ConfigurationError

PREFIX = "nli:"
EXAMPLE = "nli:NAME_OR_FOLDER?support=LABEL"

_SETTINGS = re.compile(r"(?P<model>.*)\?(?P<settings>[a-z]+=[^?]*)", re.DOTALL)
_KNOWN = ("support", "window", "threshold")


@dataclass(frozen=True, slots=True)
class NamedNetwork:
    """A classifier and how to use it."""

    typed: str
    """Everything after `nli:`."""
    model: str
    """A folder, or a name on the Hugging Face hub."""
    support: str = ""
    """The label that means support, by name or number; "": by the names in the model's configuration."""
    window: int | None = None
    """Maximum tokens per window; None: 512, or the model's maximum if that is less."""
    threshold: float = 0.5
    """The probability from which a statement is supported."""

    @classmethod
    def read(cls, typed: str) -> Self:
        """Read what follows `nli:`; a folder of exactly this name has no settings, whatever its name contains.

        Raises:
            ConfigurationError: there is no model, or a setting is unknown or invalid.
        """
        found = None if os.path.isdir(os.path.expanduser(typed)) else _SETTINGS.fullmatch(typed)  # noqa: PTH111, PTH112 - never raise, however odd the name
        model, settings = (found["model"], _settings(typed, found["settings"])) if found else (typed, {})
        if not model.strip():
            raise ConfigurationError(
                f"{PREFIX} needs a model: {PREFIX}FOLDER, or {PREFIX}NAME as on the Hugging Face hub, such as "
                f"{PREFIX}MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7"
            )
        window, threshold = settings.get("window"), settings.get("threshold", "0.5")
        if window is not None and not re.fullmatch(r"[1-9]\d{0,5}", window):
            raise ConfigurationError(f"{PREFIX}{typed}: window is a number of tokens, not {window!r}")
        if not re.fullmatch(r"0?\.\d{1,9}", threshold) or not float(threshold):
            raise ConfigurationError(f"{PREFIX}{typed}: threshold is between 0 and 1, not {threshold!r}")
        return cls(typed, model, settings.get("support", ""), int(window) if window else None, float(threshold))


def _settings(typed: str, text: str) -> Mapping[str, str]:
    pairs = parse_qsl(text, keep_blank_values=True)
    for key, value in pairs:
        if key not in _KNOWN or not value.strip():
            raise ConfigurationError(
                f"{PREFIX}{typed}: expected settings such as {EXAMPLE}&window=512&threshold=0.5, got {key}={value}"
            )
    if len(dict(pairs)) < len(pairs):
        raise ConfigurationError(f"{PREFIX}{typed}: a setting is given twice; give it once")
    return dict(pairs)
