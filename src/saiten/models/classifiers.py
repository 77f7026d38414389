"""Classifiers of texts or tokens, of the transformers library: looked up, checked and loaded."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.models.networks import (
    best_device,
    classifier_with_tokenizer,
    configuration,
    fingerprint,
    is_path,
    loaded,
    longest_input,
    require,
    tokens_at_once,
)

Kind = Literal["sequence", "token"]

_CLASSES: Mapping[Kind, str] = {
    "sequence": "AutoModelForSequenceClassification",
    "token": "AutoModelForTokenClassification",
}


@dataclass(frozen=True, slots=True)
class ClassifierSpec:
    """A classifier before its weights are loaded."""

    kind: Kind
    typed: str
    source: str
    """The folder, or the name on the hub."""
    what: str
    """Its name in errors."""
    labels: tuple[str, ...]
    """The names of its outputs."""
    independent: bool
    """Whether each label has a probability of its own, so that they do not add up to 1."""
    made: str
    """The fingerprint of a folder, or the commit of a model on the hub."""

    @property
    def expected(self) -> str:
        """What should have been there, in errors."""
        return f"a {self.kind} classifier with its tokenizer, as a folder that transformers saved or a name on the hub"

    @property
    def shown(self) -> str:
        """The name in signatures: the last part of a folder, or the name on the hub, with fingerprint or commit."""
        name = Path(self.source).resolve().name if Path(self.source).is_dir() else self.typed
        return f"{name}@{self.made}" if self.made else name


def find_classifier(kind: Kind, typed: str, what: str) -> ClassifierSpec:
    """Look up a classifier in a folder, which needs no network, or by its name on the hub.

    Raises:
        ConfigurationError: an extra is missing, there is no such model, or it requires code from its repository.
    """
    require(what, "neural", "torch", "transformers")
    folder = Path(os.path.expanduser(typed))  # noqa: PTH111 - never raises, however odd the name
    there = os.path.isdir(folder)  # noqa: PTH112 - likewise
    expected = f"a folder that transformers saved, with a {kind} classifier and its tokenizer"
    if not there and (not typed.strip() or is_path(typed) or os.path.exists(folder)):  # noqa: PTH110 - likewise
        raise ConfigurationError(f"{what}: there is no such folder; expected {expected}, or a name on the hub")
    if there and not (folder / "config.json").is_file():
        raise ConfigurationError(f"{what}: the folder has no config.json; expected {expected}")
    source = str(folder) if there else typed
    config = configuration(source, what, f"{expected}, or a name on the hub")
    names = getattr(config, "id2label", None) or {}
    labels = tuple(str(names[at]) for at in sorted(names))
    independent = getattr(config, "problem_type", None) == "multi_label_classification"
    return ClassifierSpec(kind, typed, source, what, labels, independent, fingerprint(source, config))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A network and its tokenizer; not thread-safe."""

    tokenizer: Any
    network: Any
    longest: int
    """Maximum tokens per input, including special ones."""

    @property
    def around(self) -> int:
        """The number of special tokens around two texts."""
        return int(self.tokenizer.num_special_tokens_to_add(pair=True))

    @property
    def at_once(self) -> int:
        """The maximum number of tokens per forward pass."""
        return tokens_at_once(self.network)

    def counts(self, texts: list[str]) -> list[int]:
        """Return the number of tokens of each text, without special ones; tokens written in a text are plain text."""
        if not texts:
            return []
        found = self.tokenizer(texts, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        return [len(each) for each in found]

    def pairs(self, firsts: list[str], seconds: list[str], *, offsets: bool = False) -> Any:
        """Tokenize pairs of texts as the tokenizer does, padded; a first text that is too long loses its end."""
        return self.tokenizer(
            firsts,
            seconds,
            padding=True,
            truncation="only_first",
            max_length=self.longest,
            split_special_tokens=True,
            verbose=False,
            return_tensors="pt",
            return_offsets_mapping=offsets,
        )


def load_classifier(spec: ClassifierSpec) -> Classifier:
    """Load the weights, in 32 bits, onto the best device; takes seconds. No code in a repository is run.

    Raises:
        ConfigurationError: it cannot be loaded, is another kind of model, or is damaged.
    """
    version = {} if Path(spec.source).is_dir() or not spec.made else {"revision": spec.made}
    kind = _CLASSES[spec.kind]
    tokenizer, network, lacking = loaded(
        spec.what, spec.expected, lambda: classifier_with_tokenizer(kind, spec.source, **version)
    )
    if lacking:
        raise ConfigurationError(
            f"{spec.what} is no {spec.kind} classifier: there are no weights for {lacking[0]}, so that it would answer "
            f"at random; expected {spec.expected}"
        )
    if not all(bool(weights.isfinite().all()) for weights in network.parameters()):
        raise ConfigurationError(f"{spec.what} has weights that are not numbers; it is damaged")
    if tokenizer.pad_token_id is None:
        raise ConfigurationError(f"{spec.what}: its tokenizer has no padding token; expected that of an encoder")
    placed = loaded(spec.what, spec.expected, lambda: network.to(best_device()).eval())
    return Classifier(tokenizer, placed, longest_input(tokenizer, network))


def plain(text: str) -> str:
    """Return the text without lone surrogates, which JSON may contain; its length stays the same."""
    return text.encode("utf-8", "replace").decode()
