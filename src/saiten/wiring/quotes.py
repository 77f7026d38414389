"""The price of a model by its name: from `saiten.toml`, else from the price table if its provider serves it."""

import os
from collections.abc import Mapping
from dataclasses import replace

from saiten.judges.support.named import PREFIX
from saiten.models.address import on_this_machine, parse_url
from saiten.models.endpoint import Endpoint
from saiten.models.price_table import CURRENCY, listed
from saiten.models.prices import TOML, Price, Quote, bare_name, find_price
from saiten.models.providers import Provider, providers
from saiten.settings import CallSettings
from saiten.wiring.addresses import CHATS_HERE, ModelName, parse_name, price_name


def quote_of(spec: str, calls: CallSettings, environ: Mapping[str, str] = os.environ) -> Quote:
    """Return the price of a chat model by its name as typed; needs no key, for dry runs.

    Raises:
        ConfigurationError: a price in the settings, or the address, is unusable.
    """
    spec = spec.strip()
    if spec.startswith((*CHATS_HERE, PREFIX)):
        return Quote(Price(0.0), spec)
    named = parse_name(spec)
    url = named.url(environ) if named is not None else ""
    if named is None or not url:
        return quote_at(price_name(spec), "", calls)
    quote = quote_at(Endpoint(named.model, url, provider=named.provider).name, url, calls)
    return batch_quote(quote, named.provider, url, calls) if calls.batched else quote


def batch_quote(quote: Quote, provider: Provider, url: str, calls: CallSettings) -> Quote:
    """Return the price of a batched request: the usual one times the factor that is set, or that the provider has."""
    factor = calls.batch_price
    if factor is None:
        factor = provider.batch_price if provider.owns(url) and not calls.batch_files else 1.0
    if quote.price is None or factor == 1.0:
        return quote
    return replace(quote, price=quote.price.times(factor), source=f"{quote.source} × {factor:g} for batches".strip())


def quote_at(name: str, url: str, calls: CallSettings) -> Quote:
    """Return the price of a model on a server: as set, else as listed for the provider whose own server it is.

    Args:
        name: The full name, `openai:MODEL` or `openai:MODEL@URL`.
        url: The server. Its host decides, so that a model on a server of your own never gets a provider's price.
        calls: The prices and the currency that are set.

    Raises:
        ConfigurationError: a price in the settings is unusable.
    """
    price = find_price(calls.prices, name)
    if price is not None:
        return Quote(price, name, TOML, currency=calls.currency)
    named = parse_name(name)
    if named is not None and _is_free(named, url):
        return Quote(Price(0.0), name)
    listed_by = _lister(named, url)
    if not listed_by:
        return Quote(model=name, currency=calls.currency)
    if calls.currency != CURRENCY:
        return Quote(model=name, currency=calls.currency, unknown="currency")
    return listed(listed_by, bare_name(name), name)


def _is_free(named: ModelName, url: str) -> bool:
    """Return whether the model runs on this machine; Ollama passes some on to its cloud."""
    return named.provider.free and on_this_machine(parse_url(url).host) and not named.model.endswith("cloud")


def _lister(named: ModelName | None, url: str) -> str:
    """Return what the table calls the provider whose own server this is; "" for any other server."""
    host = (parse_url(url).host or "").lower()
    if named is not None and named.provider.owns(url):
        return named.provider.listed
    return next((one.listed for one in providers().values() if one.listed and parse_url(one.url).host == host), "")
