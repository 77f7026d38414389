"""Every existing task, each in both languages; a new task without an offline answer fails here."""

import importlib
import os
import pkgutil
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest

import saiten.tasks
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.offline import Calibration, CalibrationFigure, OfflineJudge
from saiten.protocols import Embeddings, Task
from saiten.records import Usage

for module in pkgutil.iter_modules(saiten.tasks.__path__):
    importlib.import_module(f"saiten.tasks.{module.name}")


def tasks():
    """All tasks of the package."""
    found, waiting = [], [Task]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            # slots make a second class of each dataclass; only the one with the name counts
            if getattr(sys.modules[each.__module__], each.__name__, None) is each and each.__name__[0] != "_":
                found.append(each)
    shipped = {each for each in found if each.__module__.startswith("saiten.tasks.")}
    return sorted(shipped, key=lambda each: each.__name__)


WRITING = "saiten.tasks.questions"
"""The tasks that write test sets, which take a model; without one, `testsets/offline` writes questions by rules."""


def judged():
    """The tasks that the judge performs."""
    return [task for task in tasks() if task.__module__ != WRITING]


ENGLISH = {
    "language": "en", "question": "Where and when did the plant open?", "draw": 0, "count": 3, "partial": False,
    "text": "Hello! The plant in Osaka opened on 3 May 1998. It opened with 1,200 people.",
    "answer": "The plant in Osaka opened on 3 May 1998. It opened with 1,200 people.",
    "reference": "It opened in Osaka in 1998.", "references": ("In Osaka in 1998.",), "parts": (),
    "context": "The plant in Osaka opened on 3 May 1998.", "evidence": (), "form": "json",
    "contexts": ("The plant in Osaka opened on 3 May 1998 with 1,200 people.", "Tyres are made of rubber."),
    "statements": ("The plant opened in Osaka in 1998.", "It has 3,000 dogs."),
    "answer_statements": ("It opened in 1998.",), "reference_statements": ("It opened in Osaka in 1998.",),
    "sentences": ("The plant in Osaka opened in 1998.", "Tyres are made of rubber."),
    "keyphrases": ("Osaka", "1,200 people"), "summary": "A plant opened in Osaka.",
    "questions": ("Does the text speak of “Osaka”?", "Does the text speak of “rubber tyres”?"),
    "criterion": "Is the answer correct?", "others": ("The plant opened.", "Rubber."),
    "role": "", "examples": (), "gist": ("It opened in Osaka in 1998.",), "supplement": ("It has 3,000 dogs.",),
    "rubric": "best_first", "first": "In Osaka in 1998.", "second": "In Kobe.",
    "alone": False, "ungraded": False, "history": ("Where and when did the plant open?", "The plant opened in Osaka."), "review": "The year is missing.",
    "first_question": "Where did the plant open?", "first_reference": "In Osaka.",
    "second_question": "Where was the plant opened?", "second_reference": "In Kobe.",
    "refused": (), "aspect": "amount_info", "asks": "Is it enough?", "grades": "-1: too little\n0: right", "values": (-1, 0),
}  # fmt: skip
JAPANESE = {
    **ENGLISH, "language": "ja", "question": "工場はいつどこで開業したか。",
    "text": "こんにちは。大阪工場は1998年5月3日に開業した。従業員は1,200人である。",
    "answer": "大阪工場は1998年5月3日に開業した。従業員は1,200人である。",
    "reference": "1998年に大阪で開業した。", "references": ("1998年に大阪で開業した。",), "parts": (),
    "context": "大阪工場は1998年5月3日に開業した。",
    "contexts": ("大阪工場は1998年5月3日に開業し、従業員は1,200人である。", "タイヤはゴムで作る。"),
    "statements": ("大阪工場は1998年に開業した。", "犬が3,000匹いる。"),
    "answer_statements": ("1998年に開業した。",), "reference_statements": ("1998年に大阪で開業した。",),
    "sentences": ("大阪工場は1998年に開業した。", "タイヤはゴムで作る。"),
    "keyphrases": ("大阪工場", "従業員"), "summary": "大阪に工場が開業した。",
    "questions": ("本文は「大阪工場」について述べているか。", "本文は「ゴム」について述べているか。"),
    "criterion": "回答は正しいか。", "others": ("工場が開業した。", "ゴム"),
    "gist": ("1998年に大阪で開業した。",), "supplement": ("犬が3,000匹いる。",),
    "first": "1998年に大阪で開業した。", "second": "神戸。",
    "first_question": "工場はどこで開業したか。", "first_reference": "大阪です。",
    "second_question": "工場が開業したのはどこか。", "second_reference": "神戸です。",
    "ungraded": False, "history": ("工場はいつどこで開業したか。", "工場は大阪で開業した。"), "review": "年が抜けている。",
}  # fmt: skip


DECLINING = {"en": "I don't know.", "ja": "わかりません。"}
"""The only answers that the judge can rate on an aspect."""


def make(task, values):
    """The task with its fields taken from the values."""
    if task.__name__ == "RateAspect":
        values = values | {"answer": DECLINING[values["language"]]}
    return task(**{field.name: values[field.name] for field in fields(task) if field.name != "conversation"})


class Letters:
    """An embedder whose dimensions are letters."""

    name = "letters"
    closed = False

    async def embed(self, texts):
        vectors = np.zeros((len(texts), 64), np.float32)
        for at, text in enumerate(texts):
            for letter in text:
                vectors[at, ord(letter) % 64] += 1
            vectors[at] /= np.linalg.norm(vectors[at]) or 1
        return Embeddings(vectors, Usage(calls=1))

    async def close(self):
        self.closed = True


@pytest.mark.parametrize("values", [ENGLISH, JAPANESE], ids=["en", "ja"])
@pytest.mark.parametrize("task", judged(), ids=lambda task: task.__name__)
async def test_every_task(task, values):
    """The judge performs every task, with a reply of the right type that the task itself accepts."""
    asked = make(task, values)
    reply = await OfflineJudge(embedder=Letters()).perform(asked)
    assert isinstance(reply, task.reply)
    asked.check(reply)
    assert reply.usage.calls == (task.__name__ == "MeasureSimilarity")


async def test_writing_test_sets_takes_a_model():
    """The offline judge does not pretend to write or to try out questions."""
    writing = [task for task in tasks() if task.__module__ == WRITING]
    assert len(writing) == 8
    values = ENGLISH | {"passages": ("The plant opened in 1998.",), "difficulty": "easy", "asker": ""}
    for task in writing:
        with pytest.raises(CannotJudge, match=task.__name__):
            await OfflineJudge().perform(make(task, values))


async def test_no_means():
    """An unknown task, and similarity without an embedder, cannot be judged: no made-up reply."""

    class Sing(Task):
        reply = saiten.tasks.statements.Entities

    with pytest.raises(CannotJudge, match="Sing"):
        await OfflineJudge().perform(Sing(language="en"))
    with pytest.raises(CannotJudge, match="embedder"):
        await OfflineJudge().perform(saiten.tasks.similarity.MeasureSimilarity("a", ("b",), language="en"))


def test_signature():
    """Signatures name the judge, its constants, its calibrations, and the embedder if it is used."""
    judge = OfflineJudge(embedder=Letters())
    similarity, split = saiten.tasks.similarity.MeasureSimilarity, saiten.tasks.statements.SplitStatements
    assert judge.describe([split]) == {
        "judge": "offline-overlap",
        "constants": judge.constants.digest,
        "calibration": "none",
    }
    assert judge.describe(iter([split, similarity]))["embedder"] == "letters"
    measured = CalibrationFigure(0.7, 0.6, 0.8)
    made = Calibration("correct", 50, 0.1, 0.9, "abc", judge.constants.digest, "balanced accuracy", measured, measured)
    assert OfflineJudge(calibration=(made,)).describe([])["calibration"] == "correct:n=50:abc"


def test_calibrations_that_do_not_fit():
    """Two calibrations of one aspect, or one made with other constants, stop the run immediately."""
    measured = CalibrationFigure(0.7, 0.6, 0.8)
    digest = OfflineJudge().constants.digest
    made = Calibration("correct", 50, 0.1, 0.9, "abc", digest, "balanced accuracy", measured, measured)
    with pytest.raises(ConfigurationError, match="more than one"):
        OfflineJudge(calibration=(made, made))
    other = Calibration("correct", 50, 0.1, 0.9, "abc", "other", "balanced accuracy", measured, measured)
    with pytest.raises(ConfigurationError, match="again"):
        OfflineJudge(calibration=(other,))


async def test_close():
    """Closing the judge closes its embedder; its preflight asks nothing."""
    embedder = Letters()
    await OfflineJudge(embedder=embedder).preflight()
    await OfflineJudge(embedder=embedder).close()
    assert embedder.closed
    await OfflineJudge().close()


SCRIPT = """
import asyncio, sys
sys.path.insert(0, {folder!r})
from test_offline_every_task import *

async def main():
    judge = OfflineJudge(embedder=Letters())
    for values in (ENGLISH, JAPANESE):
        for task in judged():
            print(task.__name__, (await judge.perform(make(task, values))).model_dump_json())

asyncio.run(main())
"""


def test_deterministic():
    """The replies are identical to the last bit in processes with different string hashes."""
    script = SCRIPT.format(folder=os.path.dirname(__file__))  # noqa: PTH120 - text for a script
    replies = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=100,
        ).stdout
        for seed in ("1", "31337")
    }
    assert len(replies) == 1
    assert len(replies.pop().splitlines()) == 2 * len(judged())
