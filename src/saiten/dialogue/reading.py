"""The dialogues of a run as they are on disk, one at a time; of several lines under one id the last one counts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.lines import dialogue_from_json
from saiten.dialogue.running import DIALOGUES_NAME, SESSION, session_of
from saiten.runs import RunReader
from saiten.runs.keys import id_key
from saiten.runs.lines import read_lines


def has_dialogues(reader: RunReader) -> bool:
    """Whether it is a run of dialogues."""
    return SESSION in reader.manifest.settings and (reader.folder / DIALOGUES_NAME).exists()


def read_dialogues(reader: RunReader) -> Iterator[Dialogue]:
    """Each dialogue once, in the order of the file. Reads it twice and remembers some 130 bytes a dialogue."""
    last = {id_key(dialogue.id): number for number, dialogue in _readable(reader, reader.tell)}
    for number, dialogue in _readable(reader, lambda _: None):
        if last.get(id_key(dialogue.id)) == number:
            yield dialogue


def find_dialogue(reader: RunReader, identity: str) -> Dialogue | None:
    """The dialogue about the pair with this id; None if there is none."""
    found = None
    for _, dialogue in _readable(reader, reader.tell, identity):
        found = dialogue
    return found


def _readable(
    reader: RunReader, tell: Callable[[str], None], wanted: str | None = None
) -> Iterator[tuple[int, Dialogue]]:
    """The dialogues of this run with the numbers of their lines; a line that cannot be read is reported and skipped."""
    run = str(reader.manifest.settings.get(SESSION))

    def dialogue(value: Mapping[str, Any]) -> Dialogue | None:
        identity = str(value.get("id"))
        ours = value.get("session") == session_of(run, identity) and wanted in {None, identity}
        return dialogue_from_json(value) if ours else None

    for number, found in read_lines(reader.folder / DIALOGUES_NAME, dialogue, tell):
        if found is not None:
            yield number, found
