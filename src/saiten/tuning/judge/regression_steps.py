"""The training steps and checkpoints of a regression.

Nothing is random here, so a checkpoint contains everything that the next step depends on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from saiten.durable.whole_file import whole_file, writing_to
from saiten.judges.encoder.network import AT_ONCE, AnswerEncoder, batched
from saiten.judges.encoder.windows import Cut
from saiten.stats.clusters import Floats
from saiten.tuning.judge.head import Learning

HEAD_RATE = 10
"""How much faster the head learns, since it starts at zero."""
WARM_UP = 0.1
"""Share of steps in which the learning rate rises, before it falls to zero."""
DECAY = 0.01
TOGETHER = 4
"""Windows per pass during training: padding costs more than small passes."""
LARGEST_STEP = 1.0
"""Maximum norm of a gradient."""
_FILE = "regression.pt"


@dataclass(eq=False)
class Training:
    """The state of a training."""

    encoder: AnswerEncoder
    head: Any
    """A linear layer: features → standardized grades."""
    optimizer: Any
    targets: Any
    """Standardized grades, shape (rows, aspects); NaN where nobody graded."""
    rates: tuple[float, float]
    """Maximum learning rates of encoder and head."""
    folder: Path
    """The folder of the checkpoint: one file, written after each epoch, whole or not at all."""
    key: str
    """Changes with anything that the training depends on."""

    def step(self, cuts: Sequence[Cut], targets: Any, progress: float) -> float:
        """Learn from one batch, and return the loss before the step."""
        torch = import_module("torch")
        now = min((progress + 1e-3) / WARM_UP, (1 - progress) / (1 - WARM_UP))
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * now
        self.optimizer.zero_grad()
        loss = (
            self._whole(cuts, targets)
            if sum(len(cut.windows) for cut in cuts) <= AT_ONCE
            else self._parts(cuts, targets)
        )
        learning = [one for group in self.optimizer.param_groups for one in group["params"]]
        torch.nn.utils.clip_grad_norm_(learning, LARGEST_STEP)
        self.optimizer.step()
        return loss

    def _whole(self, cuts: Sequence[Cut], targets: Any) -> float:
        """Compute all windows before one backward pass, in small batches of similar length."""
        means = sum(self._means(self._sums(cuts, chosen), cuts, chosen) for chosen in batched(cuts, TOGETHER))
        loss = self._loss(means, targets)
        loss.backward()
        return float(loss.detach())

    def _parts(self, cuts: Sequence[Cut], targets: Any) -> float:
        """Compute the same gradient with bounded memory: first the means, then each window's share of their gradient.

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
        """Return these windows' contributions to the mean of each answer's tokens."""
        torch = import_module("torch")
        answers = torch.tensor([answer for answer, _ in chosen], device=sums.device)
        tokens = torch.tensor([[cut.tokens] for cut in cuts], device=sums.device)
        return torch.zeros(len(cuts), sums.shape[1], device=sums.device).index_add(0, answers, sums) / tokens

    def _loss(self, means: Any, targets: Any) -> Any:
        """Return the mean squared error over existing grades."""
        there = ~targets.isnan()
        return ((self.head(means) - targets.nan_to_num()) ** 2)[there].mean()

    def keep(self, epochs: int) -> None:
        """Save everything that the next epoch depends on; raise ConfigurationError if the folder is not writable."""
        state = {name: part.state_dict() for name, part in self._stateful().items()}
        with writing_to(self.folder, "is the disk full?"):
            self.folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self.folder / _FILE) as file:
                import_module("torch").save({"key": self.key, "epochs": epochs, **state}, file)

    def restore(self) -> int:
        """Restore the checkpoint; return the number of finished epochs, 0 if it is missing or another training's."""
        try:
            # only tensors and numbers are read, so that a foreign file cannot run code
            found = import_module("torch").load(self.folder / _FILE, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, UnpicklingError):
            return 0
        if not isinstance(found, dict) or found.get("key") != self.key:
            return 0
        for name, part in self._stateful().items():
            part.load_state_dict(found[name])
        return int(found["epochs"])

    def _stateful(self) -> dict[str, Any]:
        return {"encoder": self.encoder.network, "head": self.head, "optimiser": self.optimizer}


def begin(encoder: AnswerEncoder, grades: Floats, learning: Learning, folder: Path, key: str) -> Training:
    """Set up a training whose head predicts the mean grade for everything."""
    torch, device = import_module("torch"), encoder.network.device
    head = torch.nn.Linear(encoder.width, grades.shape[1], device=device)
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    embeddings = getattr(encoder.network, "embeddings", None) or encoder.network.get_input_embeddings()
    embeddings.requires_grad_(requires_grad=False)
    layers = [part for part in encoder.network.parameters() if part.requires_grad]
    rates = learning.learning_rate, learning.learning_rate * HEAD_RATE
    groups = [{"params": part, "lr": rate} for part, rate in zip((layers, list(head.parameters())), rates, strict=True)]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
    targets = torch.tensor(grades, dtype=torch.float32, device=device)
    return Training(encoder, head, optimizer, targets, rates, folder, key)
