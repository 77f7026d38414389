"""Which price a model gets: the one set in saiten.toml, else the listed one, on its provider's own server only."""

import sys

import pytest

from saiten.models.prices import Price
from saiten.settings import CallSettings
from saiten.wiring import Models, quote_of

SET = {"gpt-4o-mini": {"prompt": 1, "completion": 2}, "openai:own@http://gpu1:8000/v1": {"prompt": 3}}


@pytest.mark.parametrize(
    ("spec", "price"),
    [
        ("openai:gpt-4o-mini", Price(1, 2)),
        ("openai/gpt-4o-mini", Price(1, 2)),
        ("openai:gpt-4o-mini@http://gpu1:8000/v1", Price(1, 2)),
        ("openai:own@http://gpu1:8000/v1/chat/completions", Price(3)),
        ("openai:own@http://gpu2:8000/v1", None),
        ("hf:./folder", Price(0)),
        ("offline", None),
    ],
)
def test_a_price_in_the_settings_comes_first(spec, price):
    """By the full name, else by the model's name on any server; no key is needed, and a model in this process is free."""
    assert quote_of(spec, CallSettings(prices=SET), {}).price == price


@pytest.mark.parametrize(
    ("spec", "environ"),
    [
        ("openai:gpt-4o-mini@http://gpu1:8000/v1", {}),
        ("openai:gpt-4o-mini@https://api.openai.com.example/v1", {}),
        ("openai:gpt-4o-mini@https://my-resource.openai.azure.com/openai", {}),
        ("openai:gpt-4o-mini", {"OPENAI_BASE_URL": "http://gpu1:8000/v1"}),
    ],
)
def test_a_server_of_your_own_never_gets_a_listed_price(spec, environ):
    """Whatever the model is called there."""
    quote = quote_of(spec, CallSettings(), environ)
    assert (quote.price, quote.unknown) == (None, "own_server")


@pytest.mark.parametrize(
    ("spec", "free"),
    [
        ("ollama:qwen3:8b", True),
        ("vllm:m@http://127.0.0.1:9000", True),
        ("vllm:m@http://gpu1:8000", False),
        ("ollama:gpt-oss:120b-cloud", False),
        ("litellm:gpt-4o", False),
        ("openai:m@http://localhost:8000/v1", False),
    ],
)
def test_a_server_on_this_machine_is_free(spec, free):
    """Not a gateway, not somebody's server, not a model that Ollama passes on; a price that is set wins."""
    assert (quote_of(spec, CallSettings(), {}).price == Price(0)) is free
    assert quote_of(
        spec, CallSettings(prices={spec.partition(":")[2].partition("@")[0]: {"prompt": 7}}), {}
    ).price == Price(7)


def test_secrets_of_an_address_are_not_in_the_name():
    """The name is shown, and written into the run's folder."""
    quote = quote_of("openai:m@https://user:hunter22hunter@h/v1?key=hunter33hunter", CallSettings(), {})
    assert quote.model == "openai:m@https://h/v1"


def test_without_the_table_the_price_is_unknown(monkeypatch):
    """The extra is optional; the sentence says how to install it."""
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    quote = quote_of("openai:gpt-4o-mini", CallSettings(), {})
    assert (quote.price, quote.unknown) == (None, "no_table")


@pytest.mark.parametrize("calls", [CallSettings(currency="JPY"), CallSettings(currency="EUR")])
def test_a_table_in_another_currency_is_not_used(calls, caplog):
    """Amounts of two currencies are never added up; a run says so, once."""
    assert quote_of("openai:gpt-4o-mini", calls, {}).unknown == "currency"
    models = Models(calls, {"OPENAI_API_KEY": "k"})
    models.chat("openai:gpt-4o-mini")
    models.chat("openai:gpt-4o-mini")
    assert [record.getMessage() for record in caplog.records].count(
        f"The price of openai:gpt-4o-mini is unknown: the price table is in USD, and the currency is set to "
        f"{calls.currency}. Set the price under [prices] in saiten.toml."
    ) == 1


@pytest.mark.parametrize(
    ("spec", "price"),
    [
        ("openai:gpt-4o-mini", Price(0.15, 0.6)),
        ("openai:gpt-4o-mini@https://api.openai.com/v1", Price(0.15, 0.6)),
        ("openai:mistral-embed@https://api.mistral.ai/v1", Price(0.1, 0.1)),
        ("mistral:mistral-embed", Price(0.1, 0.1)),
        ("anthropic:claude-sonnet-4-5", Price(3, 15)),
        ("gemini:gemini-2.0-flash", Price(0.1, 0.4)),
        ("bedrock:anthropic.claude-3-haiku-20240307-v1:0@us-east-1", Price(0.25, 1.25)),
        ("groq:llama-3.3-70b-versatile", Price(0.59, 0.79)),
        ("azure:gpt-4o-mini@resource", None),
        ("openai:mistral-large-latest@https://api.openai.com/v1", None),
    ],
)
def test_a_provider_s_own_server_gets_its_listed_price(spec, price):
    """The table of one provider has no price for a model of another."""
    pytest.importorskip("genai_prices", reason="the price table is an extra: pip install 'saiten[prices]'")
    quote = quote_of(spec, CallSettings(), {})
    prices = None if quote.price is None else Price(quote.price.prompt, quote.price.completion)  # without tiers
    assert prices == price
    assert quote.source.startswith("genai-prices ") or spec.startswith("azure")
