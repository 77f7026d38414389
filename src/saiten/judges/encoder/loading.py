"""Loading an encoder from a folder or the hub."""

from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.encoder.network import AnswerEncoder
from saiten.judges.encoder.windows import Cutter
from saiten.models.networks import best_device, configuration, encoder_with_tokenizer, loaded

_EXPECTED = "a folder with an encoder that transformers or sentence-transformers saved, or a name on the hub"


def load_encoder(model: str, length: int, most: int, *, what: str) -> AnswerEncoder:
    """Load the encoder from a folder or hub name onto the best device; takes seconds.

    Folders never use the network; hub names are downloaded unless cached. No code in a repository is run. Dropout is
    off, even in training: for a few hundred grades it is noise, and without it training is reproducible. `what`: the
    name used in errors.

    Raises:
        ConfigurationError: it cannot be loaded, or is no encoder.
    """
    folder = Path(model).expanduser()
    source = str(folder) if folder.is_dir() else model
    configuration(source, what, _EXPECTED)
    tokenizer, network, lacking = loaded(what, _EXPECTED, lambda: encoder_with_tokenizer(source))
    if lacking:
        raise ConfigurationError(
            f"{what} is no encoder: there are no weights for {lacking[0]}, so that it would read at random; expected "
            f"{_EXPECTED}"
        )
    if network.config.is_encoder_decoder or not isinstance(getattr(network.config, "hidden_size", None), int):
        raise ConfigurationError(f"{what} ({type(network).__name__}) is no encoder; expected {_EXPECTED}")
    for part in network.modules():
        if isinstance(part, import_module("torch").nn.Dropout):
            part.p = 0.0
    placed = loaded(what, _EXPECTED, lambda: network.to(best_device()).eval())
    shortest = min(length, _longest(network, tokenizer))
    return AnswerEncoder(placed, tokenizer, shortest, most, Cutter(tokenizer, shortest, most))


def _longest(network: Any, tokenizer: Any) -> int:
    """Return the network's maximum length; RoBERTa's positions begin after the padding index."""
    positions = getattr(network.config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0:
        return int(min(tokenizer.model_max_length, 1 << 30))
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(min(tokenizer.model_max_length, positions - (0 if padding is None else padding + 1)))
