"""What `saiten prompts` prints and copies."""

import json
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.judges.reply_schema import schema_of
from saiten.prompts import find_prompts, presets
from saiten.prompts.files import names
from saiten.prompts.folder import about, about_prompt, files_in
from saiten.records import Language
from saiten.views.table import Table
from saiten.wiring.prompt_uses import prompt_uses
from saiten.words import Composed, Message


def prompt_tables() -> list[Table]:
    """Return the tables of prompts and of presets."""
    rows = [
        (use.name, Composed(about_prompt(use.name)), Composed(", ".join(use.used_by) or "–"), "en, ja")
        for use in prompt_uses()
    ]
    ready = [(name, Composed(about(name)), ", ".join(sorted(find_prompts(name).replaced))) for name in presets()]
    return [
        Table(Message("title", "prompts"), ("prompt", "task", "used_by", "languages"), tuple(rows)),
        Table(Message("title", "prompt_presets"), ("preset", "about", "prompts"), tuple(ready)),
    ]


def shown(name: str, language: Language, reply: str, without: Collection[str], own: str | None) -> str:
    """Return the messages of a prompt with placeholders, and the JSON schema of the reply.

    Raises:
        ConfigurationError: there is no such prompt, preset, folder or form of the reply.
    """
    _check_names([name], names())
    prompts = find_prompts(own)
    use = next(use for use in prompt_uses() if use.name == name)
    form = reply if use.task is not None else None
    messages = prompts.preview(name, language, use.placeholders(prompts, language, without), form)
    parts = [f"--- {message.role}\n{message.content}" for message in messages]
    if use.task is not None and form == "json":
        schema = json.dumps(schema_of(use.task.reply, language), ensure_ascii=False, indent=2)
        parts.append(f"--- schema of the reply, if the server takes one\n{schema}")
    return "\n".join(parts)


def copied(folder: Path, wanted: Collection[str], own: str | None) -> list[Path]:
    """Copy prompts, and return the files written.

    Raises:
        ConfigurationError: there is no such prompt, a file exists already or cannot be written; nothing is copied then.
    """
    found = files_in(own)
    _check_names(wanted, tuple(found))
    files = {folder / f"{name}.toml": found[name] for name in dict.fromkeys(wanted or sorted(found))}
    if there := [file for file in files if file.exists()]:
        raise ConfigurationError(f"{there[0]} exists already; delete it, or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made: {error.strerror}; name another folder") from error
    written: list[Path] = []
    try:
        for file, source in files.items():
            write_whole(file, source.read_text(encoding="utf-8"), shared=True, otherwise="name another folder")
            written.append(file)
    except ConfigurationError:
        for file in written:  # or the next try would find them
            file.unlink()
        raise
    return written


def _check_names(wanted: Collection[str], there: Collection[str]) -> None:
    for name in wanted:
        if name not in there:
            near = get_close_matches(name, there, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(there))}"
            raise ConfigurationError(f"there is no prompt {name!r}; {hint}")
