"""The price of a model by its name: from `saiten.toml`, else from the price table if its provider serves it."""

import os
from collections.abc import Mapping

from saiten.models.address import Endpoint, parse_url
from saiten.models.price_table import CURRENCY, PROVIDERS, listed
from saiten.models.prices import TOML, Price, Quote, bare_name, find_price
from saiten.settings import CallSettings
from saiten.wiring.addresses import HERE, price_name, url_of


def quote_of(spec: str, calls: CallSettings, environ: Mapping[str, str] = os.environ) -> Quote:
    """Return the price of a chat model by its name as typed; needs no key, for dry runs.

    Raises:
        ConfigurationError: a price in the settings, or the address, is unusable.
    """
    spec = spec.strip()
    if spec.startswith(HERE):
        return Quote(Price(0.0), spec)
    url = url_of(spec, environ)
    return quote_at(price_name(spec), "", calls) if url is None else quote_at(_name(spec, url), url, calls)


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
    provider = PROVIDERS.get((parse_url(url).host or "").lower())
    if provider is None:
        return Quote(model=name, currency=calls.currency)
    if calls.currency != CURRENCY:
        return Quote(model=name, currency=calls.currency, unknown="currency")
    return listed(provider, bare_name(name), name)


def _name(spec: str, url: str) -> str:
    return Endpoint(bare_name(price_name(spec)), url).name
