"""A tuned judge's folder: reading and writing `saiten-judge.json`.

It is written last: a folder without it is incomplete. `--judge hf:FOLDER` reads it to know the kind of network.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from saiten.choices import HeadName
from saiten.durable.whole_file import read_described, write_described
from saiten.errors import ConfigurationError
from saiten.judges.held_out import HeldOut
from saiten.judges.tuned import FORMAT, KIND, TunedAspect, TunedJudge

NAME = "saiten-judge.json"
BEGUN = "training/begun.json"
"""The command's arguments, written first: a folder with this file but without the other is incomplete."""


def read_tuned(folder: Path | str) -> TunedJudge | None:
    """Read the description of a tuned judge; None if `saiten tune judge` did not write the folder.

    Raises:
        ConfigurationError: the judge is incomplete, or the file is damaged, of another kind or of a later format.
    """
    path = Path(folder) / NAME
    value = read_described(path, KIND, FORMAT)
    if value is None:
        if not (Path(folder) / BEGUN).is_file():
            return None
        raise ConfigurationError(f"the judge in {folder} is not finished; re-run the command that began it to continue")
    try:
        return _from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} is damaged: {error!r}; make the judge again with `saiten tune judge`"
        ) from error


def write_tuned(folder: Path | str, judge: TunedJudge) -> None:
    """Write the description as the folder's last file; raises ConfigurationError if the folder is not writable."""
    write_described(Path(folder) / NAME, judge, otherwise="name another folder with -o")


def _from_json(value: Mapping[str, Any]) -> TunedJudge:
    known = {key: item for key, item in value.items() if key in TunedJudge.__dataclass_fields__}
    if known["head"] not in get_args(HeadName):
        raise ValueError(f"head {known['head']!r} is unknown")
    base = known.get("base_held_out")
    return TunedJudge(
        **{
            **known,
            "aspects": tuple(TunedAspect(**{**one, "values": tuple(one["values"])}) for one in known["aspects"]),
            "held_out": HeldOut.from_json(known["held_out"]),
            "base_held_out": None if base is None else HeldOut.from_json(base),
            "notes": tuple(known.get("notes", ())),
        }
    )
