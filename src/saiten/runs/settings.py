"""The settings of a run: one record for every kind of run and every entry point."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.errors import ConfigurationError
from saiten.redaction import redact_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings that all results of a run share; a run is resumed with the same settings or not at all.

    Settings that change no figure (concurrency, budget, progress) are not included.
    """

    data: str | None = None
    """The name of the file; None for samples that are not from a file."""
    judge: Mapping[str, Any] = field(default_factory=dict)
    """`JudgeSettings.kept()`, or the name of a custom judge under `judge`."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Field → column, as given."""
    language: str | None = None
    """The language of all samples; None to detect it per sample."""
    currency: str = "USD"
    more: Mapping[str, Any] = field(default_factory=dict)
    """Settings specific to this kind of run, ready for JSON: a system under test, a number of turns."""

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a manifest stores them: flat, without secrets, and with JSON's types.

        Raises:
            ConfigurationError: They cannot be written as JSON.
        """
        common = {"columns": dict(self.columns), "language": self.language or "detected", "currency": self.currency}
        try:
            text = json.dumps({"data": self.data, **self.judge, **common, **self.more}, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"the settings of a run must be ready for JSON: {error}") from error
        settings: dict[str, Any] = redact_settings(json.loads(text))
        return settings
