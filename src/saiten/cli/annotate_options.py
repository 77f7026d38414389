"""The options of `saiten annotate`: those of its project, and those of its server."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from saiten.options import option

FormName = Literal["grade", "correct", "aspects", "gist", "preference"]

TOKEN = "SAITEN_ADMIN_TOKEN"  # noqa: S105 - the name of a variable

_PROJECT, _SERVER = "The project: set when it is made, and held to", "The server"
"""Headings in the help."""


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """The project's settings as typed; None or False if not typed."""

    form: FormName | None = option(
        None,
        "grade: 0 to 5 · correct: yes or no · aspects: a rubric's · gist: mark what is missing and extra · "
        "preference: put the answers to a question into order.",
        panel=_PROJECT,
    )
    rubric: Path | None = option(None, "Of --form aspects, and of --aspects. Default: the four axes.", panel=_PROJECT)
    aspects: bool = option(False, "Preference: grade each answer on the rubric, too.", panel=_PROJECT)
    pick: bool = option(False, "Preference: the best answer alone, no order of the others.", panel=_PROJECT)
    reason: Literal["required", "optional"] | None = option(
        None, "Whether a reason must be given. Default: optional.", panel=_PROJECT
    )
    per_item: int | None = option(None, "Annotators for an item of the overlap. Default: 2.", panel=_PROJECT, min=1)
    overlap: float | None = option(
        None,
        "Share of the items that so many annotate; the others have one annotator. Default: 1.",
        panel=_PROJECT,
        min=0.0,
        max=1.0,
    )
    seed: int | None = option(None, "Of overlap and orders. Default: 0.", panel=_PROJECT, min=0)
    whole_questions: bool = option(
        False, "Whoever gets one answer to a question gets all answers to it.", panel=_PROJECT
    )
    prelabels: Path | None = option(
        None, "What a judge says of the same answers: a run, or a file of labels.", panel=_PROJECT
    )
    show_prelabels: bool = option(False, "Let annotators see it; default: hidden. Which is exported.", panel=_PROJECT)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The addresses of the page."""

    host: str = option("127.0.0.1", f"Other addresses than this machine's own need {TOKEN}.", panel=_SERVER)
    port: int = option(8765, "0: any that is free.", panel=_SERVER, min=0, max=65_535)
    public_url: str | None = option(
        None,
        "The address of the reverse proxy by which browsers come: https://grade.example.org",
        panel=_SERVER,
    )
