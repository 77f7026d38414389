"""Prices per million tokens, from the config; none are shipped, since they go stale."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Self

from saiten.errors import ConfigurationError
from saiten.records import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price per million tokens; 0 for your own model."""

    prompt: float
    completion: float = 0.0

    def __post_init__(self) -> None:
        if not all(isfinite(price) and price >= 0 for price in (self.prompt, self.completion)):
            raise ConfigurationError(f"a price must be a number of at least 0 per million tokens, got {self}")

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost of these tokens, ignoring rebates for cached prompts."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6

    def priced(self, usage: Usage) -> Usage:
        """Return the usage with its cost; calls without reported tokens stay unpriced."""
        if not usage.unpriced or not usage.prompt_tokens + usage.completion_tokens:
            return usage
        cost = usage.cost + self.of(usage.prompt_tokens, usage.completion_tokens)
        return replace(usage, cost=cost, unpriced=0)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of several models in one currency."""

    prices: Mapping[str, Price]
    """By model, such as `gpt-4o-mini` (on any server), or by full name, `openai:gpt-4o-mini@URL`."""
    currency: str = "USD"

    @classmethod
    def read(cls, models: Mapping[str, Any], currency: str = "USD") -> Self:
        """Read a config such as `{"gpt-4o-mini": {"prompt": 0.15, "completion": 0.6}}`, per million tokens.

        Raises:
            ConfigurationError: a price is not a number, is negative, or has an unknown key.
        """
        return cls({model: _read_price(model, entry) for model, entry in models.items()}, currency)

    def find(self, name: str) -> Price | None:
        """Return the price for this name: by full name, else by the model alone; None if neither is listed."""
        model = name.partition(":")[2].partition("@http")[0]
        return self.prices.get(name, self.prices.get(model))


def _read_price(model: str, entry: Any) -> Price:
    numbers = entry if isinstance(entry, Mapping) else {}
    fits = all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers.values())
    if not fits or not {"prompt"} <= set(numbers) <= {"prompt", "completion"}:
        raise ConfigurationError(
            f"the price of {model!r} should look like {{prompt = 0.15, completion = 0.6}} (per million tokens), "
            f"got {entry!r}"
        )
    return Price(**numbers)
