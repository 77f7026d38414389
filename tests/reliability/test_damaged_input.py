"""Files that are damaged in every way, read by the commands: an error or a note that names the file, no traceback."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from damaging import Damage, damages_of
from healthy_files import READINGS, Reading, call, write_all

THOROUGH = os.environ.get("SAITEN_SOAK") == "1"
_WITNESSES = ("show-run/manifest.json", "show-run/scores.jsonl", "score-data.csv")
_WRITTEN = ("out", "out.jsonl", "out.csv", "out.html", "out.json", "out.db")


@pytest.fixture(scope="session")
def healthy(tmp_path_factory) -> Path:
    """The folder of all healthy files, made once."""
    folder = tmp_path_factory.mktemp("healthy")
    before = Path.cwd()
    os.chdir(folder)
    try:
        write_all()
    finally:
        os.chdir(before)
    return folder


def _refresh(healthy: Path, names: Iterable[str]) -> None:
    for name in names:
        here, there = Path(name), healthy / name
        if here.is_dir() and not here.is_symlink():
            shutil.rmtree(here)
        else:
            here.unlink(missing_ok=True)
        if there.is_dir():
            shutil.copytree(there, here)
        elif there.exists():
            shutil.copy(there, here)


def _outcome(reading: Reading, healthy: Path, damage: Damage | None) -> tuple[object, str, str]:
    _refresh(healthy, [*_WRITTEN, *reading.uses, reading.file.partition("/")[0]])
    if reading.file != "saiten.toml":
        Path("saiten.toml").unlink(missing_ok=True)
    if damage is not None:
        damage.put(Path(reading.file))
    try:
        return call(*reading.command)
    except Exception as error:  # noqa: BLE001 - this is what must not happen
        return error, "", ""


def _fault(reading: Reading, damage: Damage, found: tuple[object, str, str], right: tuple[object, str, str]) -> str:
    """Return what is wrong with how the command ended; "" if nothing is."""
    status, out, err = found
    said = " ".join((out + err).split())
    above = reading.file.partition("/")[0].removesuffix(".saiten")
    named = any(part in said.replace(" ", "") for part in (Path(reading.file).name, above, "nowhere"))
    if not isinstance(status, int):
        return f"raised {status!r:.200}"
    if "Traceback" in said or "never retrieved" in said or "Exception ignored" in said:
        return f"showed a traceback: {said[-300:]}"
    if status != right[0] and not named:
        return f"status {status} without the name of the file: {said[:300]}"
    if status == right[0] and out != right[1] and not named and not damage.changes and not reading.free:
        return f"status {status}, other output and no word: {err[-200:]}"
    return ""


def _marks(reading: Reading) -> list[pytest.MarkDecorator]:
    witness = [pytest.mark.witness] if reading.name in _WITNESSES else []
    return [pytest.mark.slow, *witness]


@pytest.mark.parametrize(
    "reading",
    [pytest.param(each, marks=_marks(each), id=each.name) for each in READINGS],
)
def test_no_damage_ends_in_a_traceback_or_without_a_word(reading, healthy, tmp_path, monkeypatch):
    """Whatever is wrong with a file, the command names it, or shows the same as without the damage."""
    monkeypatch.chdir(tmp_path)
    right = _outcome(reading, healthy, None)
    assert right[0] == 0, right
    faults = []
    for damage in damages_of((healthy / reading.file).read_bytes(), reading.kind, thorough=THOROUGH):
        fault = _fault(reading, damage, _outcome(reading, healthy, damage), right)
        faults += [f"{damage.name}: {fault}"] if fault else []
    assert not faults, f"{len(faults)} damaged versions of {reading.file}:\n" + "\n".join(faults)


@pytest.mark.slow
def test_there_are_hundreds_of_damaged_files(healthy):
    """As many as an attack by hand had."""
    made = [damages_of((healthy / each.file).read_bytes(), each.kind, thorough=False) for each in READINGS]
    assert sum(map(len, made)) >= 568
