"""A price is known with its source, or unknown for a stated reason; it applies per request."""

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
    assert Price(1, 2).priced(ANSWERED) == Usage(1, 1000, 500, cost=0.002)
    assert Price(1, 2).priced(Usage(calls=1, unpriced=1)).unpriced == 1


@pytest.mark.parametrize("entry", [None, 3, {}, {"input": 1}, {"prompt": "1"}, {"prompt": -1}, {"prompt": True}])
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
