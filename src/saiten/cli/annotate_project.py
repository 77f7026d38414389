"""The project of `saiten annotate`: its settings as they were typed, and its database, made or found again."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from saiten.errors import ConfigurationError
from saiten.metrics.rubrics import read_rubric

if TYPE_CHECKING:
    from saiten.annotation.records import Json, ProjectSettings
    from saiten.annotation.store.project import Project

FormName = Literal["grade", "correct", "aspects", "gist", "preference"]


@dataclass(frozen=True, slots=True)
class Flags:
    """Those of the project's settings that can only be typed to be set."""

    show_prelabels: bool
    aspects: bool
    pick: bool
    whole_questions: bool


@dataclass(frozen=True, slots=True)
class Typed:
    """What of the project's settings was typed; None where nothing was."""

    form: FormName | None
    rubric: Path | None
    reason: str | None
    per_item: int | None
    overlap: float | None
    seed: int | None
    flags: Flags

    def over(self, there: "ProjectSettings | None") -> "ProjectSettings":
        """The settings of a new project; or those there, and what was typed, which must be the same."""
        from saiten.annotation.forms import FORMS
        from saiten.annotation.records import ProjectSettings

        form = self.form or (there.form if there else None)
        if form is None:
            raise ConfigurationError(f"what is to be asked? --form {', '.join(FORMS)}")
        named = {"per_item": self.per_item, "overlap": self.overlap, "seed": self.seed}
        given: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
        if self.flags.show_prelabels:
            given["prelabels"] = "shown"
        if self.flags.whole_questions:
            given["whole_questions"] = True
        base = there or ProjectSettings(form)
        return replace(base, form=form, options=self._options(form, there), **given)

    def _options(self, form: str, there: "ProjectSettings | None") -> "Json":
        from saiten.annotation.forms import FORMS, AspectsForm, PreferenceForm

        asked = FORMS[form].from_options(there.options) if there and there.form == form else FORMS[form]()
        if self.reason is not None:
            asked = replace(asked, reason_required=self.reason == "required")
        if isinstance(asked, PreferenceForm):
            asked = replace(asked, pick=asked.pick or self.flags.pick)
            if self.flags.aspects and asked.rubric is None:
                asked = replace(asked, rubric=read_rubric())
        elif self.flags.pick or self.flags.aspects:
            option = "--pick" if self.flags.pick else "--aspects"
            raise ConfigurationError(f"{option} belongs to --form preference, where answers are compared")
        if self.rubric is not None:
            if not isinstance(asked, AspectsForm | PreferenceForm):
                raise ConfigurationError(f"--rubric belongs to --form aspects or preference; {form} has its own scale")
            asked = replace(asked, rubric=read_rubric(str(self.rubric)))
        return asked.options


def opened(data: str | None, db: str | None, typed: Typed) -> "Project":
    """The project, made or found again."""
    from saiten.annotation.store.addresses import FileAddress, read_address
    from saiten.annotation.store.project import open_project

    if db is None and (data is None or typed.form is None):
        raise ConfigurationError(
            "name the answers and what is to be asked, as in `saiten annotate answers.jsonl --form grade`; "
            "or --db with a database that was made before"
        )
    url = db or f"{Path(data or '').name.partition('.')[0] or 'stdin'}.{typed.form}.db"
    address = read_address(url)
    missing = isinstance(address, FileAddress) and not address.path.exists()
    if missing and data is None:
        raise ConfigurationError(f"there is no database {address}; name the answers and --form to make one")
    return open_project(url, None if data is None else typed.over(None if missing else _settings_there(url)))


def _settings_there(url: str) -> "ProjectSettings | None":
    """None where there is no project yet; what else is wrong shows when it is opened to be used."""
    from saiten.annotation.store.project import open_project

    try:
        with open_project(url) as project:
            return project.settings
    except ConfigurationError:
        return None
