"""Labels and simulated grades of the demo's answers: they follow from how the answers were written."""

import pytest

from saiten.demo import load_demo
from saiten.demo.grades import GRADERS, KNOWN, TARGET, WEIGHTS, few_labels, known_labels, simulated_grades
from saiten.metrics.rubrics import read_rubric
from saiten.tuning.mate import learn_weights
from saiten.tuning.rated import rated_by_people

SAMPLES = load_demo()


def test_labels_say_what_is_known_and_that_nobody_said_it():
    """There are two per answer; instead of an annotator they name their origin."""
    labels = list(known_labels(SAMPLES))
    said = {(label.item, label.aspect): label.value for label in labels}
    assert len(labels) == len(said) == 2 * len(SAMPLES)
    assert {label.annotator for label in labels} == {KNOWN}
    assert all(
        (said[one.sample.id, "correct"], said[one.sample.id, "faithful"]) == (one.correct, one.faithful)
        for one in SAMPLES
    )


def test_few_labels_are_a_random_part_of_them():
    """Each answer occurs once; another seed gives others, the same seed the same."""
    first, again, other = (few_labels(SAMPLES, 48, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert len({label.item for label in first}) == 48
    assert set(first) < set(known_labels(SAMPLES))


def test_simulated_grades_fit_the_scales_and_name_no_person():
    """Every grader grades every answer on every aspect."""
    rubric = read_rubric()
    labels = list(simulated_grades(SAMPLES))
    assert labels == list(simulated_grades(SAMPLES)) != list(simulated_grades(SAMPLES, 1))
    assert len(labels) == len(SAMPLES) * len(GRADERS) * len(rubric.names)
    assert all(label.annotator.startswith("simulated") for label in labels)
    assert all(label.value in rubric.aspect(label.aspect).values for label in labels)


@pytest.mark.parametrize("seed", range(3))
def test_the_weights_that_were_put_in_are_learned(seed):
    """They are learned from noisy whole grades, within what rounding and noise allow."""
    questions = {one.sample.id: one.sample.question for one in SAMPLES}
    learned = learn_weights(
        rated_by_people(simulated_grades(SAMPLES, seed), questions, target=TARGET), read_rubric(), resamples=100
    )
    assert {one.name: one.weight for one in learned.weights.aspects} == pytest.approx(WEIGHTS, abs=0.15)
    assert learned.held_out.value > 0.8
