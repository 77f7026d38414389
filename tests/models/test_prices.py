"""A price is known with its source, or unknown for a stated reason; it applies per request."""

from dataclasses import replace

import pytest

from saiten.errors import ConfigurationError
from saiten.models.prices import Price, Quote, Tier, find_price
from saiten.records import Usage

ANSWERED = Usage(calls=1, prompt_tokens=1000, completion_tokens=500, unpriced=1)
TIERED = Price(2.0, 10.0, (Tier(200_000, 4.0, 15.0), Tier(500_000, 8.0, 15.0)))


def test_price_table():
    """Prices are found by the model or by its full name; an unknown model has none."""
    prices = {"gpt": {"prompt": 1, "completion": 2}, "openai:own:7b@http://h/v1": {"prompt": 0}}
    assert find_price(prices, "openai:gpt") == find_price(prices, "openai:gpt@https://h/v1") == Price(1, 2)
    assert find_price(prices, "openai:own:7b@http://h/v1") == Price(0)
    assert find_price(prices, "openai:gpt-4") is None
    assert find_price({"m": {"prompt": 2, "completion": 4, "cached": 0.5}}, "openai:m") == Price(2, 4, cached=0.5)
    assert Price(1, 2).priced(ANSWERED) == Usage(1, 1000, 500, cost=0.002)
    assert Price(1, 2).priced(Usage(calls=1, unpriced=1)).unpriced == 1


@pytest.mark.parametrize(
    ("price", "cost"),
    [
        (Price(2.0, 10.0), 0.007),  # 1,000 × 2 + 500 × 10 per million: cached tokens cost as much as the others
        (Price(2.0, 10.0, cached=0.5), 0.0058),  # 200 × 2 + 800 × 0.5 + 500 × 10
        (Price(2.0, 10.0, cached=0.0), 0.0054),  # 200 × 2 + 500 × 10
        (Price(2.0, 10.0, (Tier(999, 4.0, 15.0, 1.0),), cached=0.5), 0.0091),  # 200 × 4 + 800 × 1 + 500 × 15
        (Price(2.0, 10.0, (Tier(999, 4.0, 15.0),), cached=0.5), 0.0115),  # 1,000 × 4 + 500 × 15
        (Price(2.0, 10.0, (Tier(1000, 4.0, 15.0, 1.0),), cached=0.5), 0.0058),
    ],
)
def test_tokens_in_the_servers_cache_have_their_own_price_if_it_is_known(price, cost):
    """Otherwise they cost as much as the other prompt tokens, in each tier; the long prompt includes them."""
    usage = replace(ANSWERED, cached_tokens=800)
    assert price.priced(usage) == replace(usage, cost=pytest.approx(cost, rel=1e-12), unpriced=0)


def test_only_a_free_call_has_a_cost_without_tokens():
    """A call without a reply costs nothing if every token is free; otherwise its cost stays unknown."""
    cut_off = Usage(calls=1, unpriced=1)
    assert Price(0).priced(cut_off) == Usage(calls=1)
    for price in (Price(0, 1), Price(0, 0, (Tier(9, 1, 0),)), Price(0, cached=1)):
        assert price.priced(cut_off) == cut_off


@pytest.mark.parametrize(
    "entry",
    [
        {"prompt": 1, "cached": -1},
        {"prompt": 1, "cached": "1"},
        {"cached": 1},
        None,
        3,
        {},
        {"input": 1},
        {"prompt": "1"},
        {"prompt": -1},
        {"prompt": True},
    ],
)
def test_bad_prices(entry):
    """An invalid price is refused."""
    with pytest.raises(ConfigurationError):
        find_price({"m": entry}, "openai:m")


@pytest.mark.parametrize(
    ("prompt", "cost"), [(200_000, 0.4 + 0.01), (200_001, 0.800004 + 0.015), (500_001, 4.000008 + 0.015)]
)
def test_a_long_prompt_has_the_price_of_its_tier(prompt, cost):
    """The tier applies to all tokens of the request, and only above its threshold."""
    assert TIERED.of(prompt, 1000) == pytest.approx(cost)


@pytest.mark.parametrize("tiers", [(Tier(2, 1, 1), Tier(1, 1, 1)), (Tier(1, -1, 1),), (Tier(1, 1, float("nan")),)])
def test_tiers_that_make_no_price_are_refused(tiers):
    """They ascend, and have numbers of at least 0."""
    with pytest.raises(ConfigurationError):
        Price(1.0, 1.0, tiers)


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        (Quote(Price(0.15, 0.6), "openai:m", "saiten.toml"), "0.15 / 0.60 USD per million prompt / completion tokens (saiten.toml)."),
        (Quote(Price(0.075), "openai:m", "table 1", "2026-11-09"), "0.075 / 0.00 USD per million prompt / completion tokens (table 1, newest price change 2026-11-09)."),
        (Quote(TIERED, "openai:m", "table 1"), "more than 200,000 prompt tokens costs 4.00 / 15.00 USD. A request with more than 500,000"),
        (Quote(Price(0.15, 0.6, cached=0.075), "openai:m", "table 1"), "completion tokens (table 1); 0.075 for prompt tokens in the server's cache."),
        (Quote(Price(2, 8, (Tier(9, 4, 8, 0.4),), 0.2), "openai:m", "table 1"), "more than 9 prompt tokens costs 4.00 / 8.00 USD, and 0.40 for prompt tokens in the server's cache."),
        (Quote(model="openai:m@http://h/v1"), "openai:m@http://h/v1 is unknown: there is no price list for its server"),
        (Quote(model="openai:m", unknown="no_table"), 'pip install "saiten[prices]"'),
        (Quote(model="openai:m", source="table 1", unknown="not_listed"), "table 1 does not list it"),
        (Quote(model="openai:m", currency="JPY", unknown="currency"), "the price table is in USD, and the currency is set to JPY"),
    ],
)  # fmt: skip
def test_a_quote_says_price_and_source_or_what_to_do(quote, said):
    """The source's date is there if it has one; an unknown price names the place to set it."""
    sentence = str(quote.sentence())
    assert said in sentence
    assert quote.price or "under [prices] in saiten.toml" in sentence


def test_a_price_for_batches_scales_every_rate():
    """Half price is half for prompts, replies and cached prompts alike, in each tier; an unknown rate stays unknown."""
    whole = Price(2.0, 8.0, (Tier(1000, 4.0, 16.0, 1.0),), cached=0.5)
    half = whole.times(0.5)
    for tokens in ((900, 10, 300), (5000, 10, 4000)):
        assert half.of(*tokens) == pytest.approx(whole.of(*tokens) / 2)
    assert Price(1.0).times(0.5) == Price(0.5)
