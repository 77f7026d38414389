"""`saiten-judge.json`: how a tuned judge was made, and how well it agrees with people.

It is next to the weights in the folder that `saiten tune judge` writes, and written last: a folder without it is
incomplete. `--judge hf:FOLDER` reads it to know the kind of network.
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
from saiten.judges.tuned_figures import HeldOut
from saiten.version import __version__

NAME = "saiten-judge.json"
BEGUN = "training/begun.json"
"""The command's arguments, written first: a folder with this file but without the other is incomplete."""
KIND = "saiten judge"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class TunedAspect:
    """An aspect that the judge learned to grade."""

    name: str
    """As named in the labels."""
    task: str
    """The prompt of its task: `rate_aspect`, `grade_answer`, `decide_correct`."""
    values: tuple[int, ...]
    """The scale, ascending: the rubric's grades, 0 to 5, or 0 and 1 for a verdict."""
    mean: float
    """The mean human grade in the training data: what a judge without knowledge would say."""


@dataclass(frozen=True, slots=True)
class TunedJudge:
    """The contents of `saiten-judge.json`."""

    head: HeadName
    base: str
    """The model that was fine-tuned: a folder or a hub name."""
    base_fingerprint: str
    """Of the folder's files; empty for a hub name."""
    aspects: tuple[TunedAspect, ...]
    """Sorted by name."""
    rubric: str
    """`name:digest` of the rubric of the learned aspects; empty if none was."""
    prompts: str
    """The digest of the prompts used in training; empty for an encoder, which sees none."""
    labels: str
    """Twelve hexadecimal digits that change with the training data."""
    annotators: int
    """Number of people who graded; 0 if the labels do not say."""
    items: int
    """Number of graded answers, held-out ones included."""
    questions: int
    """Number of questions, held-out ones included."""
    held_out_questions: int
    """How many of the questions were held out."""
    options: Mapping[str, Any]
    """Options, typed or default: epochs, learning rate, seed, held-out share, …; ready for JSON."""
    held_out: HeldOut
    """Its agreement with people on held-out questions."""
    base_held_out: HeldOut | None = None
    """The base model's agreement before training, if measured."""
    network: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the head, such as its maximum input length; ready for JSON."""
    notes: tuple[str, ...] = ()
    """Notes on omitted data, with the reasons."""
    saiten: str = __version__
    kind: str = KIND
    format: int = FORMAT

    @property
    def stale(self) -> str | None:
        """A warning if the prompts have changed since training; None otherwise."""
        if not self.prompts or self.prompts == prompts_digest(self.aspects):
            return None
        return (
            f"this judge learned with other prompts than this saiten has (it was made by saiten {self.saiten}), so its "
            "held-out figures do not apply; make it again with `saiten tune judge`"
        )

    def over_another_base(self, now: str) -> str | None:
        """Return a warning if the base, whose fingerprint is `now`, has changed since training; None otherwise."""
        if not self.base_fingerprint or now == self.base_fingerprint:
            return None
        return (
            f"the base that this judge learned on, {self.base}, has changed or been replaced since, so its held-out "
            "figures do not apply; put the base back, or make the judge again with `saiten tune judge`"
        )

    def aspect_of(self, task: str, name: str | None = None) -> TunedAspect | None:
        """Return the aspect a task asks for, by its prompt and, if given, its name; None if not learned."""
        return next((one for one in self.aspects if one.task == task and name in {None, one.name}), None)


def prompts_digest(aspects: Iterable[TunedAspect]) -> str:
    """Return the digest of the current prompts for these aspects."""
    return prompts.digest({one.task for one in aspects})


def read_tuned(folder: Path | str) -> TunedJudge | None:
    """Read the description of a tuned judge; None if `saiten tune judge` did not write the folder.

    Raises:
        ConfigurationError: the judge is incomplete, or the file is damaged, of another kind or of a later format.
    """
    path = Path(folder) / NAME
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        if not (Path(folder) / BEGUN).is_file():
            return None
        raise ConfigurationError(
            f"the judge in {folder} is not finished; re-run the command that began it to continue"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise ConfigurationError(f"{path} is of another kind; expected a file written by `saiten tune judge`")
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


def write_tuned(folder: Path | str, judge: TunedJudge) -> None:
    """Write the description, whole or not at all, as the last file of the folder.

    Raises:
        ConfigurationError: the folder is not writable.
    """
    text = json.dumps(asdict(judge), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    write_whole(Path(folder) / NAME, text, otherwise="name another folder with -o")


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
