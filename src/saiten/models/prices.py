"""Prices of models, each quoted with its source, so that a cost can be traced."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.records import Usage
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class Tier:
    """The price per million tokens of a request with a long prompt; it applies to all tokens of the request."""

    above: int
    """The prompt has more tokens than this."""
    prompt: float
    completion: float
    cached: float | None = None
    """As for `Price`."""


_DEAREST = 1_000_000_000_000
"""Per million tokens, in any currency; sums of more could no longer be written down."""


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price per million tokens; 0 for your own model."""

    prompt: float
    completion: float = 0.0
    tiers: tuple[Tier, ...] = ()
    """Surcharges for long prompts, in ascending order."""
    cached: float | None = None
    """For prompt tokens that the server had in its prompt cache; if None, they cost as much as the others."""

    def __post_init__(self) -> None:
        if not all(0 <= rate <= _DEAREST for rate in self._rates()):
            raise ConfigurationError(f"a price must be a number from 0 to {_DEAREST:,} per million tokens, got {self}")
        if any(lower.above >= higher.above for lower, higher in pairwise(self.tiers)):
            raise ConfigurationError(f"the tiers of a price must ascend, got {self}")

    @property
    def free(self) -> bool:
        """Whether every request costs nothing, however many tokens it has."""
        return not any(self._rates())

    def of(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost of one request; `cached_tokens`: how many of the prompt's tokens the server had cached."""
        level = next((tier for tier in reversed(self.tiers) if prompt_tokens > tier.above), self)
        cached = level.prompt if level.cached is None else level.cached
        prompt = (prompt_tokens - cached_tokens) * level.prompt + cached_tokens * cached
        return (prompt + completion_tokens * level.completion) / 1e6

    def times(self, factor: float) -> "Price":
        """Return the price with each rate multiplied."""

        def scaled(rate: float | None) -> float | None:
            return None if rate is None else rate * factor

        tiers = tuple(
            replace(tier, prompt=tier.prompt * factor, completion=tier.completion * factor, cached=scaled(tier.cached))
            for tier in self.tiers
        )
        return Price(self.prompt * factor, self.completion * factor, tiers, scaled(self.cached))

    def priced(self, usage: Usage) -> Usage:
        """Return the usage of one request with its cost; without reported tokens, only that of a free one is known."""
        if not usage.unpriced or not (usage.prompt_tokens + usage.completion_tokens or self.free):
            return usage
        cost = usage.cost + self.of(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        return replace(usage, cost=cost, unpriced=0)

    def _rates(self) -> list[float]:
        levels: tuple[Price | Tier, ...] = (self, *self.tiers)
        rates = (rate for level in levels for rate in (level.prompt, level.completion, level.cached))
        return [rate for rate in rates if rate is not None]


Unknown = Literal["own_server", "currency", "no_table", "not_listed"]
"""Why a price is unknown: the server has no listed prices; the table has another currency, is missing, or omits it."""

_PLACE = re.compile(r"@(?:https?://.*|[a-z][\w-]*)\Z", re.DOTALL)
"""An address, a resource or a region; a version, as in claude-opus-4@20250514, begins with a digit."""

TOML = "saiten.toml"
"""The source of a price that the user has set."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of a model and its source, or the reason why the price is unknown."""

    price: Price | None = None
    model: str = "the model"
    """The full name, without secrets: `openai:gpt-4o-mini`."""
    source: str = ""
    """`saiten.toml`, or the table with its version; "" for a model in this process."""
    date: str = ""
    """The date of the newest price change in the table, as `2026-11-09`; "" if there is no table, or no change."""
    currency: str = "USD"
    unknown: Unknown = "own_server"
    """The reason, if there is no price."""

    def sentence(self) -> Message:
        """Return a sentence with the price, its source and its date, or with the reason why it is unknown."""
        if self.price is None:
            known = {"model": self.model, "currency": self.currency, "table": self.source}
            return Message("price", self.unknown, **known)
        source = Message("price", "dated", source=self.source, date=self.date) if self.date else self.source
        first = self._costs("known", self.price, model=self.model, source=source)
        tiers = [self._costs("tier", one, above=f"{one.above:,}") for one in self.price.tiers]
        return joined([first, *tiers], "sentences")

    def _costs(self, key: str, level: Price | Tier, **more: Any) -> Message:
        rates = {"prompt": _rate(level.prompt), "completion": _rate(level.completion), "currency": self.currency}
        if level.cached is None:
            return Message("price", key, **more, **rates)
        return Message("price", f"{key}_cached", **more, **rates, cached=_rate(level.cached))


def _rate(value: float) -> str:
    """Return the price with two decimals, or more if it has more: `0.15`, `0.60`, `0.075`."""
    return f"{value:.2f}" if round(value, 2) == value else f"{value:.6g}"


def find_price(prices: Mapping[str, Any], name: str) -> Price | None:
    """Return the price of a model; None if it is not listed.

    Args:
        prices: By model, such as `gpt-4o-mini` (on any server), or by full name, `openai:gpt-4o-mini@URL`; each like
            `{"prompt": 0.15, "completion": 0.6, "cached": 0.075}`, per million tokens.
        name: The full name.

    Raises:
        ConfigurationError: any price is not a number, is negative, or has an unknown key.
    """
    table = {model: _read_price(model, entry) for model, entry in prices.items()}
    return table.get(name, table.get(bare_name(name)))


def bare_name(name: str) -> str:
    """Return the model of a full name: `gpt-4o-mini` of `openai:gpt-4o-mini@URL` or `azure:gpt-4o-mini@RESOURCE`."""
    return _PLACE.sub("", name.partition(":")[2])


def _read_price(model: str, entry: Any) -> Price:
    numbers = entry if isinstance(entry, Mapping) else {}
    fits = all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers.values())
    if not fits or not {"prompt"} <= set(numbers) <= {"prompt", "completion", "cached"}:
        raise ConfigurationError(
            f"the price of {model!r} should look like {{prompt = 0.15, completion = 0.6}} (per million tokens), with "
            f"cached = 0.075 if tokens in the server's prompt cache are cheaper; got {entry!r}"
        )
    return Price(**numbers)
