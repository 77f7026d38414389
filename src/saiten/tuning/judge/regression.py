"""Training a small encoder to predict people's grades: all its layers, and a linear head with one output per aspect.

The loss is the squared error of standardized grades, over the aspects on which an answer was graded. The head starts at
zero, which is the mean grade. Embeddings are frozen, so that words in no graded answer keep their place relative to
others; they are also most of a multilingual encoder's weights. There is no dropout.
"""

import math
import random
from collections.abc import Sequence
from pathlib import Path

from saiten.durable.whole_file import writing_to
from saiten.errors import ConfigurationError
from saiten.judges.encoder.head import LinearHead
from saiten.judges.encoder.judge import EncoderJudge
from saiten.judges.encoder.loading import load_encoder
from saiten.judges.encoder.windows import Cut
from saiten.judges.tuned import TunedAspect
from saiten.models.networks import LocalModel, quietly, require
from saiten.protocols import Judge
from saiten.tuning.judge.head import Learning, Trained, TrainingJob, TrainingWatch
from saiten.tuning.judge.regression_rows import notes_on, rows_of
from saiten.tuning.judge.regression_steps import Training, begin
from saiten.tuning.splitting import digest

WINDOWS = 16
"""Maximum per answer; with windows of 256 tokens, some 3,000 English words."""


class RegressionHead:
    """A judge that is an encoder and predicts the grades."""

    def check(self) -> None:
        require("your own judge (--head regression)", "neural", "torch", "transformers")

    def defaults(self, base: str) -> Learning:
        return Learning(base, epochs=3, learning_rate=1e-4, batch=8, max_length=256)

    def train(self, job: TrainingJob) -> Trained:
        self.check()
        learning, folder = job.learning, job.folder
        LocalModel.find(learning.base)  # a missing folder must not be taken for a hub name
        rows = rows_of(job.examples, job.aspects)
        encoder = load_encoder(learning.base, learning.max_length, WINDOWS, what=f"the model {learning.base}")
        if encoder.length < learning.max_length:
            job.watch.notify(f"{learning.base} reads {encoder.length} tokens at once, not {learning.max_length}")
        cuts = encoder.cut(rows.texts)
        key = digest(repr((learning, rows.texts, rows.values.tolist())))
        training = begin(encoder, rows.standardized, learning, folder / "training", key)
        head = _learned(training, cuts, learning, job.watch)
        head = LinearHead(head.weights * rows.spreads[:, None], head.bias * rows.spreads + rows.means)
        with writing_to(folder, "is the disk full?"), quietly():
            encoder.network.save_pretrained(folder)
            encoder.tokenizer.save_pretrained(folder)
            head.save(folder)
        return Trained({"length": encoder.length, "windows": encoder.most}, (*rows.notes, *notes_on(cuts)))

    def judge(self, folder: Path, aspects: Sequence[TunedAspect], trained: Trained) -> Judge:
        return EncoderJudge(folder, aspects, trained.network)

    def base_judge(self, learning: Learning) -> Judge | None:
        """Return None: an encoder without its head cannot grade."""
        return None


def _learned(training: Training, cuts: Sequence[Cut], learning: Learning, watch: TrainingWatch) -> LinearHead:
    """Train, and return the head for standardized grades; the encoder is changed in place."""
    begun = training.restore()
    if begun:
        watch.notify(f"resuming after epoch {begun} of {learning.epochs}")
    each = math.ceil(len(cuts) / learning.batch)
    done, total, seen = begun * each, learning.epochs * each, 0
    for epoch in range(begun, learning.epochs):
        order = list(range(len(cuts)))
        random.Random(f"{learning.seed} {epoch}").shuffle(order)  # noqa: S311 - no cryptography
        for start in range(0, len(order), learning.batch):
            chosen = order[start : start + learning.batch]
            loss = training.step([cuts[at] for at in chosen], training.targets[chosen], done / total)
            if not math.isfinite(loss):
                raise ConfigurationError(
                    f"training diverged in epoch {epoch + 1}: the loss is not a number; try a lower "
                    f"learning rate than {learning.learning_rate:g}"
                )
            done, seen = done + 1, seen + len(chosen)
            watch.step(done, total, seen, loss)
        training.keep(epoch + 1)
    weights, bias = (part.detach().cpu().double().numpy() for part in (training.head.weight, training.head.bias))
    return LinearHead(weights, bias)
