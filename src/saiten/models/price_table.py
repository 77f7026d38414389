"""Prices listed in genai-prices, an optional package; imported when a price is looked up, and never updated from here.

A model matches by the table's own rules, of its own provider only, so a model that the table does not know has no
price. Where the table leaves room, the higher price is taken, so that a cost is never understated.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from saiten.models.prices import Price, Quote, Tier

CURRENCY = "USD"
"""The currency of the table."""

_PACKAGE = "genai-prices"

_UNUSED = re.compile(r"cache|searches|audio|image|video|document")
"""Prices of what a text request without tools does not use."""


def listed(provider: str, model: str, name: str, now: datetime | None = None) -> Quote:
    """Return the listed price of a provider's model, or why there is none.

    Args:
        provider: As the table names it; `listed` in providers.toml.
        model: As the provider names it.
        name: The full name, for the quote.
        now: The time of the requests; by default the present.
    """
    try:
        providers = import_module("genai_prices.data_snapshot").get_snapshot().providers
    except ImportError:
        return Quote(model=name, unknown="no_table")
    source = f"{_PACKAGE} {version(_PACKAGE)}"
    now = now or datetime.now(UTC)
    own = next((one for one in providers if one.id == provider), None)
    found = own.find_model(model) if own is not None else None
    prices = [] if found is None else _prices(found, now)
    if not prices:
        return Quote(model=name, source=source, unknown="not_listed")
    return Quote(max(prices, key=_height), name, source, _newest_change(providers, now.date()))


def _prices(model: Any, now: datetime) -> list[Price]:
    """Return the prices of the next 24 hours, some of which depend on the hour; none if one cannot be computed."""
    hours = [model.get_prices(now + timedelta(hours=hour)) for hour in range(24)]
    prices = [_price({key: rate for key, rate in vars(one).items() if rate is not None}, model.id) for one in hours]
    return [price for price in prices if price is not None] if None not in prices else []


def _price(rates: Mapping[str, Any], model: str) -> Price | None:
    """Return the price of a text request; None if it also depends on something other than its tokens.

    Providers that cache prompts on their own may charge more for what they write to the cache than for the rest of a
    prompt; usage does not say how much that is, so all of it that was not read from the cache counts. Claude's cache is
    only written on request.
    """
    counted = {"input_mtok", "output_mtok", "cache_read_mtok"}
    if "input_mtok" not in rates or any(key not in counted and not _UNUSED.search(key) for key in rates):
        return None
    prompts = [rates["input_mtok"]]
    if "cache_write_mtok" in rates and "claude" not in model:
        prompts.append(rates["cache_write_mtok"])
    completion = rates.get("output_mtok", 0)  # an embedder writes nothing
    cached = rates.get("cache_read_mtok")
    starts = sorted({tier.start for rate in (*prompts, completion, cached) for tier in getattr(rate, "tiers", ())})

    def level(above: int) -> tuple[float, float, float | None]:
        prompt = max(_at(rate, above) for rate in prompts)
        return prompt, _at(completion, above), None if cached is None else _at(cached, above)

    prompt, answer, read = level(-1)
    return Price(prompt, answer, tuple(Tier(at, *level(at)) for at in starts), read)


def _at(rate: Any, above: int) -> float:
    """Return the price of a request with more prompt tokens than this."""
    tiers = [tier.price for tier in getattr(rate, "tiers", ()) if tier.start <= above]
    return float(tiers[-1] if tiers else getattr(rate, "base", rate))


def _height(price: Price) -> tuple[float, float, float]:
    return price.prompt, price.completion, price.prompt if price.cached is None else price.cached


def _newest_change(providers: Iterable[Any], today: date) -> str:
    """Return the date of the newest price change; the package does not contain its own date.

    Changes that had not begun when the package was installed do not count: they were announced, and say nothing about
    the age of the table.
    """
    until = min(today, _installed())
    starts = (
        getattr(entry.constraint, "start_date", date.max)
        for provider in providers
        for model in provider.models
        if isinstance(model.prices, list)
        for entry in model.prices
    )
    return str(max((start for start in starts if start <= until), default=""))


def _installed() -> date:
    file = import_module("genai_prices.data").__file__
    return datetime.fromtimestamp(Path(file).stat().st_mtime, UTC).date() if file else date.max
