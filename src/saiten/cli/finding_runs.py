"""The folders of runs and experiments that a command line means: those named, and those in a named folder."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.plan import PLAN_NAME
from saiten.results.over_time import start_of
from saiten.runs.manifest import MANIFEST_NAME, read_manifest

_NAMED = 8
"""Maximum runs within a folder that an error lists."""
_SKIPPED = 5
"""Maximum skipped paths that are reported one by one."""
_MANY = 3
"""From so many arguments on, those that are no run are skipped: they come from a pattern such as runs/*."""


def find_runs(named: Sequence[Path], notify: Callable[[str], None]) -> list[Path]:
    """Return folders of runs and experiments; a folder of runs is replaced by those in it, oldest first.

    What is no readable run is skipped and reported if it is in such a folder, or one of three or more arguments;
    otherwise it is returned, and its reader says why.

    Raises:
        BadInput: Nothing is left, or a folder has runs only further below.
    """
    found: list[Path] = []
    skipped: list[str] = []
    for path in named:
        within = [] if _marked(path) else _content(path)
        if any(map(_marked, within)):
            skipped += filter(None, map(_why_not, within))
            found += sorted((one for one in within if one.is_dir() and not _why_not(one)), key=_begun)
        elif within and (runs := runs_within(path)):
            raise BadInput(
                f"{path} is not a run, and those in it are further below; name them or their folders: {runs}"
            )
        elif len(named) >= _MANY and path.exists() and (why := _why_not(path, or_file=True)):
            skipped.append(why)
        else:
            found.append(path)
    _report(skipped, notify)
    if not found:
        raise BadInput(f"there is no readable run in {', '.join(map(str, named[:_SKIPPED]))}")
    return found


def runs_within(folder: Path) -> str:
    """Return the first runs and experiments one or two levels below a folder; empty if the folder is a run itself."""
    if (folder / MANIFEST_NAME).is_file() or not folder.is_dir():
        return ""
    marks = (
        mark for depth in ("*", "*/*") for name in (MANIFEST_NAME, PLAN_NAME) for mark in folder.glob(f"{depth}/{name}")
    )
    found = sorted({str(mark.parent) for mark in islice(marks, 1_000)})
    return ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def _content(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except OSError:  # a file, nothing, or a folder that may not be read: its reader says which
        return []


def _marked(folder: Path) -> bool:
    """Return whether it is a run or an experiment, readable or not; also an experiment of an earlier version."""
    try:
        marks = (folder / MANIFEST_NAME, folder / PLAN_NAME)
        return any(mark.is_file() for mark in marks) or all((folder / name).is_dir() for name in ("answers", "scores"))
    except PermissionError:
        return False


def _why_not(path: Path, *, or_file: bool = False) -> str:
    """Return why a path is skipped; empty for a run, an experiment, or a file that nobody takes for one."""
    if not path.is_dir():
        return f"{path} is skipped: it is a file, not a run" if or_file else ""
    if not _marked(path):
        below = runs_within(path)
        return (
            f"{path} is skipped: it is not a run, but contains some; name it as well: {below}"
            if below
            else f"{path} is skipped: it is not a run"
        )
    if (path / PLAN_NAME).is_file():
        return ""
    try:
        return "" if read_manifest(path) is not None else f"{path} is skipped: it has no {PLAN_NAME}"
    except ConfigurationError as error:
        return f"{path} is skipped: {error}"


def _begun(path: Path) -> tuple[bool, datetime, str]:
    """Return the sort key: by date, then those without one, experiments among them."""
    manifest = read_manifest(path)
    begun = None if manifest is None else start_of(manifest.created)
    return begun is None, begun or datetime.max.replace(tzinfo=UTC), path.name


def _report(skipped: Sequence[str], notify: Callable[[str], None]) -> None:
    for why in skipped[:_SKIPPED]:
        notify(why)
    if len(skipped) > _SKIPPED:
        notify(f"{len(skipped) - _SKIPPED} more paths are skipped, since they are not runs")
