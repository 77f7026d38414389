"""Recordings: what a real model replied to tasks on the built-in samples, and their replay through the metrics.

    PYTHONPATH=src python tests/recordings.py QUEUE gist accuracy 'accuracy[grounded]'
    PYTHONPATH=src python tests/recordings.py QUEUE dialogues --run RUN
    PYTHONPATH=src python tests/recordings.py        # how many replies were given to prompts that have changed since

QUEUE holds requests (`q/KEY.json`: messages, schema, seed) and replies (`a/KEY.txt`). Samples without all replies are
left out. A recording has a line per sample: the scores, and each reply with the task's prompt, a digest of its inputs,
and a digest of the request. The inputs identify a reply, so a recording outlives a new wording of the prompt; the
request tells whether the prompt is still the one that the model read. RUN is a run of `saiten converse`.
"""

import argparse
import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from saiten import make_metrics
from saiten.demo.gist import load_gist
from saiten.demo.samples import demo_questions, load_demo
from saiten.dialogue.lines import dialogue_from_json, scores_of
from saiten.dialogue.loop import converse
from saiten.dialogue.session import DIALOGUES_NAME
from saiten.errors import CallFailed
from saiten.judges.llm import LLMJudge
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.scripted import ScriptedChat
from saiten.protocols import ChatRequest, Completion, R, Task
from saiten.records import Answer, Inquiry, Sample
from saiten.tasks.similarity import MeasureSimilarity

FOLDER = Path(__file__).parent / "judges" / "recordings"
DIALOGUES = "dialogues"
NAMES = (
    "accuracy",
    "accuracy[grounded]",
    "answer_correctness[weight=1]",
    "answer_relevancy",
    "aspect_critique[harmfulness]",
    "aspects",
    "context_entity_recall",
    "context_precision",
    "context_recall",
    "context_relevance",
    "correctness",
    "faithfulness",
    "gist",
    "summarization_score",
    DIALOGUES,
)
Line = dict[str, Any]


def file_of(name: str) -> Path:
    """Return the recording of a metric, or of the dialogues."""
    return FOLDER / f"{name.translate({ord('['): '_', ord('='): '_', ord(']'): None})}.jsonl"


def samples_of(name: str) -> dict[str, Sample]:
    """Return the built-in samples that belong to a recording, by id."""
    if name == DIALOGUES:
        return {one.id: one for one in demo_questions()}
    return {one.sample.id: one.sample for one in (load_gist() if name == "gist" else load_demo())}


# ---------------------------------------------------------------------------------------------------- digests


def of_inputs(task: Task[Any]) -> str:
    """Return the digest of the inputs that differ from their defaults, and of the language."""
    given = {each.name: getattr(task, each.name) for each in fields(task) if _is_given(task, each)}
    return _digest([type(task).__name__, given])


def of_request(request: ChatRequest) -> str:
    """Return the digest of what a model is sent: messages and schema."""
    return _digest([[asdict(each) for each in request.messages], request.schema])


def _is_given(task: Task[Any], each: Any) -> bool:
    return each.default is MISSING or getattr(task, each.name) != each.default


def _digest(value: Any) -> str:
    plain = json.dumps(value, ensure_ascii=False, sort_keys=True, default=asdict)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


# ----------------------------------------------------------------------------------------------------- judges


@dataclass(frozen=True)
class Queue:
    """A chat model whose replies are in a folder."""

    replies: Mapping[str, str]
    name: str = "queue"

    @classmethod
    def read(cls, folder: Path) -> "Queue":
        """Read all requests that have a reply."""
        found = {}
        for asked in (folder / "q").glob("*.json"):
            answer = folder / "a" / f"{asked.stem}.txt"
            if answer.exists():
                body = json.loads(asked.read_text(encoding="utf-8"))
                found[_key(body["messages"], body["schema"], body["seed"])] = answer.read_text(encoding="utf-8")
        return cls(found)

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the reply; raises CallFailed if there is none."""
        key = _key([asdict(each) for each in request.messages], request.schema, request.seed)
        if key not in self.replies:
            raise CallFailed("the queue has no reply to this request")
        return Completion(self.replies[key], finish_reason="stop")

    async def close(self) -> None:
        """Do nothing; nothing is open."""


def _key(messages: Any, schema: Any, seed: int | None) -> str:
    return json.dumps([messages, schema, seed], ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True)
class Recording:
    """A judge that keeps the replies of a queue."""

    queue: Queue
    kept: dict[str, Line] = field(default_factory=dict)

    async def perform(self, task: Task[R]) -> R:
        """Perform the task with the queue, repairs included."""
        if isinstance(task, MeasureSimilarity):
            return await _measured(task)
        texts: list[str] = []

        async def complete(request: ChatRequest) -> Completion:
            completion = await self.queue.complete(request)
            texts.append(completion.text)
            return completion

        chat = ScriptedChat(complete)
        reply = await LLMJudge(chat, seed=1).perform(task)
        self.kept[of_inputs(task)] = {
            "task": task.prompt,
            "inputs": of_inputs(task),
            "request": of_request(chat.requests[0]),
            "texts": texts,
        }
        return reply


@dataclass(frozen=True)
class Replaying:
    """A judge that gives the recorded replies, by the inputs of the task."""

    replies: Mapping[str, Line]
    used: set[str] = field(default_factory=set)
    outdated: dict[str, str] = field(default_factory=dict)
    """Inputs whose reply was given to another wording of the prompt, with its name."""

    @classmethod
    def of(cls, line: Line) -> "Replaying":
        """Return a judge with the replies of one line."""
        return cls({each["inputs"]: each for each in line["replies"]})

    async def perform(self, task: Task[R]) -> R:
        """Read the recorded reply.

        Raises:
            LookupError: the task was not recorded.
            ConfigurationError: it needs more repairs than the recording has.
        """
        if isinstance(task, MeasureSimilarity):
            return await _measured(task)
        inputs = of_inputs(task)
        if inputs not in self.replies:
            raise LookupError(
                f"{task.prompt} was not recorded with these inputs; record it again, see tests/recordings.py"
            )
        chat = ScriptedChat(self.replies[inputs]["texts"])
        reply = await LLMJudge(chat).perform(task)
        self.used.add(inputs)
        if of_request(chat.requests[0]) != self.replies[inputs]["request"]:
            self.outdated[inputs] = task.prompt
        return reply


async def _measured(task: Task[R]) -> R:
    """Perform the one task that no model replies to."""
    return await LLMJudge(ScriptedChat([]), BuiltinEmbedder()).perform(task)


# ---------------------------------------------------------------------------------------------------- playing


@dataclass
class Repeating:
    """A system under test that says what it said."""

    said: list[str]
    name: str = "recorded"

    def describe(self) -> Mapping[str, str]:
        """Return its name."""
        return {"system": self.name}

    async def answer(self, inquiry: Inquiry) -> Answer:
        """Return the next answer."""
        return Answer(self.said[len(inquiry.history)])

    async def close(self) -> None:
        """Do nothing; nothing is open."""


async def play(name: str, sample: Sample, judge: Any, dialogue: Line | None = None) -> dict[str, list[Any]]:
    """Score the sample, or hold the dialogue, and return status and value by metric."""
    if dialogue is None:
        scores = {metric.name: await metric.score(sample, judge) for metric in make_metrics([name])}
    else:
        pair = replace(sample, evidence=tuple(dialogue["evidence"]) or None)
        held = await converse(pair, Repeating(dialogue["said"]), judge, max_turns=dialogue["max_turns"])
        scores = {each.metric: each.score for each in scores_of(held)}
    return {
        metric: [score.status, None if score.value is None else round(score.value, 6)]
        for metric, score in scores.items()
    }


# -------------------------------------------------------------------------------------------------- recording


def dialogues_in(run: Path) -> dict[str, Line]:
    """Return what the system said in each dialogue that did not fail, and what the grader saw."""
    lines = (run / DIALOGUES_NAME).read_text(encoding="utf-8").splitlines()
    held = [one for one in map(dialogue_from_json, map(json.loads, lines)) if one.ended != "failed"]
    return {
        one.id: {
            "said": [turn.answer for turn in one.history],
            "max_turns": one.max_turns,
            "evidence": [passage.text for passage in one.evidence.passages],
        }
        for one in held
    }


def lines_of(name: str) -> list[Line]:
    """Return a recording; empty if there is none."""
    file = file_of(name)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


async def outdated() -> str:
    """Return how many replies were given to another wording of their prompt."""
    counts: Counter[str] = Counter()
    for name in NAMES:
        for line in lines_of(name):
            judge = Replaying.of(line)
            await play(name, samples_of(name)[line["sample"]], judge, line.get("dialogue"))
            counts.update(judge.outdated.values())
    return ", ".join(f"{prompt}: {n}" for prompt, n in counts.items()) or "every prompt is as it was"


async def record(name: str, queue: Queue, run: Path | None = None) -> list[Line]:
    """Return a line for each sample to which the queue has all replies."""
    held = dialogues_in(run) if run else {}
    lines = []
    for sample in samples_of(name).values():
        dialogue = held.get(sample.id)
        if (name == DIALOGUES) != (dialogue is not None):
            continue
        judge = Recording(queue)
        try:
            scores = await play(name, sample, judge, dialogue)
        except CallFailed:
            continue
        extra = {"dialogue": dialogue} if dialogue else {}
        lines.append({"sample": sample.id, "scores": scores, **extra, "replies": list(judge.kept.values())})
    return lines


def main() -> None:
    """Write the recordings."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("queue", type=Path, nargs="?", help="without it: list the prompts that have changed")
    options.add_argument("names", nargs="*", default=NAMES, help=f"of {', '.join(NAMES)}")
    options.add_argument("--run", type=Path, help="the run of the dialogues")
    given = options.parse_args()
    if given.queue is None:
        print(asyncio.run(outdated()))  # noqa: T201 - a command
        return
    queue = Queue.read(given.queue)
    for name in given.names:
        lines = asyncio.run(record(name, queue, given.run if name == DIALOGUES else None))
        if lines:
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            file_of(name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(lines)} samples recorded")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
