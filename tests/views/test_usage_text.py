"""The cost in one sentence: exact, a lower bound with the reason, or unknown with what to do."""

import pytest

from saiten.records import Usage
from saiten.views.tables.summary import usage_text


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(), "no calls, no cost"),
        (Usage(reused=3), "no calls, no cost, 3 answers reused"),
        (Usage(3, 1200, 40), "3 calls, 1,200 + 40 tokens, 0.0000 USD"),
        (
            Usage(3, 1200, 40, 0.5, reused=2, cached_tokens=1000),
            "3 calls, 1,200 (1,000 cached by the server) + 40 tokens, 0.5000 USD, 2 answers reused",
        ),
        (Usage(3, 1200, 40, unpriced=3), "3 calls, 1,200 + 40 tokens, cost unknown (set [prices] in saiten.toml)"),
        (Usage(3, unpriced=3), "3 calls, 0 + 0 tokens, cost unknown (no tokens were reported)"),
        (
            Usage(3, unpriced=3, unanswered=3),
            "3 calls, 0 + 0 tokens, cost unknown (interrupted before the reply: 3)",
        ),
        (
            Usage(9, 12, 4, 0.5, unpriced=2),
            "9 calls, 12 + 4 tokens, at least 0.5000 USD (calls of unknown cost: 2)",
        ),
        (
            Usage(9, 12, 4, 0.7, unpriced=2, unanswered=2),
            "0.7000 USD (interrupted before the reply: 2, at the average of the others, 0.2000 more)",
        ),
        (
            Usage(9, 12, 4, 0.6, unpriced=3, unanswered=2),
            "(calls of unknown cost: 1; interrupted before the reply: 2, at the average of the others, 0.2000 more)",
        ),
    ],
)
def test_a_cost_is_exact_bounded_or_unknown_with_its_reason(usage, said):
    """What the server had cached is told apart from what saiten reused."""
    assert str(usage_text(usage)).endswith(said)
