"""Drawing tokens: exact, repeatable by seed, and independent for each row."""

import math

import pytest

import networks
from saiten.errors import ConfigurationError
from saiten.models.causal_network import Draw, Drawing, seed_of

pytestmark = networks.marks()

LOGITS = (2.0, 1.0, 0.0, -math.inf, -1.0)


def drawn(draws, steps=1, logits=LOGITS):
    """The tokens of each step, shape (steps, rows)."""
    import torch

    drawing = Drawing(draws, "cpu")
    return [drawing(None, torch.tensor(logits).repeat(len(draws), 1)).argmax(-1).tolist() for _ in range(steps)]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_frequencies_are_those_of_the_softmax(temperature):
    """4,000 rows with their own seeds: each token within four standard errors of its probability."""
    import torch

    n = 4_000
    (tokens,) = drawn([Draw(temperature, seed_of(seed, [1])) for seed in range(n)])
    for token, p in enumerate(torch.softmax(torch.tensor(LOGITS) / temperature, 0).tolist()):
        assert abs(tokens.count(token) / n - p) <= 4 * math.sqrt(p * (1 - p) / n)


def test_a_row_is_drawn_as_if_it_were_alone():
    """Whatever else is in the batch, at any temperature; the next step draws anew."""
    row = Draw(1.0, 7)
    alone = [step[0] for step in drawn([row], 50)]
    together = [step[1] for step in drawn([Draw(0.0, 0), row, Draw(2.0, 9)], 50)]
    assert alone == together
    assert len(set(alone)) > 1


@pytest.mark.witness
def test_temperature_0_takes_the_likeliest():
    """The logits are not changed."""
    assert drawn([Draw(0.0, 1)], 3) == [[0]] * 3


def test_seeds():
    """The same seed gives other noise for another prompt; no seed gives other noise each time; any integer works."""
    assert seed_of(1, [1, 2]) == seed_of(1, [1, 2])
    assert len({seed_of(1, [1, 2]), seed_of(2, [1, 2]), seed_of(1, [12]), seed_of(None, [1]), seed_of(None, [1])}) == 5
    assert all(0 <= seed_of(seed, []) < 2**63 for seed in (-(2**70), -1, 0, 2**70))


def test_a_model_that_gives_no_numbers_is_found_out():
    """It is detected at the first token, instead of giving an answer made of token 0."""
    with pytest.raises(ConfigurationError, match="its weights are damaged"):
        drawn([Draw(0.0, 1)], logits=(math.nan,) * 5)
