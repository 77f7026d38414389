"""The options of a system under test, for commands that ask one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import ChainName, RagForm, Retrieval
from saiten.errors import ConfigurationError
from saiten.wiring import RagSettings, SystemSettings

THE_SYSTEM, OUR_RAG = "The system", "Our RAG (rag:KB)"
"""How the options stand together in the help."""

AT_ONCE = 8
"""Questions at a time, where nothing else is said: systems under test are often one small server."""

SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        "-s",
        help="python:MODULE:FUNCTION, FILE.py:FUNCTION, http:URL, openai:MODEL\\[@URL], hf:NAME_OR_FOLDER, rag:KB or "
        "file:ANSWERS.",
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE, sent to an HTTP system, never stored. Repeatable.", rich_help_panel=THE_SYSTEM),
]
RepeatableOption = Annotated[
    bool,
    typer.Option(
        "--repeatable",
        help="An HTTP system may be asked again after a time-out, a broken connection or HTTP 5xx.",
        rich_help_panel=THE_SYSTEM,
    ),
]
ChainOption = Annotated[
    ChainName | None,
    typer.Option(
        help="How passages become one answer: all at once, one after another, or all beside each other. Default stuff.",
        rich_help_panel=OUR_RAG,
    ),
]
TalkOption = Annotated[
    RagForm | None,
    typer.Option("--form", help="Each question alone, or with its history. Default qa.", rich_help_panel=OUR_RAG),
]
GeneratorOption = Annotated[
    str | None,
    typer.Option(
        help="extractive (default; no model), openai:MODEL\\[@URL] or hf:NAME_OR_FOLDER.", rich_help_panel=OUR_RAG
    ),
]
ExampleOption = Annotated[
    Path | None,
    typer.Option(
        help="A TOML or JSON file with question, documents and answer, shown to the generator.",
        rich_help_panel=OUR_RAG,
    ),
]
RetrievalOption = Annotated[
    Retrieval | None,
    typer.Option(help="By embeddings, by terms, or by both. Default dense.", rich_help_panel=OUR_RAG),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOptions:
    """What was typed; None where nothing was."""

    system: str
    header: Sequence[str] | None = None
    repeatable: bool = False
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    chain: ChainName | None = None
    form: RagForm | None = None
    k: int | None = None
    generator: str | None = None
    example: Path | None = None
    retrieval: Retrieval | None = None

    @property
    def kind(self) -> str:
        """What stands before the first colon."""
        return self.system.strip().partition(":")[0].partition("/")[0]

    @property
    def has_models(self) -> bool:
        """Whether it asks models, whose answers may be kept in a store and whose calls share a budget."""
        return self.kind in {"openai", "hf", "rag"}

    def settings(self, tell: Callable[[str], None]) -> SystemSettings:
        """With the defaults where nothing was typed.

        Raises:
            ConfigurationError: an option is for another kind of system, or has another form.
        """
        self._refuse_misplaced()
        return SystemSettings(
            temperature=0.0 if self.temperature is None else self.temperature,
            seed=1 if self.seed is None else self.seed,
            max_tokens=self.max_tokens,
            headers=read_headers(self.header or []),
            repeatable=self.repeatable,
            rag=RagSettings(
                self.chain or "stuff",
                self.form or "qa",
                self.k or 5,
                self.generator or "extractive",
                self.example,
                retrieval=self.retrieval or "dense",
            ),
            tell=tell,
        )

    def _refuse_misplaced(self) -> None:
        """Options that would do nothing."""
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
