"""The options of a system under test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saiten.choices import FRAMEWORKS, MOST_AT_ONCE, MOST_PASSAGES, ChainName, RagForm, Retrieval
from saiten.errors import ConfigurationError
from saiten.options import check_sendable, option
from saiten.redaction import PROVIDERS
from saiten.settings import CALLS, CallSettings

if TYPE_CHECKING:
    from saiten.wiring import SystemSettings

SYSTEM, RAG = "System", "Built-in RAG (rag:KB)"
"""Headings in the help."""

_ENGINE = "vllm-engine"
"""The kind of a model in vLLM's engine, whose requests have options, as those to a server."""

AT_ONCE = 8
"""Questions at a time by default: systems under test are often one small server."""


@dataclass(frozen=True, slots=True)
class SystemCalls(CallSettings):
    """The settings of calls to a system under test."""

    concurrency: int = option(AT_ONCE, "Maximum questions in flight.", panel=CALLS, min=1, max=MOST_AT_ONCE, toml=True)
    timeout: float = option(
        120.0, "Timeout per request or call, in seconds.", panel=CALLS, min=0.1, max=86_400, toml=True
    )


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """A system under test, as typed; None for options not typed."""

    system: str = option(
        ...,
        "System under test: python:MODULE:FUNCTION, FILE.py:FUNCTION, langchain:FILE.py:NAME, "
        "llamaindex:FILE.py:NAME, haystack:FILE.py:NAME, http:URL, PROVIDER:MODEL\\[@URL], hf:NAME_OR_FOLDER, "
        "vllm-engine:NAME_OR_FOLDER, rag:KB or file:ANSWERS.",
        "--system",
        "-s",
    )
    header: Mapping[str, str] = option(
        {}, "Header for an HTTP system or a model, NAME=VALUE; never stored. Repeatable.", panel=SYSTEM
    )
    system_options: Mapping[str, Any] = option(
        {},
        "Further parameter of a chat model's or generator's requests, NAME=VALUE: reasoning_effort=low. For "
        "langchain:, llamaindex: and haystack:, the object's own name of the question, history, answer or contexts: "
        "question=query. Repeatable.",
        "--system-option",
        panel=SYSTEM,
    )
    repeatable: bool = option(
        False,
        "Retry requests to an HTTP system after a timeout, a broken connection or HTTP 5xx.",
        panel=SYSTEM,
    )
    temperature: float | None = option(None, "Sampling temperature of a chat model. Default 0.", panel=SYSTEM, min=0)
    seed: int | None = option(None, "Seed of a chat model. Default 1.", panel=SYSTEM)
    max_tokens: int | None = option(
        None, "Maximum tokens per answer of a chat model. Default: the server's limit.", panel=SYSTEM, min=1
    )
    prompts: Path | None = option(
        None,
        "Folder with prompts of chains and chat models that replace saiten's, or a preset; see `saiten prompts`.",
        panel=SYSTEM,
        toml=True,
    )
    chain: ChainName | None = option(
        None,
        "How passages become one answer: all at once, one after another, or in parallel. Default stuff.",
        panel=RAG,
    )
    form: RagForm | None = option(
        None, "Answer each question alone (qa) or with its history (mqa). Default qa.", "--form", panel=RAG
    )
    k: int | None = option(
        None, "Number of passages per question. Default 5.", "--k", "-k", panel=RAG, min=1, max=MOST_PASSAGES
    )
    generator: str | None = option(
        None,
        "Generator: extractive\\[:SENTENCES] (default, 3; no model), PROVIDER:MODEL\\[@URL], hf:NAME_OR_FOLDER or "
        "vllm-engine:NAME_OR_FOLDER.",
        panel=RAG,
    )
    example: Path | None = option(
        None, "TOML or JSON file with a worked example (question, documents, answer) for the generator.", panel=RAG
    )
    retrieval: Retrieval | None = option(
        None, "Retrieval by embeddings, by terms (bm25), or by both. Default dense.", panel=RAG
    )

    @property
    def kind(self) -> str:
        """The part before the first colon."""
        return self.system.strip().partition(":")[0].partition("/")[0]

    @property
    def has_models(self) -> bool:
        """Whether it calls models, whose replies may be cached and whose calls share a budget."""
        return self.kind in {"hf", "rag", _ENGINE, *PROVIDERS}

    @property
    def reads_prompts(self) -> bool:
        """Whether it is a model that is sent saiten's prompts."""
        without_model = (self.generator or "extractive").partition(":")[0] == "extractive"
        return self.has_models and not (self.kind == "rag" and without_model)

    def settings(self, notify: Callable[[str], None]) -> "SystemSettings":
        """Return the settings; options that were not typed have the defaults there.

        Raises:
            ConfigurationError: An option is for another kind of system, or has another form.
        """
        from saiten.wiring import RagSettings, SystemSettings

        if self.header and self.kind not in {"http", "https", "rag", *PROVIDERS}:
            raise ConfigurationError(f"--header is for an HTTP system or a model on a server, not for {self.system}")
        if self.system_options and self.kind not in {"rag", _ENGINE, *FRAMEWORKS, *PROVIDERS}:
            raise ConfigurationError(
                "--system-option is for a model on a server or in vLLM's engine, or for langchain:, llamaindex: and "
                f"haystack:, not for {self.system}"
            )
        check_sendable("--system-option", self.system_options)
        rag = self._typed("chain", "form", "k", "generator", "example", "retrieval")
        if rag and self.kind != "rag":
            raise ConfigurationError(f"--{next(iter(rag))} is for the built-in RAG (rag:KB), not for {self.system}")
        return SystemSettings(
            **self._typed("temperature", "seed", "max_tokens", "prompts"),
            options=self.system_options,
            headers=self.header,
            repeatable=self.repeatable,
            rag=RagSettings(**rag),
            notify=notify,
        )

    def _typed(self, *names: str) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(self, name)) is not None}
