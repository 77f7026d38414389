import pytest

from saiten.experiments.results import ChainComparison
from saiten.stats.paired import PairedComparison
from saiten.stats.ratios import Ratio


def compared(gained, faster, model="m"):
    """A comparison whose intervals are these; None: there is no interval."""
    accuracy = PairedComparison(0.1, *(gained or (None, None)), 0.5, 10, 10, 3, 4, 3)
    return ChainComparison("d", model, "qa", "accuracy", accuracy, Ratio(0.8, *(faster or (None, None)), 10, 10))


@pytest.mark.parametrize(
    ("gained", "faster", "said"),
    [
        ((-0.1, 0.2), (0.8, 1.2), "neither differs outside the noise"),
        (None, None, "neither differs outside the noise"),
        ((0.0, 0.2), (1.0, 1.2), "neither differs outside the noise"),
        ((-0.1, 0.2), (0.5, 0.9), "map_reduce is faster, and the accuracy differs within the noise"),
        ((-0.1, 0.2), (1.1, 1.9), "refine is faster, and the accuracy differs within the noise"),
        ((-0.3, -0.1), (0.8, 1.2), "refine is more accurate, and the latency differs within the noise"),
        ((-0.3, -0.1), (0.5, 0.9), "refine is more accurate, map_reduce is faster"),
        ((0.1, 0.3), (0.5, 0.9), "map_reduce is more accurate and faster"),
        ((0.1, 0.3), (1.1, 1.9), "map_reduce is more accurate, refine is faster"),
        ((-0.3, -0.1), (1.1, 1.9), "refine is more accurate and faster"),
    ],
)
def test_a_recommendation_is_made_only_outside_the_noise(gained, faster, said):
    """Spec 03: an interval that holds no difference, or one that is not there, recommends nothing."""
    assert compared(gained, faster).recommendation == said


def test_without_a_model_the_latency_recommends_nothing():
    """Milliseconds of picking sentences are noise between two runs, whatever the interval within one; it says so."""
    nothing = "without a model nothing follows from the latency"
    within = compared((-0.1, 0.2), (0.5, 0.9), "extractive").recommendation
    assert within == f"the accuracy differs within the noise; {nothing}"
    better = compared((0.1, 0.3), (0.5, 0.9), "extractive").recommendation
    assert better == f"map_reduce is more accurate; {nothing}"
