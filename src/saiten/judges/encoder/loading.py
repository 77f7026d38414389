"""Loading an encoder from a folder or the hub."""

from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.encoder.network import AnswerEncoder
from saiten.judges.encoder.windows import Cutter
from saiten.models.networks import best_device, configuration, loaded, quietly, safely

_EXPECTED = "a folder with an encoder that transformers or sentence-transformers saved, or a name on the hub"


def load_encoder(model: str, length: int, most: int, *, what: str) -> AnswerEncoder:
    """Load the encoder from a folder or hub name onto the best device; takes seconds.

    Folders never use the network; hub names are downloaded unless cached. No code in a repository is run. Dropout is
    off, even in training: for a few hundred grades it is noise, and without it training is reproducible. `what`: the
    name used in errors.

    Raises:
        ConfigurationError: it cannot be loaded, or is no encoder.
    """
    configuration(_place(model), what, _EXPECTED)
    tokenizer, network, lacking = loaded(what, _EXPECTED, lambda: _load(model))
    if lacking:
        raise ConfigurationError(
            f"{what} is no encoder: there are no weights for {lacking[0]}, so that it would read at random; expected "
            f"{_EXPECTED}"
        )
    if network.config.is_encoder_decoder or not isinstance(getattr(network.config, "hidden_size", None), int):
        raise ConfigurationError(f"{what} ({type(network).__name__}) is no encoder; expected {_EXPECTED}")
    shortest = min(length, _longest(network, tokenizer))
    return AnswerEncoder(network, tokenizer, shortest, most, Cutter(tokenizer, shortest, most))


def _load(model: str) -> tuple[Any, Any, list[str]]:
    library, torch = import_module("transformers"), import_module("torch")
    model = _place(model)
    with quietly(bars=not Path(model).is_dir()):
        tokenizer = library.AutoTokenizer.from_pretrained(model, **safely(model))
        network, report = library.AutoModel.from_pretrained(
            model, dtype=torch.float32, output_loading_info=True, **safely(model)
        )
    for part in network.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    lacking = sorted(str(key) for key in [*report["missing_keys"], *report["mismatched_keys"]])
    # BERT's pooler is not used here, and sentence-transformers saves none.
    return tokenizer, network.to(best_device()).eval(), [key for key in lacking if "pooler" not in key]


def _place(model: str) -> str:
    folder = Path(model).expanduser()
    return str(folder) if folder.is_dir() else model


def _longest(network: Any, tokenizer: Any) -> int:
    """Return the network's maximum length; RoBERTa's positions begin after the padding index."""
    positions = getattr(network.config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0:
        return int(min(tokenizer.model_max_length, 1 << 30))
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(min(tokenizer.model_max_length, positions - (0 if padding is None else padding + 1)))
