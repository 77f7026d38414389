"""The page on models has a row for each provider, in both languages, with what the program knows."""

import re
from pathlib import Path

import pytest

from saiten.models.address import parse_url
from saiten.models.providers import providers

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", [DOCS / "models.md", DOCS / "ja" / "models.md"], ids=["en", "ja"])
def test_each_provider_has_a_row_with_its_keys_and_its_address(page):
    """One row per provider and no other; keys, variables, host and what it does not serve."""
    rows = dict(re.findall(r"^\| `([a-z]+):[A-Z@]+` \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE))
    assert rows.keys() == providers().keys()
    for name, row in rows.items():
        provider = providers()[name]
        for variable in (*provider.key, provider.url_variable, *provider.where_variable[:1]):
            assert f"`{variable}`" in row or not variable, f"{name}: {variable}"
        address = parse_url(provider.url.replace("{}", provider.example or "X"))
        host = (address.host or "").lower()
        assert host in row.lower(), f"{name}: {host}"
        if host == "localhost":
            assert f"localhost:{address.port}" in row
        assert ("[providers]" in row) is bool(provider.library), name
        without = {"chat": ("embeddings only", "埋め込みだけ"), "embeddings": ("no embeddings", "埋め込みはない")}
        for service, words in without.items():
            assert any(word in row for word in words) is (service not in provider.serves), f"{name}: {service}"
