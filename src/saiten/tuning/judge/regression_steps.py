"""The steps of a regression: from a batch of answers to a gradient, and from that to other weights.

Nothing here is drawn at random, so a checkpoint holds everything that the next step depends on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from saiten.judges.encoder.network import AT_ONCE, Encoder, batched
from saiten.judges.encoder.windows import Cut
from saiten.stats.clusters import Floats
from saiten.tuning.judge.head import Learning
from saiten.tuning.judge.regression_checkpoint import Checkpoint
from saiten.tuning.judge.regression_rows import Rows

HEAD_RATE = 10
"""The head begins with nothing, so it learns this much faster."""
WARM_UP = 0.1
"""Of the steps; the learning rate rises, then falls to nothing."""
DECAY = 0.01
TOGETHER = 4
"""Windows in one pass while learning: padding costs more than small passes do."""
LARGEST_STEP = 1.0
"""Norm of a gradient at most."""


@dataclass(eq=False)
class Training:
    """What learns, and how."""

    encoder: Encoder
    head: Any
    """A linear layer: features → standardised grades."""
    optimiser: Any
    targets: Any
    """Standardised grades, shape (rows, aspects); NaN where nobody graded."""
    rates: tuple[float, float]
    """Of encoder and head, at their highest."""
    checkpoint: Checkpoint

    def step(self, cuts: Sequence[Cut], targets: Any, progress: float) -> float:
        """Learn from one batch; the loss before."""
        torch = import_module("torch")
        now = min((progress + 1e-3) / WARM_UP, (1 - progress) / (1 - WARM_UP))
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * now
        self.optimiser.zero_grad()
        loss = (
            self._whole(cuts, targets)
            if sum(len(cut.windows) for cut in cuts) <= AT_ONCE
            else self._parts(cuts, targets)
        )
        torch.nn.utils.clip_grad_norm_(self._learning(), LARGEST_STEP)
        self.optimiser.step()
        return loss

    def _whole(self, cuts: Sequence[Cut], targets: Any) -> float:
        """All windows before the first step back; a few at a time, so that like lengths stand together."""
        means = sum(self._means(self._sums(cuts, chosen), cuts, chosen) for chosen in batched(cuts, TOGETHER))
        loss = self._loss(means, targets)
        loss.backward()
        return float(loss.detach())

    def _parts(self, cuts: Sequence[Cut], targets: Any) -> float:
        """The same gradient with bounded memory: the means first, then each window's share in their gradient.

        Source: Gao et al. 2021, *Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup*.
        """
        torch = import_module("torch")
        means = torch.tensor(self.encoder.features(cuts), dtype=torch.float32, device=self.targets.device)
        means.requires_grad_()
        loss = self._loss(means, targets)
        loss.backward()
        for chosen in batched(cuts, TOGETHER):
            sums = self._sums(cuts, chosen)
            torch.autograd.backward(self._means(sums, cuts, chosen), means.grad)
        return float(loss.detach())

    def _sums(self, cuts: Sequence[Cut], chosen: Sequence[tuple[int, int]]) -> Any:
        return self.encoder.sums([cuts[answer].windows[at] for answer, at in chosen])

    def _means(self, sums: Any, cuts: Sequence[Cut], chosen: Sequence[tuple[int, int]]) -> Any:
        """What these windows give to the mean of each answer's tokens."""
        torch = import_module("torch")
        answers = torch.tensor([answer for answer, _ in chosen], device=sums.device)
        tokens = torch.tensor([[cut.tokens] for cut in cuts], device=sums.device)
        return torch.zeros(len(cuts), sums.shape[1], device=sums.device).index_add(0, answers, sums) / tokens

    def _loss(self, means: Any, targets: Any) -> Any:
        """The mean squared error over the grades that there are."""
        there = ~targets.isnan()
        return ((self.head(means) - targets.nan_to_num()) ** 2)[there].mean()

    def _learning(self) -> list[Any]:
        return [one for group in self.optimiser.param_groups for one in group["params"]]

    def keep(self, epochs: int) -> None:
        """Everything that the next epoch depends on; nothing here is drawn at random."""
        parts = {"encoder": self.encoder.network, "head": self.head, "optimiser": self.optimiser}
        self.checkpoint.save({"epochs": epochs, **{name: part.state_dict() for name, part in parts.items()}})

    def restore(self) -> int:
        """Go back to where the checkpoint stands; how many epochs are done."""
        found = self.checkpoint.last()
        if found is None:
            return 0
        self.encoder.network.load_state_dict(found["encoder"])
        self.head.load_state_dict(found["head"])
        self.optimiser.load_state_dict(found["optimiser"])
        return int(found["epochs"])


def begin(encoder: Encoder, rows: Rows, learning: Learning, checkpoint: Checkpoint) -> Training:
    """Before the first step: the head says the mean grade to everything."""
    torch, device = import_module("torch"), encoder.network.device
    head = torch.nn.Linear(encoder.width, rows.values.shape[1], device=device)
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    embeddings = getattr(encoder.network, "embeddings", None) or encoder.network.get_input_embeddings()
    embeddings.requires_grad_(requires_grad=False)
    layers = [part for part in encoder.network.parameters() if part.requires_grad]
    rates = learning.learning_rate, learning.learning_rate * HEAD_RATE
    groups = [{"params": part, "lr": rate} for part, rate in zip((layers, list(head.parameters())), rates, strict=True)]
    optimiser = torch.optim.AdamW(groups, weight_decay=DECAY)
    return Training(encoder, head, optimiser, _tensor(rows.standardised, device), rates, checkpoint)


def _tensor(values: Floats, device: Any) -> Any:
    torch = import_module("torch")
    return torch.tensor(values, dtype=torch.float32, device=device)
