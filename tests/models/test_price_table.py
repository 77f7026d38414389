"""The listed prices: the table's own figures, never those of a similar model, never too low."""

import re
import socket
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version

import pytest

genai_prices = pytest.importorskip("genai_prices", reason="the price table is an extra: pip install 'saiten[prices]'")

from genai_prices.data_snapshot import get_snapshot  # noqa: E402 - after the check
from genai_prices.types import (  # noqa: E402 - likewise
    ClauseEquals,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    Provider,
    StartDateConstraint,
    TimeOfDateConstraint,
)

from saiten.models import price_table  # noqa: E402 - likewise
from saiten.models.price_table import listed  # noqa: E402 - likewise
from saiten.models.prices import Price  # noqa: E402 - likewise
from saiten.models.providers import providers  # noqa: E402 - likewise

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SIZES = (1, 1_000, 100_001, 199_999, 200_000, 200_001, 272_001, 900_000)
"""Prompt tokens on either side of the usual thresholds."""

LOADS = tuple((size, cached) for size in SIZES for cached in (0, size // 3, size))
"""The same, and how many of them are in the provider's cache."""


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        ("openai", "gpt-4o-mini", Price(0.15, 0.6, cached=0.075)),
        ("openai", "gpt-4o-mini-2024-07-18", Price(0.15, 0.6, cached=0.075)),
        ("openai", "text-embedding-3-small", Price(0.02)),
        ("openai", "gpt-99", None),
        ("openai", "my-gpt-4o-mini", None),
        ("openai", "gpt-4o-mini-large", None),
        ("openai", "claude-sonnet-4-5", None),
        ("proxy-of-openai", "gpt-4o-mini", None),
    ],
)
def test_a_model_has_its_own_price_or_none(provider, model, price):
    """A dated version is the same model; another name, another provider's model or an unknown provider has no price."""
    quote = listed(provider, model, f"openai:{model}", NOW)
    assert quote.price == price
    assert quote.unknown == "own_server" if price else "not_listed"


def test_the_source_has_a_version_and_a_date():
    """The date is that of a change that had begun."""
    quote = listed("openai", "gpt-4o-mini", "openai:gpt-4o-mini", NOW)
    assert quote.source == f"genai-prices {version('genai-prices')}"
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", quote.date)
    assert date(2026, 1, 1) <= date.fromisoformat(quote.date) <= NOW.date()


@pytest.mark.parametrize("provider", sorted({one.listed for one in providers().values()} - {""}))
def test_costs_are_those_of_the_table(provider):
    """For every model with a price, at any length of prompt and with any part of it in the provider's cache, the cost is
    the table's own, or higher where writing to the cache or the hour may raise it; models priced by anything but tokens
    have none.
    """
    models = next(one.models for one in get_snapshot().providers if one.id == provider)
    known = [model for model in models if next((one for one in models if one.is_match(model.id)), None) is model]
    for model in known:  # the others cannot be asked for by this name
        price = listed(provider, model.id, model.id, NOW).price
        if price is None:
            continue
        rates = model.get_prices(NOW)
        fixed = isinstance(model.prices, ModelPrice) and rates.cache_write_mtok is None
        for size, cached in LOADS:
            usage = genai_prices.Usage(input_tokens=size, cache_read_tokens=cached, output_tokens=700)
            expected = float(rates.calc_price(usage)["total_price"])
            assert price.of(size, 700, cached) >= expected * (1 - 1e-12)
            assert not fixed or price.of(size, 700, cached) == pytest.approx(expected)
    assert provider != "openai" or sum(listed(provider, one.id, one.id).price is not None for one in known) > 80


def test_nothing_is_looked_up_over_the_network(monkeypatch):
    """A price is read from the installed package alone."""

    def refuse(*_):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert listed("openai", "gpt-4o-mini", "openai:gpt-4o-mini").price == Price(0.15, 0.6, cached=0.075)


def provider_with(prices, name="m"):
    """A provider with one model of these prices."""
    return Provider(
        id="p", name="P", api_pattern="p", models=[ModelInfo(id=name, match=ClauseEquals(name), prices=prices)]
    )


def per_million(**rates):
    """Prices in the table's own form."""
    return ModelPrice(**{f"{key}_mtok": Decimal(rate) for key, rate in rates.items()})


@pytest.fixture
def table(monkeypatch):
    """Replace the table's providers, as read from here."""

    def use(*providers):
        monkeypatch.setattr(get_snapshot(), "providers", list(providers))

    return use


@pytest.mark.parametrize(
    ("prices", "name", "price"),
    [
        (per_million(input="2", cache_write="2.5", output="8"), "gpt", Price(2.5, 8)),
        (per_million(input="2", cache_write="2.5", output="8"), "claude-x", Price(2, 8)),
        (per_million(input="2", output="8", cache_audio_read="0.1", input_audio="40"), "gpt", Price(2, 8)),
        (per_million(input="2", output="8", cache_read="0.1"), "gpt", Price(2, 8, cached=0.1)),
        (per_million(input="2", cache_write="2.5", cache_read="0.1", output="8"), "gpt", Price(2.5, 8, cached=0.1)),
        (
            [
                ConditionalPrice(prices=per_million(input="2", output="4", cache_read="0.5")),
                ConditionalPrice(TimeOfDateConstraint(time(1, tzinfo=UTC), time(4, tzinfo=UTC)), prices=per_million(input="2", output="4")),
            ],
            "gpt",
            Price(2, 4),
        ),
        (per_million(input="2", output="8", output_reasoning="9"), "gpt", None),
        (ModelPrice(input_mtok=Decimal(2), output_mtok=Decimal(8), requests_kcount=Decimal(5)), "gpt", None),
        (per_million(output="8"), "gpt", None),
        (
            [
                ConditionalPrice(prices=per_million(input="1", output="2")),
                ConditionalPrice(TimeOfDateConstraint(time(1, tzinfo=UTC), time(4, tzinfo=UTC)), prices=per_million(input="2", output="4")),
            ],
            "gpt",
            Price(2, 4),
        ),
        (
            [
                ConditionalPrice(prices=per_million(input="9", output="9")),
                ConditionalPrice(StartDateConstraint(date(2026, 5, 1)), prices=per_million(input="1", output="2")),
                ConditionalPrice(StartDateConstraint(date(2027, 5, 1)), prices=per_million(input="5", output="5")),
            ],
            "gpt",
            Price(1, 2),
        ),
    ],
    ids=["writes count", "writes on request", "audio is not used", "reads", "reads and writes", "reads by the hour", "reasoning", "per request", "no input", "by the hour", "by date"],
)  # fmt: skip
def test_what_the_table_leaves_open_is_never_taken_for_less(table, prices, name, price):
    """Automatic cache writes and the dearest hour count in full; a price by anything but tokens is unknown."""
    table(provider_with(prices, name))
    assert listed("p", name, name, NOW).price == price


@pytest.mark.parametrize(
    ("starts", "installed", "newest"),
    [
        ((date(2026, 5, 1), date(2026, 9, 9)), date(2026, 10, 1), "2026-09-09"),
        ((date(2026, 5, 1), date(2026, 11, 1)), date(2026, 10, 1), "2026-05-01"),
        ((date(2026, 5, 1), date(2027, 1, 1)), date(2027, 6, 1), "2026-05-01"),
        ((), date(2026, 10, 1), ""),
    ],
    ids=["the newest", "begun since it was installed", "still to come", "no change"],
)
def test_changes_that_are_only_announced_do_not_count(table, monkeypatch, starts, installed, newest):
    """The date is that of the newest change that had begun when the package was installed, and by today."""
    changes = [ConditionalPrice(StartDateConstraint(start), prices=per_million(input="1")) for start in starts]
    table(provider_with([ConditionalPrice(prices=per_million(input="2")), *changes]))
    monkeypatch.setattr(price_table, "_installed", lambda: installed)
    assert listed("p", "m", "m", NOW).date == newest
