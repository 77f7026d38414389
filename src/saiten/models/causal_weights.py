"""The weights of a causal language model, all of them found: what is not there would be drawn at random."""

from importlib import import_module
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.networks import safely


def whole_weights(source: str, what: str, dtype: Any, **more: Any) -> Any:
    """The network of this folder or name as transformers loads it, all its weights found; `what`: as errors name it.

    Raises:
        ConfigurationError: some weights are not there, as of an encoder, and would be drawn at random.
    """
    network, report = import_module("transformers").AutoModelForCausalLM.from_pretrained(
        source, dtype=dtype, output_loading_info=True, **safely(source), **more
    )
    if lacking := sorted(map(str, [*report["missing_keys"], *report["mismatched_keys"]])):
        raise ConfigurationError(
            f"{what} is no causal language model: there are no weights for {lacking[0]}, so that it would predict at "
            "random; expected a model that writes text, with all its weights"
        )
    return network
