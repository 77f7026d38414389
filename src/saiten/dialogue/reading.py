"""Streaming access to the dialogues of a run on disk; of several lines under one id the last one counts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.lines import dialogue_from_json
from saiten.dialogue.session import DIALOGUES_NAME, SESSION, session_of
from saiten.runs import RunReader
from saiten.runs.lines import id_key, read_lines


def has_dialogues(reader: RunReader) -> bool:
    """Return whether it is a run of dialogues."""
    return SESSION in reader.manifest.settings and any((each / DIALOGUES_NAME).exists() for each in reader.folders)


def read_dialogues(reader: RunReader) -> Iterator[Dialogue]:
    """Yield each dialogue once, in file order. Reads the file twice; memory: about 130 bytes per dialogue."""
    last = {id_key(dialogue.id): number for number, dialogue in _readable(reader, reader.notify)}
    for number, dialogue in _readable(reader, lambda _: None):
        if last.get(id_key(dialogue.id)) == number:
            yield dialogue


def find_dialogue(reader: RunReader, identity: str) -> Dialogue | None:
    """Return the dialogue about the pair with this id, or None."""
    found = None
    for _, dialogue in _readable(reader, reader.notify, identity):
        found = dialogue
    return found


def _readable(
    reader: RunReader, notify: Callable[[str], None], wanted: str | None = None
) -> Iterator[tuple[tuple[int, int], Dialogue]]:
    """Yield the dialogues of this run with the numbers of shard and line; unreadable lines are reported and skipped."""
    run = str(reader.manifest.settings.get(SESSION))

    def dialogue(value: Mapping[str, Any]) -> Dialogue | None:
        identity = str(value.get("id"))
        belongs = value.get("session") == session_of(run, identity) and wanted in {None, identity}
        return dialogue_from_json(value) if belongs else None

    for shard, folder in enumerate(reader.folders):
        for number, found in read_lines(folder / DIALOGUES_NAME, dialogue, notify):
            if found is not None:
                yield (shard, number), found
