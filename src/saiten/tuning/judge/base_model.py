"""The model to fine-tune and its tokenizer, from a folder or by hub name; no code in a repository is run."""

import inspect
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.chat_template import with_template
from saiten.models.networks import LocalModel, best_device, causal_weights, configuration, loaded, safely


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A causal model before training."""

    model: Any
    tokenizer: Any
    """Has a chat template, its own or the fallback."""
    source: str
    """The absolute path of the folder, or the hub name."""
    device: str

    @property
    def context(self) -> int | None:
        """The maximum number of tokens; None if unknown."""
        found = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        return found if isinstance(found, int) and found > 0 else None

    @property
    def padding(self) -> int:
        """The padding token; its choice does not matter, since it is masked."""
        found = self.tokenizer.pad_token_id
        return found if found is not None else self.tokenizer.eos_token_id or 0

    @property
    def keeps_logits(self) -> bool:
        """Whether logits can be restricted to the last tokens."""
        return "logits_to_keep" in inspect.signature(self.model.forward).parameters


def load_base(name: str) -> BaseModel:
    """Load the base for training.

    Raises:
        ConfigurationError: the model does not exist, cannot be loaded, or is an adapter itself.
    """
    found = LocalModel.find(name)
    if found.base is not None:
        raise ConfigurationError(
            f"{name} is already an adapter of {found.base}, and adapters do not stack; name a whole model with --base"
        )
    expected = "a causal language model with its tokenizer, as transformers saves them, or a name on the hub"
    configuration(found.source, f"the base {name}", expected)
    return loaded(f"the base {name}", expected, partial(_load, found))


def _load(found: LocalModel) -> BaseModel:
    library = import_module("transformers")  # optional, and takes seconds
    local = Path(found.source).is_dir()
    source = str(Path(found.source).resolve()) if local else found.source  # stored in the adapter
    tokenizer = with_template(library.AutoTokenizer.from_pretrained(source, **safely(source)))
    if tokenizer.eos_token_id is None:
        raise ValueError("its tokenizer has no end token (eos_token), so it could not learn to stop")
    device, torch = best_device(), import_module("torch")
    half = device == "cuda" and torch.cuda.is_bf16_supported()  # the trained weights are in single precision anyway
    model = causal_weights(source, f"the base {found.typed}", torch.bfloat16 if half else torch.float32)
    return BaseModel(model, tokenizer, source, device)
