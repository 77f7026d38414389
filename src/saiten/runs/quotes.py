"""Prices as lines of `prices.jsonl`: what the costs of a run were computed with, and where that is from."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.prices import Price, Quote, Tier


def quote_to_json(quote: Quote) -> dict[str, Any]:
    """Return the model, its price per million tokens, the currency, the source and, if known, the source's date."""
    price = {} if quote.price is None else asdict(quote.price, dict_factory=_known)
    found = {"model": quote.model, **price, "currency": quote.currency, "source": quote.source, "date": quote.date}
    return {name: value for name, value in found.items() if name not in ("tiers", "date") or value}


def _known(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if value is not None}


def quote_from_json(value: Mapping[str, Any]) -> Quote | None:
    """Return the price in a line; None if it has none."""
    model, source, date, currency = (str(value.get(name, "")) for name in ("model", "source", "date", "currency"))
    try:
        tiers = tuple(Tier(**tier) for tier in value.get("tiers", ()))
        price = Price(value["prompt"], value["completion"], tiers, value.get("cached"))
        return Quote(price, model, source, date, currency)
    except (KeyError, TypeError, ConfigurationError):
        return None
