"""The linear head: from an answer's features to its grades."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError
from saiten.judges.encoder.network import Features

FILE = "head.safetensors"


@dataclass(frozen=True, eq=False)
class LinearHead:
    """A linear map from features to grades."""

    weights: npt.NDArray[np.float64]
    """Shape (aspects, features)."""
    bias: npt.NDArray[np.float64]
    """Shape (aspects,)."""

    def grades(self, features: Features) -> npt.NDArray[np.float64]:
        """Return grades of shape (answers, aspects), not clipped to any scale."""
        grades: npt.NDArray[np.float64] = features @ self.weights.T + self.bias
        return grades

    def save(self, folder: Path) -> None:
        """Write `head.safetensors`."""
        import_module("safetensors.numpy").save_file({"weights": self.weights, "bias": self.bias}, folder / FILE)


def load_head(folder: Path, aspects: int, width: int) -> LinearHead:
    """Load the head from the folder; raises ConfigurationError if it is unreadable, or does not match this encoder."""
    library = import_module("safetensors")
    try:
        found = import_module("safetensors.numpy").load_file(folder / FILE)
        head = LinearHead(np.asarray(found["weights"], np.float64), np.asarray(found["bias"], np.float64))
    except (OSError, KeyError, ValueError, library.SafetensorError) as error:
        raise ConfigurationError(f"{folder / FILE} cannot be read: {error}; {_AGAIN}") from error
    if head.weights.shape != (aspects, width) or head.bias.shape != (aspects,):
        raise ConfigurationError(
            f"{folder / FILE} has weights of {head.weights.shape}, but the encoder next to it, with {aspects} aspects, "
            f"needs {(aspects, width)}; {_AGAIN}"
        )
    return head


_AGAIN = "make the judge again with `saiten tune judge`"
