"""The labels of a classifier: which of its outputs means that a text is supported.

Found by the names in its configuration, or given by the user. Nothing is guessed: `LABEL_0` and `LABEL_1` may mean
either.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from saiten.errors import ConfigurationError

_SUPPORT = frozenset(
    ("entailment", "entail", "entails", "entailed", "support", "supports", "supported", "consistent", "consistency",
     "factual", "faithful", "grounded", "attributable", "no hallucination", "not hallucinated", "o", "含意", "支持")
)  # fmt: skip
"""Names of support; `O` is a token outside of any marked span."""
_OTHER = frozenset(
    ("contradiction", "contradict", "contradicts", "neutral", "not entailment", "non entailment", "not entailed",
     "refutes", "refuted", "not enough info", "not supported", "unsupported", "inconsistent", "not factual",
     "nonfactual", "unfaithful", "ungrounded", "hallucination", "hallucinated", "矛盾", "中立")
)  # fmt: skip
"""Names of everything else."""
_UNNAMED = re.compile(r"label \d+")
_APART = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class SupportLabel:
    """The output whose probability is that of support."""

    index: int
    name: str
    """As in the configuration."""
    inverted: bool = False
    """Whether the only output means the opposite, so that support is 1 minus its probability."""

    def __str__(self) -> str:
        return f"{'not ' if self.inverted else ''}{self.name}#{self.index}"

    def probability(self, logits: Any, *, independent: bool) -> Any:
        """Return the probability of support from logits whose last axis is the labels, without that axis.

        A single logit, or those of `independent` labels, give it by the logistic function, others by softmax.
        """
        torch, scores = import_module("torch"), logits.float()
        each = scores.sigmoid() if independent or scores.shape[-1] == 1 else torch.softmax(scores, -1)
        found = each[..., self.index]
        return 1 - found if self.inverted else found


def support_label(labels: Sequence[str], given: str, what: str, example: str) -> SupportLabel:
    """Return the label that means support: the one given by name or number, or the one with such a name.

    Args:
        labels: The names in the configuration, in the order of the outputs.
        given: The user's choice, or "".
        what: The model, in errors.
        example: How to give a label, in errors.

    Raises:
        ConfigurationError: the names do not show which one it is, or there is no such label.
    """
    listed = ", ".join(f"{at} = {name}" for at, name in enumerate(labels))
    if given:
        named = [at for at, name in enumerate(labels) if name.casefold() == given.strip().casefold()]
        numbered = [at for at in range(len(labels)) if str(at) == given.strip()]
        chosen = named or numbered
        if len(chosen) != 1:
            raise ConfigurationError(f"{what} has no label {given!r}; it has {listed}")
        return SupportLabel(chosen[0], labels[chosen[0]])
    plain = [_APART.sub(" ", name.casefold()).strip() for name in labels]
    support = [at for at, name in enumerate(plain) if name in _SUPPORT]
    others = [at for at, name in enumerate(plain) if name in _OTHER]
    if len(support) == 1:
        return SupportLabel(support[0], labels[support[0]])
    if len(labels) == 1 and (others or _UNNAMED.fullmatch(plain[0])):
        return SupportLabel(0, labels[0], inverted=bool(others))
    if not support and len(labels) == 2 and len(others) == 1:
        return SupportLabel(1 - others[0], labels[1 - others[0]])
    raise ConfigurationError(
        f"{what}: the names of its labels do not say which of them means that the text is supported ({listed}); look "
        f"it up in the model's description and give its name or number: {example}"
    )
