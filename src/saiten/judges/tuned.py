"""A tuned judge's folder: `saiten-judge.json`, how it was made and how well it agrees with people, and its questions.

`saiten-judge.json` is written last: a folder without it is incomplete. `--judge hf:FOLDER` reads it to know the kind of
network. `questions.jsonl` has the questions that the judge learned from or that were held out. Figures on answers seen
in training would be inflated, so the judge does not grade them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from saiten import prompts
from saiten.choices import HeadName
from saiten.durable.whole_file import read_described, write_described, write_whole
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.wrappers import JudgeWrapper
from saiten.protocols import Judge, R, Task
from saiten.stats.estimate import Estimate
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, GradeAnswer
from saiten.version import __version__
from saiten.words import Message

_ESTIMATES = ("pearson", "mae", "bias", "mae_of_mean")


@dataclass(frozen=True, slots=True)
class HeldOutAspect:
    """One aspect. The figures cover the answers that the judge graded; the others are only counted."""

    aspect: str
    n: int
    """Number of answers graded by both people and judge."""
    questions: int
    """Number of questions of these answers; the intervals resample questions."""
    unreadable: int
    """Number of answers with an unreadable reply."""
    failed: int
    """Number of answers whose call failed, or that the judge could not judge."""
    pearson: Estimate
    """Correlation with people's mean grade."""
    mae: Estimate
    """The mean of |judge − people|, in grades."""
    bias: Estimate
    """The mean of judge − people, in grades: above 0 the judge is too lenient."""
    mae_of_mean: Estimate
    """The mean of |m − people| on the same answers, with m the mean grade of the training data: the error of a judge
    that always answers m."""
    declined: int = 0
    """Number of answers that people or the judge call declined (grade 0 of graded correctness); in no figure."""


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """One kind of overall grade, over the answers that have every grade any kind needs."""

    name: str
    """`direct`, `mate`, or `mate` with other weights."""
    target: str
    """The aspect that it predicts."""
    n: int
    """Number of answers."""
    questions: int
    """Number of questions of these answers."""
    pearson: Estimate
    """Correlation with people's mean grade of the target."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The figures of one judge."""

    judge: str
    """The judge's name."""
    aspects: tuple[HeldOutAspect, ...]
    """Sorted by name."""
    scores: tuple[HeldOutScore, ...] = ()
    """The overall grade, asked for directly and composed from aspects, if the aspects are those of MATE."""

    @property
    def n(self) -> int:
        """The number of grades compared."""
        return sum(one.n for one in self.aspects)

    @property
    def without(self) -> int:
        """The number of grades missing."""
        return sum(one.unreadable + one.failed for one in self.aspects)

    def to_json(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "HeldOut":
        """Restore what `to_json` returned; raises ValueError, TypeError or KeyError for anything else."""
        rows: Sequence[Mapping[str, Any]] = value["aspects"]
        scores = (HeldOutScore(**{**row, "pearson": _estimate(row["pearson"])}) for row in value.get("scores", ()))
        return cls(str(value["judge"]), tuple(_aspect(row) for row in rows), tuple(scores))


def _aspect(row: Mapping[str, Any]) -> HeldOutAspect:
    return HeldOutAspect(**{**row, **{name: _estimate(row[name]) for name in _ESTIMATES}})


def _estimate(row: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**row, **{name: _remark(row.get(name)) for name in ("reason", "note")}})


def _remark(saved: Any) -> Message | None:
    """Restore a remark; earlier versions saved its English text."""
    if saved is None or isinstance(saved, str):
        return Message("remark", "said", text=saved) if saved else None
    return Message(saved["section"], saved["key"], **dict(saved["values"]))


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
    """Write the description, whole or not at all, as the last file of the folder.

    Raises:
        ConfigurationError: the folder is not writable.
    """
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


QUESTIONS_NAME = "questions.jsonl"

_GRADED = (RateAspect, GradeAnswer, DecideCorrect)
"""The tasks that a tuned judge learns."""


@dataclass(frozen=True, slots=True)
class TunedQuestion:
    """One question of the labels."""

    question: str
    held_out: bool
    """Whether it was used for measuring rather than training."""
    items: tuple[str, ...]
    """The ids of the graded answers."""
    answers: tuple[str, ...]
    """A digest per question and answer, by which the answer is recognized."""


def answer_digest(task: Task[Any]) -> str:
    """Return sixteen hexadecimal digits of question and answer, ignoring differences in white space."""
    assert isinstance(task, _GRADED)  # noqa: S101 - the tasks that people grade
    texts = (" ".join(text.split()) for text in (task.question, task.answer))
    return sha256("\n".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def write_questions(folder: Path, questions: Iterable[TunedQuestion]) -> None:
    """Write one question per line; raises ConfigurationError if the folder is not writable."""
    lines = [
        json.dumps(
            {"question": one.question, "held_out": one.held_out, "items": one.items, "answers": one.answers},
            ensure_ascii=False,
        )
        for one in questions
    ]
    write_whole(
        folder / QUESTIONS_NAME, "".join(f"{line}\n" for line in lines), otherwise="name another folder with -o"
    )


def read_learned(folder: Path) -> frozenset[str]:
    """Return the digests of the answers seen in training; empty if the folder has no such file.

    Raises:
        ConfigurationError: the file is damaged.
    """
    path = folder / QUESTIONS_NAME
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return frozenset(digest for row in rows if not row["held_out"] for digest in row["answers"])
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} is damaged: {error!r}; put it back, or make the judge again with `saiten tune judge`"
        ) from error


@dataclass(frozen=True)
class Unlearned(JudgeWrapper):
    """A judge that refuses to grade answers it learned from, but grades other answers to the same questions."""

    judge: Judge
    learned: frozenset[str]
    """Digests of the answers seen in training."""
    folder: Path

    async def perform(self, task: Task[R]) -> R:
        """Return the reply; raises CannotJudge for an answer seen in training, and what the judge raises."""
        if isinstance(task, _GRADED) and answer_digest(task) in self.learned:
            raise CannotJudge(
                "this judge learned from people's grades of this very answer, so its grade would flatter it; "
                f"{self.folder / QUESTIONS_NAME} says which questions were held out"
            )
        return await self.judge.perform(task)


def without_learned(judges: Sequence[Judge], folder: Path) -> tuple[Judge, ...]:
    """Wrap the judges of a folder so that none grades its training data; unchanged if the folder does not list it."""
    learned = read_learned(folder)
    return tuple(Unlearned(judge, learned, folder) if learned else judge for judge in judges)
