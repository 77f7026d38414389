"""The options of a system under test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from saiten.choices import ChainName, RagForm, Retrieval
from saiten.errors import ConfigurationError
from saiten.options import option
from saiten.settings import CALLS, CallSettings

if TYPE_CHECKING:
    from saiten.wiring import SystemSettings

SYSTEM, RAG = "The system", "Our RAG (rag:KB)"
"""Headings in the help."""

AT_ONCE = 8
"""Questions at a time by default: systems under test are often one small server."""


@dataclass(frozen=True, slots=True)
class SystemCalls(CallSettings):
    """The settings of calls to a system under test."""

    concurrency: int = option(AT_ONCE, "Maximum questions in flight.", panel=CALLS, min=1, toml=True)
    timeout: float = option(120.0, "Seconds for one request or call.", panel=CALLS, min=0.1, toml=True)


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """A system under test, as typed; None for options not typed."""

    system: str = option(
        ...,
        "python:MODULE:FUNCTION, FILE.py:FUNCTION, http:URL, openai:MODEL\\[@URL], hf:NAME_OR_FOLDER, rag:KB or "
        "file:ANSWERS.",
        "--system",
        "-s",
    )
    header: tuple[str, ...] = option((), "NAME=VALUE, sent to an HTTP system, never stored. Repeatable.", panel=SYSTEM)
    repeatable: bool = option(
        False,
        "An HTTP system may be asked again after a time-out, a broken connection or HTTP 5xx.",
        panel=SYSTEM,
    )
    temperature: float | None = option(None, "Of a chat model. Default 0.", panel=SYSTEM, min=0)
    seed: int | None = option(None, "Of a chat model. Default 1.", panel=SYSTEM)
    max_tokens: int | None = option(None, "Of one answer of a chat model. Default: the server's.", panel=SYSTEM, min=1)
    chain: ChainName | None = option(
        None,
        "How passages become one answer: all at once, one after another, or all beside each other. Default stuff.",
        panel=RAG,
    )
    form: RagForm | None = option(None, "Each question alone, or with its history. Default qa.", "--form", panel=RAG)
    k: int | None = option(None, "Passages per question. Default 5.", "--k", "-k", panel=RAG, min=1)
    generator: str | None = option(
        None, "extractive (default; no model), openai:MODEL\\[@URL] or hf:NAME_OR_FOLDER.", panel=RAG
    )
    example: Path | None = option(
        None, "A TOML or JSON file with question, documents and answer, shown to the generator.", panel=RAG
    )
    retrieval: Retrieval | None = option(None, "By embeddings, by terms, or by both. Default dense.", panel=RAG)

    @property
    def kind(self) -> str:
        """The part before the first colon."""
        return self.system.strip().partition(":")[0].partition("/")[0]

    @property
    def has_models(self) -> bool:
        """Whether it asks models, whose answers may be kept in a store and whose calls share a budget."""
        return self.kind in {"openai", "hf", "rag"}

    def settings(self, notify: Callable[[str], None]) -> "SystemSettings":
        """Return the settings, with the defaults where nothing was typed.

        Raises:
            ConfigurationError: An option is for another kind of system, or has another form.
        """
        from saiten.wiring import RagSettings, SystemSettings

        self._refuse_misplaced()
        return SystemSettings(
            temperature=0.0 if self.temperature is None else self.temperature,
            seed=1 if self.seed is None else self.seed,
            max_tokens=self.max_tokens,
            headers=read_headers(self.header),
            repeatable=self.repeatable,
            rag=RagSettings(
                self.chain or "stuff",
                self.form or "qa",
                self.k or 5,
                self.generator or "extractive",
                self.example,
                retrieval=self.retrieval or "dense",
            ),
            notify=notify,
        )

    def _refuse_misplaced(self) -> None:
        """Raise for options that would have no effect."""
        if self.header and self.kind not in {"http", "https"}:
            raise ConfigurationError(f"--header is for an HTTP system, not for {self.system}")
        names = ("chain", "form", "k", "generator", "example", "retrieval")
        given = [name for name in names if getattr(self, name) is not None]
        if given and self.kind != "rag":
            raise ConfigurationError(f"--{given[0]} is for our RAG (rag:KB), not for {self.system}")


def read_headers(pairs: Sequence[str]) -> dict[str, str]:
    """Name → value out of `NAME=VALUE`; raises ConfigurationError for another form, without showing the value."""
    headers = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ConfigurationError("--header expects NAME=VALUE, for example X-Api-Key=secret")
        headers[name.strip()] = value.strip()
    return headers
