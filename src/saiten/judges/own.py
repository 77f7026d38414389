"""`saiten-judge.json`: what a judge of one's own was made from, and what it is worth.

It stands beside the weights in the folder that `saiten tune judge` writes, and is written last: a folder without it is
not finished. `--judge hf:FOLDER` reads it to know what kind of network stands there.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from saiten import prompts
from saiten.choices import HeadName
from saiten.durable.whole_file import write_whole
from saiten.errors import ConfigurationError
from saiten.judges.own_figures import HeldOut
from saiten.version import __version__

NAME = "saiten-judge.json"
BEGUN = "training/begun.json"
"""What the command was told, written first: a folder with this file and without the other is not finished."""
KIND = "saiten judge"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class OwnAspect:
    """One thing that the judge learned to grade."""

    name: str
    """As in the labels."""
    task: str
    """The prompt of the task that asks for it: `rate_aspect`, `grade_answer`, `decide_correct`."""
    values: tuple[int, ...]
    """The grades of the scale, rising: of the rubric's aspect, 0 to 5, or 0 and 1 for a verdict."""
    mean: float
    """Of people's grades in what was learned from: what a judge that knows nothing would say."""


@dataclass(frozen=True, slots=True)
class OwnJudge:
    """What stands in `saiten-judge.json`."""

    head: HeadName
    base: str
    """The model that was trained further: a folder or a name."""
    base_fingerprint: str
    """Of the folder's files; empty for a name."""
    aspects: tuple[OwnAspect, ...]
    """Sorted by name."""
    rubric: str
    """`name:digest` of the rubric whose aspects were learned; empty where none was."""
    prompts: str
    """The digest of the prompts that were learned with; empty for an encoder, which sees none."""
    labels: str
    """Twelve hexadecimal digits that change with anything that was learned from."""
    annotators: int
    """How many people's grades these are; 0 where the labels do not say."""
    items: int
    """Answers that were graded, held-out ones included."""
    questions: int
    """Questions that these are to, held-out ones included."""
    held_out_questions: int
    """Of these, how many were held out."""
    options: Mapping[str, Any]
    """What was typed or is the default: epochs, learning rate, seed, held-out share, …; ready for JSON."""
    held_out: HeldOut
    """What it is worth."""
    base_held_out: HeldOut | None = None
    """What the base was worth before, where that was measured."""
    network: Mapping[str, Any] = field(default_factory=dict)
    """What the head needs to know beside its weights, for example its longest input; ready for JSON."""
    notes: tuple[str, ...] = ()
    """What was left out and why."""
    saiten: str = __version__
    kind: str = KIND
    format: int = FORMAT

    @property
    def stale(self) -> str | None:
        """What to tell where the prompts are other ones now than those it learned with; None where they are not."""
        if not self.prompts or self.prompts == prompts_digest(self.aspects):
            return None
        return (
            f"this judge learned with other prompts than this saiten has (it was made by saiten {self.saiten}), so its "
            "held-out figures do not hold for it; make it again with `saiten tune judge`"
        )

    def over_another_base(self, now: str) -> str | None:
        """What to tell where the base is not the one any more that it learned on; `now` is its fingerprint."""
        if not self.base_fingerprint or now == self.base_fingerprint:
            return None
        return (
            f"the base that this judge learned on, {self.base}, has changed since, or another one stands in its place, "
            "so its held-out figures do not hold; put the base back, or make the judge again with `saiten tune judge`"
        )

    def aspect_of(self, task: str, name: str | None = None) -> OwnAspect | None:
        """The aspect that a task asks for: by its prompt, and by its name where it has one; None if not learned."""
        return next((one for one in self.aspects if one.task == task and name in {None, one.name}), None)


def prompts_digest(aspects: Iterable[OwnAspect]) -> str:
    """Of the prompts that ask for these aspects, as they are now."""
    return prompts.digest({one.task for one in aspects})


def read_own(folder: Path | str) -> OwnJudge | None:
    """What stands in the folder; None where it is no folder of `saiten tune judge`.

    Raises:
        ConfigurationError: the judge is not finished, or the file is damaged, of another kind or of a later format.
    """
    path = Path(folder) / NAME
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        if not (Path(folder) / BEGUN).is_file():
            return None
        raise ConfigurationError(
            f"the judge in {folder} is not finished; give the command that began it once more, it goes on from there"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise ConfigurationError(f"{path} is of another kind; expected what `saiten tune judge` writes")
    if value.get("format") != FORMAT:
        raise ConfigurationError(
            f"{path} has format {value.get('format')}, this saiten reads {FORMAT}; use the version that wrote it "
            f"(saiten {value.get('saiten', 'unknown')})"
        )
    try:
        return _from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} is damaged: {error!r}; make the judge again with `saiten tune judge`"
        ) from error


def write_own(folder: Path | str, judge: OwnJudge) -> None:
    """Write it as a whole or not at all; the last thing that is written into the folder.

    Raises:
        ConfigurationError: the folder cannot be written.
    """
    text = json.dumps(asdict(judge), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    write_whole(Path(folder) / NAME, text, otherwise="name another folder with -o")


def _from_json(value: Mapping[str, Any]) -> OwnJudge:
    known = {key: item for key, item in value.items() if key in OwnJudge.__dataclass_fields__}
    if known["head"] not in get_args(HeadName):
        raise ValueError(f"head {known['head']!r} is unknown")
    base = known.get("base_held_out")
    return OwnJudge(
        **{
            **known,
            "aspects": tuple(OwnAspect(**{**one, "values": tuple(one["values"])}) for one in known["aspects"]),
            "held_out": HeldOut.from_json(known["held_out"]),
            "base_held_out": None if base is None else HeldOut.from_json(base),
            "notes": tuple(known.get("notes", ())),
        }
    )
