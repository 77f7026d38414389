"""The journal of a run of dialogues, and the run's unique name, which stays the same when it is resumed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from saiten.dialogue.lines import HIGHER_IS_BETTER, dialogue_from_json, scores_of
from saiten.runs import Journal
from saiten.runs.journal import SCORES_NAME
from saiten.runs.lines import has_lines
from saiten.runs.manifest import RunSettings, read_manifest

DIALOGUES_NAME = "dialogues.jsonl"
SESSION = "session"
"""The setting with the name of a run of dialogues."""


def open_journal(folder: Path, settings: RunSettings, signatures: Mapping[str, str], **more: Any) -> Journal:
    """Open the journal of a run of dialogues, whose settings include a unique name, and write missing scores."""
    journal = Journal.open(folder, named_settings(folder, settings, signatures), signatures=signatures, **more)
    _finish_scores(journal)
    return journal


def named_settings(folder: Path, settings: RunSettings, signatures: Mapping[str, str]) -> RunSettings:
    """Return the settings with the unique name of the run in the folder, or of a new one."""
    return replace(settings, more={**settings.more, SESSION: _session(folder, settings, signatures)})


def _session(folder: Path, settings: RunSettings, signatures: Mapping[str, str]) -> str:
    """Return the name in the settings, as for a shard; or of the run in the folder if these resume it; or a new one.

    A run without scores starts over under other settings (`Journal.open`). It gets a new name then, so that answers
    of an earlier system are not mistaken for this one's.
    """
    if SESSION in settings.more:
        return str(settings.more[SESSION])
    there = read_manifest(folder)
    name = there.settings.get(SESSION) if there is not None else None
    if there is None or not isinstance(name, str):
        return token_hex(6)
    named = replace(settings, more={**settings.more, SESSION: name})
    return name if has_lines(folder / SCORES_NAME) or not there.differing(named, signatures) else token_hex(6)


def name_of_run(journal: Journal) -> str:
    """Return the run's unique name, which stays the same when the run is resumed."""
    return str(journal.manifest.settings[SESSION])


def session_of(run: str, pair: str) -> str:
    """Return the name of the conversation about a pair, unique per run even on the same server."""
    return f"{run}/{pair}"


def _finish_scores(journal: Journal) -> None:
    """Write scores that are missing because the process was killed between dialogue and scores."""
    for _, line in journal.lines(journal.file(DIALOGUES_NAME)):
        identity = str(line.get("id"))
        if line.get("ended") == "failed" or has_all_scores(journal, identity) or not is_of(journal, line):
            continue
        try:
            ended = dialogue_from_json(line)
        except ValueError:  # unreadable: hold the dialogue again
            continue
        for scored in scores_of(ended):
            if not journal.is_done(identity, scored.metric):
                journal.score(scored)


def is_of(journal: Journal, line: Mapping[str, Any]) -> bool:
    """Return whether a line is from this run; a run that started over leaves older lines in the folder."""
    return line.get("session") == session_of(name_of_run(journal), str(line.get("id")))


def has_all_scores(journal: Journal, identity: str) -> bool:
    """Return whether the dialogue with this id is finished."""
    return all(journal.is_done(identity, name) for name in HIGHER_IS_BETTER)
