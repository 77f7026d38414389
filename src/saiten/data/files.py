"""The files that a path, a pattern (`logs/*.jsonl`) or an address (`s3://bucket/day/*.parquet`) stands for."""

import re
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path

from saiten.data.addresses import asking, file_system, located, name_in
from saiten.data.set_names import named_set
from saiten.errors import BadInput

_MAGIC = re.compile(r"[*?\[]")
_SHEET = re.compile(r"(.+\.xls[xm](?:\.gz)?)#(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input."""

    path: Path | str
    """A path on this machine, or an address as text."""
    name: str
    """The name in messages; for a pattern, the path below the folder where the pattern begins."""
    prefix: str = ""
    """What generated ids begin with, so that those of several files differ."""
    size: int | None = None
    """Its bytes, if they were listed."""
    sheet: str = ""
    """The sheet of a workbook; by default the one whose columns are recognized."""


def files_of(source: str | Path) -> tuple[InputFile, ...]:
    """Return the files in the order of their names; a pattern matches files that are not empty.

    `answers.xlsx#Results` is a sheet of a workbook. An existing file whose name looks like a pattern is that file. The
    files of a pattern have prefixes, even if it matches only one today, since ids should not change when there are
    more.

    Raises:
        BadInput: no file matches, or a store cannot be read.
        ConfigurationError: the package for such addresses is missing.
    """
    named = named_set(source)
    if named is not None:  # several files, or none on this machine; they are not divided, so their size plays no role
        path = str(source) if named.on_hub else Path(source)
        return (InputFile(path, path if isinstance(path, str) else path.name, size=0),)
    path, sheet = _without_sheet(source)
    where = located(path)
    found = (_matching(where) if isinstance(where, Path) else _stored(where)) if _is_pattern(where) else None
    if found is None:
        return (InputFile(where, name_of_file(where), sheet=sheet),)
    if not found:
        raise BadInput(f"no file matches {path}, or only empty ones")
    return tuple(replace(file, sheet=sheet) for file in sorted(found, key=lambda file: file.name))


def name_of_file(source: str | Path) -> str:
    """Return the last part of a path, pattern or address."""
    where = located(source)
    return (where.name or str(where)) if isinstance(where, Path) else name_in(where)


def folder_name(source: str | Path) -> str:
    """Return a name for what is made of a file or of the files of a pattern: the file's, or the folder's."""
    where = located(source)
    text = where.absolute().as_posix() if isinstance(where, Path) else where
    if _is_pattern(where) and not (isinstance(where, Path) and where.exists()):
        beginning = text[: _beginning(text)].rstrip("/")
        return name_of_file(beginning) if beginning else "data"
    return name_of_file(where).partition(".")[0] or "data"


def _without_sheet(source: str | Path) -> tuple[str | Path, str]:
    """Return the path of a workbook, and the sheet that is named behind it."""
    found = _SHEET.fullmatch(str(source))
    return (source, "") if found is None or Path(source).exists() else (found[1], found[2])


def _is_pattern(where: Path | str) -> bool:
    if isinstance(where, str) and where.lower().startswith(("http://", "https://")):
        return False  # a question mark begins a query, and there is nothing to list
    return _MAGIC.search(str(where)) is not None


def _beginning(pattern: str) -> int:
    """Return where the first part with a wildcard begins."""
    found = _MAGIC.search(pattern)
    return pattern.rfind("/", 0, found.start() if found else None) + 1


def _matching(pattern: Path) -> list[InputFile] | None:
    """Return the matching files; None if the pattern is the name of something."""
    if pattern.exists():
        return None
    base = Path(pattern.anchor)
    rest = list(pattern.parts[1:] if pattern.anchor else pattern.parts)
    while len(rest) > 1 and (not _MAGIC.search(rest[0]) or (base / rest[0]).exists()):
        base /= rest.pop(0)
    matching = glob("/".join(rest), root_dir=base, recursive=True)  # noqa: PTH207 - leaves out hidden files, as shells
    paths = {Path(name).as_posix(): base / name for name in matching}
    sizes = {name: path.stat().st_size for name, path in paths.items() if path.is_file()}
    return [InputFile(paths[name], name, f"{name}:", size) for name, size in sizes.items() if size]


def _stored(pattern: str) -> list[InputFile] | None:
    """Return the matching files; None if the pattern is the name of a file."""
    files, path = file_system(pattern)
    beginning = pattern[: _beginning(pattern)]
    _, base = file_system(beginning)
    with asking(pattern):
        files.invalidate_cache()  # of listings; there may be more files by now
        if files.isfile(path):
            return None
        found = files.glob(path, detail=True)
    infos = {each.removeprefix(base).removeprefix("/"): info for each, info in found.items()}
    # Made of the pattern, not by the file system: that forgets the account in `abfs://container@account/…`.
    return [
        InputFile(beginning + name, name, f"{name}:", info.get("size"))
        for name, info in infos.items()
        if info.get("type") == "file" and info.get("size") != 0
    ]
