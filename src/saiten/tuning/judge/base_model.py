"""The model that is trained further, and its tokeniser: loaded from a folder or by its name; no code of it is run."""

import inspect
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.causal_weights import whole_weights
from saiten.models.chat_template import with_template
from saiten.models.local_model import LocalModel
from saiten.models.networks import best_device, configuration, loaded, safely


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A causal model as it is before it learns."""

    model: Any
    tokenizer: Any
    """With a chat template, its own or the fallback."""
    source: str
    """The folder, in full, or the name on the hub."""
    device: str

    @property
    def context(self) -> int | None:
        """Tokens that it reads at most; None where it does not say."""
        found = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        return found if isinstance(found, int) and found > 0 else None

    @property
    def padding(self) -> int:
        """The token that fills up rows; which one is no matter, since it is masked."""
        found = self.tokenizer.pad_token_id
        return found if found is not None else self.tokenizer.eos_token_id or 0

    @property
    def keeps_logits(self) -> bool:
        """Whether it can be told to predict behind the last tokens only."""
        return "logits_to_keep" in inspect.signature(self.model.forward).parameters


def load_base(name: str) -> BaseModel:
    """The base, ready to learn.

    Raises:
        ConfigurationError: there is no such model, it cannot be loaded, or it is an adapter itself.
    """
    found = LocalModel.find(name)
    if found.base is not None:
        raise ConfigurationError(
            f"{name} is an adapter over {found.base} already, which cannot be stacked; name a whole model with --base"
        )
    expected = "a causal language model with its tokeniser, as transformers saves them, or a name on the hub"
    configuration(found.source, f"the base {name}", expected)
    return loaded(f"the base {name}", expected, partial(_load, found))


def _load(found: LocalModel) -> BaseModel:
    library = import_module("transformers")  # takes seconds, and is an extra
    local = Path(found.source).is_dir()
    source = str(Path(found.source).resolve()) if local else found.source  # the adapter remembers it
    tokenizer = with_template(library.AutoTokenizer.from_pretrained(source, **safely(source)))
    if tokenizer.eos_token_id is None:
        raise ValueError("its tokeniser has no end token (eos_token), so it could not learn to stop")
    device = best_device()
    model = whole_weights(source, f"the base {found.typed}", _dtype(device))
    return BaseModel(model, tokenizer, source, device)


def _dtype(device: str) -> Any:
    """Half the memory where the device computes with bfloat16; what is learned is kept in single precision anyway."""
    torch = import_module("torch")
    return torch.bfloat16 if device == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
