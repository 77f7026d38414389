"""A causal model really learns to grade: on unseen questions it gives the human grades."""

import asyncio
from dataclasses import replace

import learning
import pytest

import networks
from saiten.tuning.judge.head import TrainingJob
from saiten.tuning.judge.held_out import held_out
from saiten.tuning.judge.lora import ChatHead
from saiten.tuning.splitting import held_out_questions

pytestmark = [
    *networks.marks("peft"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]


class Losses(list):
    """A watch that records the losses."""

    def step(self, done, total, examples, loss):
        self.append(loss)

    def notify(self, text):
        raise AssertionError(text)


@pytest.mark.timeout(900)  # ten seconds of CPU time, on a machine that may be busy
def test_it_learns_what_the_grade_depends_on(tmp_path):
    """The grade of an answer depends on one word of it, and an untrained base learns that.

    A constant judge is off by 1 on average, and has no correlation; the bounds are far from both.
    """
    learning.files(tmp_path)
    examples = learning.examples_of(tmp_path).examples
    apart = held_out_questions({one.question for one in examples}, 0)
    inside = [one for one in examples if one.question not in apart]
    outside = [one for one in examples if one.question in apart]
    head, losses = ChatHead(), Losses()
    settings = replace(
        head.defaults(str(tmp_path / "base")), epochs=6, learning_rate=3e-3, batch=4, rank=8, max_length=1024
    )
    (tmp_path / "judge" / "training").mkdir(parents=True)
    made = head.train(TrainingJob(inside, (), settings, tmp_path / "judge", losses))

    async def measured():
        judge = head.judge(tmp_path / "judge", (), made)
        try:
            return await held_out(judge, outside, name="learned", means={"quality": 1.5}, resamples=100)
        finally:
            await judge.close()

    (found,) = asyncio.run(measured()).aspects
    assert sum(losses[-20:]) < 0.2 * sum(losses[:20])
    assert (found.n, found.unreadable, found.failed) == (len(outside), 0, 0)
    assert found.pearson.value > 0.8
    assert found.mae.value < 0.4
