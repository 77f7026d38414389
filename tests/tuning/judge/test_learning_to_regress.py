"""A small encoder learns to grade: it finds a rule, an interrupted training resumes, nothing unfinished is a judge."""

import asyncio
import json
import random
from dataclasses import replace

import numpy as np
import pytest

import networks
from saiten.errors import BadInput, ConfigurationError
from saiten.judges.encoder.judge import EncoderJudge
from saiten.judges.encoder.loading import load_encoder
from saiten.judges.tuned import TunedAspect
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.statements import SplitStatements
from saiten.tuning.judge import regression, regression_steps
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.head import Learning, TrainingJob
from saiten.tuning.judge.held_out import held_out
from saiten.tuning.judge.regression import RegressionHead
from saiten.tuning.judge.regression_rows import rows_of
from tiny_models import tiny_bert

pytestmark = networks.marks()

WORDS = ["cat", "dog", "sat", "on", "the", "in"]
ASPECTS = (
    TunedAspect("bridges", "rate_aspect", (0, 50, 100), 50.0),
    TunedAspect("cats", "rate_aspect", (0, 1, 2, 3), 1.3),
)


def examples(n, seed=0, longest=9):
    """Answers, two per question; `cats` is the number of cats, `bridges` for every third whether it has one."""
    draw = random.Random(seed)
    made = []
    for at in range(n):
        words = draw.choices([*WORDS, "bridge"], k=draw.randint(6, longest))
        grades = {"cats": min(3, words.count("cat"))} | ({"bridges": 100 * ("bridge" in words)} if at % 3 == 0 else {})
        for aspect, value in grades.items():
            scale = next(one.values for one in ASPECTS if one.name == aspect)
            task = RateAspect(aspect, "?", "…", "is it in tokyo", " ".join(words), scale, language="en")
            made.append(GradedExample(f"a{at:03}", f"q{at // 2}", aspect, task, float(value)))
    return made


class Recording:
    """A watch that records, and can stop the training."""

    def __init__(self, stop_after=None):
        self.steps, self.said, self.stop_after = [], [], stop_after

    def step(self, done, total, examples, loss):
        self.steps.append((done, total, examples, loss))
        if self.stop_after is not None and len(self.steps) == self.stop_after:
            raise KeyboardInterrupt

    def notify(self, text):
        self.said.append(text)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A random encoder."""
    return tiny_bert(tmp_path_factory.mktemp("base"), layers=2)


@pytest.fixture
def learning(base):
    """Fast settings, since the encoder is tiny and untrained."""
    return Learning(str(base), epochs=6, learning_rate=3e-3, batch=8, max_length=48)


def train(folder, learned, learning, watch=None):
    """The judge from the folder, its notes, and the watch."""
    folder.mkdir(exist_ok=True)
    watched = watch or Recording()
    trained = RegressionHead().train(TrainingJob(learned, ASPECTS, learning, folder, watched))
    return EncoderJudge(folder, ASPECTS, trained.network), trained, watched


def weights(folder):
    """Everything that was saved."""
    return {name: (folder / name).read_bytes() for name in ("model.safetensors", "head.safetensors")}


async def test_a_rule_is_learned_and_holds_on_other_questions(tmp_path, learning):
    """The number of cats, and whether there is a bridge, although only every third answer was graded on that."""
    made = examples(240)
    judge, trained, watched = train(tmp_path, [one for one in made if one.item < "a200"], learning)
    found = await held_out(
        judge,
        [one for one in made if one.item >= "a200"],
        name="encoder",
        means={one.name: one.mean for one in ASPECTS},
        resamples=100,
    )
    await judge.close()
    by_aspect = {one.aspect: one for one in found.aspects}
    assert by_aspect["cats"].pearson.value > 0.95
    assert by_aspect["cats"].mae.value < 0.5 * by_aspect["cats"].mae_of_mean.value
    assert by_aspect["bridges"].pearson.value > 0.6  # of 13 answers
    assert watched.steps[-1][:3] == (150, 150, 1200)
    assert watched.steps[0][3] > 5 * watched.steps[-1][3]
    assert trained.network == {"length": 48, "windows": regression.WINDOWS}
    assert trained.notes == ()


async def test_the_order_of_the_examples_and_what_is_torchs_seed_are_no_matter(tmp_path, learning):
    """The weights are identical to the last bit."""
    import torch

    made = examples(40)
    short = replace(learning, epochs=1)
    train(tmp_path / "one", made, short)
    random.Random(5).shuffle(made)
    torch.manual_seed(99)
    train(tmp_path / "other", made, short)
    assert weights(tmp_path / "one") == weights(tmp_path / "other")
    train(tmp_path / "third", made, replace(short, seed=1))
    assert weights(tmp_path / "one") != weights(tmp_path / "third")


@pytest.mark.parametrize("stop", [3, 5, 11, 15], ids=["in epoch 1", "at its end", "in epoch 3", "at the last step"])
def test_a_training_that_was_cut_off_goes_on_from_the_last_epoch(tmp_path, learning, stop):
    """It ends with the weights of an uninterrupted one; nothing is saved before the end."""
    made, three = examples(40), replace(learning, epochs=3)
    train(tmp_path / "whole", made, three)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "cut", made, three, Recording(stop_after=stop))
    assert not (tmp_path / "cut" / "head.safetensors").exists()
    _, _, watched = train(tmp_path / "cut", made, three)
    done = (stop - 1) // 5
    assert watched.said == ([f"resuming after epoch {done} of 3"] if done else [])
    assert watched.steps[0][:3] == (done * 5 + 1, 15, 8)
    assert weights(tmp_path / "whole") == weights(tmp_path / "cut")


@pytest.mark.parametrize("change", ["label", "setting", "damage", "rubbish"])
def test_another_trainings_checkpoint_is_not_gone_on_from(tmp_path, learning, change):
    """One more label, another rate, half a file: it starts over."""
    made, two = examples(16), replace(learning, epochs=2)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, made, two, Recording(stop_after=3))
    kept = tmp_path / "training" / "regression.pt"
    match change:
        case "label":
            made[0] = replace(made[0], value=2.5)
        case "setting":
            two = replace(two, batch=4)
        case "damage":
            kept.write_bytes(kept.read_bytes()[:-1000])
        case "rubbish":
            kept.write_bytes(b"no checkpoint")
    _, _, watched = train(tmp_path, made, two)
    assert watched.said == []
    assert watched.steps[0][0] == 1


def test_a_checkpoint_from_elsewhere_runs_nothing(tmp_path, capsys):
    """Only tensors and numbers are read."""
    import torch

    class Bad:
        def __reduce__(self):
            return (print, ("this must not be printed",))

    torch.save({"key": "k", "epochs": 1, "bad": Bad()}, tmp_path / "regression.pt")
    training = regression_steps.Training(None, None, None, None, (0.0, 0.0), tmp_path, "k")
    assert training.restore() == 0
    assert capsys.readouterr().out == ""


def test_long_answers_learn_with_bounded_memory_and_the_same_gradient(base, learning, monkeypatch, tmp_path):
    """Window by window, or all at once: the same step, up to rounding."""
    made = examples(12, longest=150)

    def stepped(at_once):
        monkeypatch.setattr(regression_steps, "AT_ONCE", at_once)  # a limit, not a part
        encoder = load_encoder(str(base), 48, 16, what="the model")
        rows = rows_of(made, ASPECTS)
        training = regression_steps.begin(encoder, rows.standardized, learning, tmp_path, "k")
        cuts = encoder.cut(rows.texts)
        assert sum(len(cut.windows) for cut in cuts) > 20
        losses = [training.step(cuts, training.targets, 0.1 * step) for step in (1, 2, 3)]
        return losses, training.head.weight.detach().numpy()

    (loss, head), (other_loss, other_head) = stepped(1000), stepped(4)
    assert loss == pytest.approx(other_loss, rel=1e-4)
    assert np.abs(head - other_head).max() < 1e-3 * np.abs(head).max()


def test_what_was_read_of_long_answers_is_in_the_notes(tmp_path, learning):
    """They say how many had several windows, and what was left out."""
    made = examples(6)
    long = replace(made[0].task, answer="cat " * 2000)
    made = [replace(one, task=long) if one is made[0] else one for one in made]
    _, trained, watched = train(tmp_path, made, replace(learning, epochs=1, max_length=512))
    assert watched.said == [f"{learning.base} reads 64 tokens at once, not 512"]
    assert any("answers were read in several windows, whose tokens were averaged" in note for note in trained.notes)
    assert any("of 2,000 tokens read)" in note for note in trained.notes)
    assert trained.network["length"] == 64


@pytest.mark.witness
def test_equal_grades_are_learned_as_such(tmp_path, learning):
    """A note says that there was nothing to learn."""
    made = [replace(one, value=2.0) for one in examples(8) if one.aspect == "cats"]
    aspects = (ASPECTS[1],)
    trained = RegressionHead().train(TrainingJob(made, aspects, replace(learning, epochs=1), tmp_path, Recording()))
    assert trained.notes == ("all learned grades of 'cats' are equal; nothing but that grade was learned",)
    judge = EncoderJudge(tmp_path, aspects, trained.network)
    assert asyncio.run(judge.perform(made[0].task)).value == pytest.approx(2, abs=0.05)


def test_an_answer_that_declines_is_no_low_grade():
    """Grade 0 of `correctness` is left out and counted."""
    aspects = (TunedAspect("correctness", "grade_answer", (0, 1, 2, 3, 4, 5), 3.0),)
    made = [
        GradedExample(f"a{at}", f"q{at}", "correctness", GradeAnswer("q", f"a{at}", ("r",), language="en"), float(at))
        for at in range(6)
    ]
    rows = rows_of(made, aspects)
    assert rows.values.ravel().tolist() == [1, 2, 3, 4, 5]
    assert rows.notes == ("1 answers that decline (grade 0) were left out: a regression cannot say so",)


def test_an_answer_that_was_graded_on_one_aspect_alone_has_an_empty_cell():
    """Each answer is a row; the loss ignores empty cells."""
    rows = rows_of(examples(6), ASPECTS)
    assert np.isnan(rows.values).tolist() == [[False, False], [True, False], [True, False]] * 2
    assert rows.standardized[:, 1].mean() == pytest.approx(0)


@pytest.mark.parametrize("made", [[], [GradedExample("a", "q", "cats", SplitStatements("q", "a", language="en"), 1.0)]])
def test_what_cannot_be_learned_is_refused(made):
    """No grade for an aspect, or a task without any."""
    with pytest.raises(BadInput, match=r"no grade of 'bridges'|cannot learn SplitStatements"):
        rows_of(made, ASPECTS)


@pytest.mark.parametrize(("rate", "message"), [(1e30, "lower learning rate than 1e")])
def test_a_learning_that_comes_apart_is_no_judge(tmp_path, learning, rate, message):
    """The message says what to do; nothing is saved."""
    with pytest.raises(ConfigurationError, match=message):
        train(tmp_path, examples(40), replace(learning, learning_rate=rate))
    assert not (tmp_path / "head.safetensors").exists()


@pytest.mark.parametrize("what", ["nothing", "a folder without weights", "a causal model"])
def test_a_base_that_is_no_encoder(tmp_path, learning, what):
    """It is refused with what was expected."""
    folder = tmp_path / "base"
    if what != "nothing":
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    if what == "a causal model":
        (folder / "config.json").write_text(json.dumps({"model_type": "t5"}))
    with pytest.raises(
        ConfigurationError,
        match=r"there is no such folder|the model .* cannot be loaded: .*; expected a folder with an encoder",
    ):
        train(tmp_path / "out", examples(8), replace(learning, base=str(folder)))
