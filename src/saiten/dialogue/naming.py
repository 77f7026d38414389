"""The name of a run of dialogues: unique, and the same when the run goes on, so that no two share a session."""

from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from saiten.runs import Journal
from saiten.runs.journal import SCORES_NAME
from saiten.runs.manifest import read_manifest

SETTING = "session"
"""Where it stands among the settings of the run."""


def run_name(folder: Path, settings: Mapping[str, Any], signatures: Mapping[str, str]) -> str:
    """That of the run in the folder, if it goes on with these settings; else a new one.

    A run without scores begins anew under other settings (`Journal.open`). It gets another name then, so that what an
    earlier system answered is not taken for the answer of this one.
    """
    there = read_manifest(folder)
    name = there.settings.get(SETTING) if there is not None else None
    if there is None or not isinstance(name, str):
        return token_hex(6)
    if _has_scores(folder) or there.may_go_on({**settings, SETTING: name}, signatures):
        return name
    return token_hex(6)


def open_journal(folder: Path, settings: Mapping[str, Any], signatures: Mapping[str, str], **more: Any) -> Journal:
    """`Journal.open` for a run of dialogues, with its name among the settings; `name_of_run` tells it."""
    kept = {**settings, SETTING: run_name(folder, settings, signatures)}
    return Journal.open(folder, kept, signatures=signatures, **more)


def name_of_run(journal: Journal) -> str:
    """The name under which the run's conversations are known."""
    return str(journal.manifest.settings[SETTING])


def _has_scores(folder: Path) -> bool:
    path = folder / SCORES_NAME
    return path.exists() and path.stat().st_size > 0
