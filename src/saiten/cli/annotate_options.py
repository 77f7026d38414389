"""The options of `saiten annotate`: those of its project, and those of its server."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from saiten.options import option

FormName = Literal["grade", "correct", "aspects", "gist", "preference", "approve"]

TOKEN = "SAITEN_ADMIN_TOKEN"  # noqa: S105 - the name of a variable

_PROJECT, _SERVER = "Project (fixed when it is created)", "Server"
"""Headings in the help."""


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """The project's settings as typed; None or False if not typed."""

    form: FormName | None = option(
        None,
        "grade: 0 to 5 · correct: yes or no · aspects: grades by a rubric · gist: mark missing and extra information · "
        "preference: rank the answers to a question · approve: approve, edit or reject the questions of a test set.",
        panel=_PROJECT,
    )
    rubric: Path | None = option(
        None, "Rubric for --form aspects and --aspects. Default: the four axes.", panel=_PROJECT
    )
    aspects: bool = option(False, "With --form preference, also grade each answer by the rubric.", panel=_PROJECT)
    pick: bool = option(False, "With --form preference, choose only the best answer.", panel=_PROJECT)
    reason: Literal["required", "optional"] | None = option(
        None,
        "Whether annotators must give a reason. Default: optional, but required for a rejection with --form approve.",
        panel=_PROJECT,
    )
    per_item: int | None = option(
        None, "Number of annotators per shared item. Default: 2.", panel=_PROJECT, min=1, max=1_000
    )
    overlap: float | None = option(
        None,
        "Share of items with --per-item annotators; the others have one. Default: 1.",
        panel=_PROJECT,
        min=0.0,
        max=1.0,
    )
    seed: int | None = option(None, "Seed of the overlap and of the order. Default: 0.", panel=_PROJECT, min=0)
    whole_questions: bool = option(False, "Give all answers to a question to the same annotator.", panel=_PROJECT)
    prelabels: Path | None = option(
        None, "A judge's scores of the same answers: a run, or a file of labels.", panel=_PROJECT
    )
    show_prelabels: bool = option(
        False, "Show the pre-labels to annotators; the export says whether they were shown.", panel=_PROJECT
    )


@dataclass(frozen=True, slots=True)
class PeopleOptions:
    """The people who get links."""

    annotator: tuple[str, ...] = option((), "Annotator to create a link for. Repeatable; the page can add more.")
    new_link: tuple[str, ...] = option((), "Annotator who lost their link and gets a new one. Repeatable.")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The addresses of the page."""

    host: str = option(
        "127.0.0.1", f"Address to listen on; other machines can connect only if {TOKEN} is set.", panel=_SERVER
    )
    port: int = option(8765, "Port; 0 for any free port.", panel=_SERVER, min=0, max=65_535)
    public_url: str | None = option(
        None,
        "Public address of the reverse proxy, such as https://grade.example.org",
        panel=_SERVER,
    )
