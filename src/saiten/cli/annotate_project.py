"""The project of `saiten annotate`: its typed settings, and its database, created or reopened."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from saiten.annotation.forms import FORMS, AspectsForm, PreferenceForm
from saiten.annotation.records import Json, ProjectSettings
from saiten.annotation.store.engines import is_missing, named, read_address
from saiten.annotation.store.project import Project, open_project
from saiten.cli.annotate_options import ProjectOptions
from saiten.errors import ConfigurationError
from saiten.metrics.rubrics import read_rubric


def _over(typed: ProjectOptions, there: ProjectSettings | None) -> ProjectSettings:
    """Return the settings of a new project, or the existing ones; typed settings must match those."""
    form = typed.form or (there.form if there else None)
    if form is None:
        raise ConfigurationError(f"name a form with --form: {', '.join(FORMS)}")
    named = {"per_item": typed.per_item, "overlap": typed.overlap, "seed": typed.seed}
    given: dict[str, Any] = {key: value for key, value in named.items() if value is not None}
    if typed.show_prelabels:
        given["prelabels"] = "shown"
    if typed.whole_questions:
        given["whole_questions"] = True
    base = there or ProjectSettings(form)
    return replace(base, form=form, options=_options(typed, form, there), **given)


def _options(typed: ProjectOptions, form: str, there: ProjectSettings | None) -> Json:
    page = FORMS[form].from_options(there.options) if there and there.form == form else FORMS[form]()
    if typed.reason is not None:
        page = replace(page, reason_required=typed.reason == "required")
    if isinstance(page, PreferenceForm):
        page = replace(page, pick=page.pick or typed.pick)
        if typed.aspects and page.rubric is None:
            page = replace(page, rubric=read_rubric())
    elif typed.pick or typed.aspects:
        flag = "--pick" if typed.pick else "--aspects"
        raise ConfigurationError(f"{flag} belongs to --form preference, where answers are compared")
    if typed.rubric is not None:
        if not isinstance(page, AspectsForm | PreferenceForm):
            raise ConfigurationError(f"--rubric belongs to --form aspects or preference; {form} has its own scale")
        page = replace(page, rubric=read_rubric(str(typed.rubric)))
    return page.options


def opened(data: str | None, db: str | None, typed: ProjectOptions) -> Project:
    """Return the project, created or reopened."""
    if db is None and (data is None or typed.form is None):
        raise ConfigurationError(
            "name the answers and a form, as in `saiten annotate answers.jsonl --form grade`, or an existing database "
            "with --db"
        )
    url = db or f"{Path(data or '').name.partition('.')[0] or 'stdin'}.{typed.form}.db"
    address = read_address(url)
    missing = is_missing(address)
    if missing and data is None:
        raise ConfigurationError(f"there is no database {named(address)}; name the answers and --form to create one")
    return open_project(url, None if data is None else _over(typed, None if missing else _settings_there(url)))


def _settings_there(url: str) -> ProjectSettings | None:
    """Return the project's settings, or None if it does not exist; other errors surface on opening."""
    try:
        with open_project(url) as project:
            return project.settings
    except ConfigurationError:
        return None
