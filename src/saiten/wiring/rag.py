"""The built-in RAG over a knowledge base."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saiten.choices import ChainName, RagForm, Retrieval
from saiten.errors import CallFailed, ConfigurationError
from saiten.models.cache import CachedChat
from saiten.prompts import find_prompts
from saiten.protocols import Retriever, System
from saiten.rag.chat_generator import ChatGenerator
from saiten.rag.example import read_example
from saiten.rag.extractive import extractive
from saiten.rag.steps import Generator
from saiten.rag.system import Rag
from saiten.wiring.models import Models
from saiten.wiring.opened_later import OpenedLater, knowledge_base_later


@dataclass(frozen=True, slots=True)
class RagSettings:
    """The settings that determine the built-in RAG's answers, except the knowledge base."""

    chain: ChainName = "stuff"
    """`stuff`, `refine` or `map_reduce`."""
    form: RagForm = "qa"
    """`qa`: each question alone; `mqa`: with the conversation."""
    k: int = 5
    """Passages to retrieve per question."""
    generator: str = "extractive"
    """`extractive[:SENTENCES]`, `PROVIDER:MODEL[@URL]`, `hf:NAME_OR_FOLDER` or `vllm-engine:NAME_OR_FOLDER`."""
    example: Path | None = None
    """A TOML or JSON file with one worked example, for one-shot prompts."""
    temperature: float | None = 0.0
    """None omits the parameter, as reasoning models require."""
    seed: int | None = 1
    max_tokens: int | None = 4096
    """The limit of one generated text."""
    retrieval: Retrieval = "dense"
    """`dense`, `bm25` or `hybrid`, if the knowledge base is opened by `rag_over`."""
    prompts: Path | None = None
    """A folder with prompts of the chains that replace saiten's, or a preset."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters of the generator's requests."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with the generator's requests; stored nowhere."""

    @property
    def calls_at_once(self) -> int:
        """Calls in flight per question; with fewer allowed, the chain is not parallel."""
        return self.k if self.chain == "map_reduce" else 1


def rag_over(kb: str, settings: RagSettings, models: Models) -> Rag:
    """Return the built-in RAG over the knowledge base at an address; opened by `ready`, or with the first question.

    Raises:
        ConfigurationError: the knowledge base does not exist, or a name, a key or a price is missing or wrong.
        BadInput: the example cannot be read.
    """
    return assemble_rag(knowledge_base_later(kb, models, retrieval=settings.retrieval, k=settings.k), settings, models)


async def ready(system: System, models: Models | None = None) -> None:
    """Open and load everything in advance, so that the first latency is like the others.

    Raises:
        ConfigurationError: the knowledge base cannot be opened, or a local model cannot be loaded.
    """
    if models is not None:
        await models.prepare()
    if isinstance(system, Rag) and isinstance(system.retriever, OpenedLater):
        try:
            await system.retriever.open()
        except CallFailed as error:
            raise ConfigurationError(f"the knowledge base cannot be opened: {error}") from error


def assemble_rag(retriever: Retriever, settings: RagSettings, models: Models) -> Rag:
    """Return the built-in RAG over a retriever, which it closes; the models share a budget and a store.

    Raises:
        ConfigurationError: a name, a key or a price is missing or wrong; the text says what to do.
        BadInput: the example cannot be read.
    """
    picking = extractive(settings.generator)
    generator: Generator
    if picking is None:
        example = None if settings.example is None else read_example(settings.example)
        chat = models.chat(
            settings.generator,
            what="generator",
            builtin="extractive",
            headers=settings.headers,
            options=settings.options,
        )
        forget = chat.forget if isinstance(chat, CachedChat) else None
        generator = ChatGenerator(
            chat,
            example,
            settings.temperature,
            settings.seed,
            settings.max_tokens,
            forget,
            find_prompts(settings.prompts),
            settings.options,
            settings.headers,
        )
    elif settings.example is None:
        generator = picking
    else:
        raise ConfigurationError(
            f"the extractive generator learns nothing from an example; leave out {settings.example}, "
            "or name a model as the generator"
        )
    if picking is not None and (given := [*settings.options, *settings.headers]):
        raise ConfigurationError(
            f"the extractive generator sends no requests, so {given[0]} has no effect; leave it out, or name a model "
            "as the generator"
        )
    return Rag(retriever, generator, settings.chain, settings.form, settings.k)
