"""Score for many minutes under faults and kills, with people annotating beside it, and check that nothing is lost.

    python tests/reliability/soak.py [--samples 100000] [--minutes 40] [--kills 18] [--people 50] [--seed 1]
                                     [--folder FOLDER] [--picture soak.svg]

`saiten score` runs against `soak_server.py`, which spoils one request in twenty, and is ended again and again in the
middle of its work: mostly by SIGKILL, now and then by Ctrl-C or SIGTERM. The same command resumes it at once; the last
quarter is left to one process, whose memory can be watched for minutes. Beside it people work on the pages of `saiten annotate`, which is ended and started again, too. The exit status is 1 if a check
fails (`soak_checks.py`); what was measured is in `FOLDER/soak.jsonl`.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1] / "annotation"))

import orjson
from crowd import Crowd, Worker, exported
from served import ServedProject, answers
from soak_outcome import PRICES, Life, Outcome, Soak
from soak_processes import MARK, SAITEN, Lines, Records, end, orphans, start_server
from soak_set import rows

ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)
"""How the lives of the scoring process end, in turn."""
LEFT_ALONE = 0.25
"""The share of the samples that the last process scores, which is not ended, so that its growth can be seen."""
_LOOK = 0.1  # seconds between two looks at the scores


class Scoring:
    """The command, and the process that currently executes it."""

    def __init__(self, soak: Soak, folder: Path, environment: dict[str, str], records: Records) -> None:
        self._soak, self._folder, self._environment, self._records = soak, folder, environment, records
        self._scores, self._calls = Lines(folder / "run" / "scores.jsonl"), Lines(folder / "run" / "calls.jsonl")
        self._lines = 0
        self._judge = f"openai:m@http://127.0.0.1:{(folder / 'port').read_text()}/v1"

    def start(self, number: int) -> subprocess.Popen[bytes]:
        """Start it, or resume the run: the command is the same. The key tells the server which life it is."""
        soak, environment = self._soak, self._environment | {"OPENAI_API_KEY": f"life-{number}"}
        limits = ["--concurrency", soak.concurrency, "--rpm", soak.rate, "--timeout", soak.timeout, "--retries", 4]
        command = ["score", "data.jsonl", "-m", "accuracy,token_f1", "--judge", self._judge, "-o", "run", "-q", *limits]
        with (self._folder / f"life-{number}.txt").open("wb") as said:
            self._records.note("start", life=number)
            return subprocess.Popen(
                [*SAITEN, *map(str, command)], cwd=self._folder, env=environment, stdout=said, stderr=said
            )

    def done(self) -> int:
        """Return how many samples have their scores."""
        self._lines += sum(1 for _ in self._scores.new())
        return self._lines // 2

    def buried(self, number: int, ended: str, status: int) -> Life:
        """Return the life that has just ended."""
        lines = [orjson.loads(line) for line in self._calls.new()]
        calls, unknown, unanswered = (
            sum(line.get(name, 0) for line in lines) for name in ("calls", "unpriced", "unanswered")
        )
        paid = tuple(
            (line["prompt_tokens"], line["completion_tokens"], line["cost"])
            for line in lines
            if "prompt_tokens" in line
        )
        self._records.note("end", life=number, how=ended, status=status, done=self.done(), in_flight=unanswered)
        return Life(number, ended, status, calls, unanswered, unknown, paid)


async def score(soak: Soak, scoring: Scoring, outcome: Outcome, project: ServedProject, server: int) -> None:
    """Run the command to its end, through all kills; two of them also hit the annotation server."""
    records, dice = outcome.records, random.Random(soak.seed)
    step = (1 - LEFT_ALONE) * soak.samples / max(1, soak.kills)
    targets = [int(step * (kill + 1) - dice.uniform(0, 0.4) * step) for kill in range(soak.kills)]
    for number in range(soak.kills + 1):
        process = scoring.start(number)
        measured, how = records.seconds(), "by itself"
        while process.poll() is None:
            if records.seconds() > measured + soak.measure_every:
                measured = records.seconds()
                for name, pid in (("score", process.pid), ("annotate", project.process.pid), ("server", server)):
                    records.measure(name, pid, life=number, done=scoring.done(), saves=len(outcome.acknowledged))
            if number < soak.kills and scoring.done() >= targets[number]:
                how = ENDS[number % len(ENDS)].name
                await asyncio.to_thread(end, process, ENDS[number % len(ENDS)])
            elif records.seconds() > soak.minutes * 60:
                how = "out of time"
                await asyncio.to_thread(end, process, signal.SIGINT)
            await asyncio.sleep(_LOOK)
        outcome.lives.append(scoring.buried(number, how, process.returncode))
        if how in ("by itself", "out of time"):
            return
        if number in (1, 5):  # early, so that the last life of the server is long enough to see its memory grow
            await restart(project, records, stop=number == 5)


async def restart(project: ServedProject, records: Records, *, stop: bool) -> None:
    """End the annotation server by Ctrl-C or SIGKILL, and start it again on the same port."""
    records.note("annotate ended", how="SIGINT" if stop else "SIGKILL")
    await asyncio.to_thread(project.stop if stop else project.kill)
    await asyncio.to_thread(project.start)


def show(folder: Path, environment: dict[str, str]) -> str:
    """Return the summary of the run, with each line unbroken."""
    command, wide = [*SAITEN, "show", "run"], environment | {"COLUMNS": "400"}
    return subprocess.run(command, cwd=folder, env=wide, capture_output=True, check=True).stdout.decode()


async def run(soak: Soak, folder: Path) -> Outcome:
    """Run everything, and return what is to be checked."""
    mark = str(uuid4())
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background ignores it, and so do its children
    (folder / "tmp").mkdir(parents=True)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("OPENAI_BASE_URL", "PYTHONDONTWRITEBYTECODE")
    }
    environment |= {MARK: mark, "TMPDIR": str(folder / "tmp"), "SAITEN_LANG": "en", "PYTHONUTF8": "1"}
    with (folder / "data.jsonl").open("w", encoding="utf-8") as data:
        data.writelines(f"{json.dumps(row)}\n" for row in rows(soak.seed, soak.samples))
    (folder / "saiten.toml").write_text(
        f'[prices]\n"m" = {{ prompt = {PRICES["prompt"]}, completion = {PRICES["completion"]} }}\n'
    )
    (folder / "people").mkdir()
    names = [f"P{number}" for number in range(soak.people)]
    with ExitStack() as stack:
        records = Records(folder / "soak.jsonl")
        stack.callback(records.close)
        server = start_server(folder, soak.seed, environment)
        stack.callback(lambda: end(server, signal.SIGKILL) if server.poll() is None else None)
        options = [part for name in names for part in ("--annotator", name)]
        labels = str(folder / "people" / "labels.db")
        items, grade = answers(soak.items), ("--form", "grade")
        project = ServedProject(folder / "people", labels, items, *grade, *options, environment=environment)
        stack.callback(lambda: project.kill() if project.process.poll() is None else None)
        outcome, over = Outcome(soak, folder, records), asyncio.Event()
        crowd = Crowd(
            random.Random(soak.seed), pause=soak.pause, undone=0.1, gone=0.05, enough=over.is_set,
            acknowledged=outcome.acknowledged,
        )  # fmt: skip
        workers = [Worker(name, project.tokens[name], project.port) for name in names]
        await asyncio.gather(*(worker.join() for worker in workers))
        people = asyncio.gather(*map(crowd.work, workers))
        try:
            await score(soak, Scoring(soak, folder, environment, records), outcome, project, server.pid)
        finally:
            over.set()
            await people
            for worker in workers:
                worker.line.cut()
        outcome.exported, outcome.counted = await exported(project), dict(crowd.counted)
        await asyncio.to_thread(project.stop)
        await asyncio.to_thread(end, server, signal.SIGTERM)
        outcome.shown = await asyncio.to_thread(show, folder, environment)
        outcome.left = [*orphans(mark), *map(str, (folder / "tmp").iterdir())]
    return outcome


def main() -> None:
    """Run the soak, print the table of checks, and draw the picture."""
    from soak_checks import check, table
    from soak_picture import draw

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=int, default=Soak.samples)
    parser.add_argument("--minutes", type=float, default=Soak.minutes)
    parser.add_argument("--kills", type=int, default=Soak.kills)
    parser.add_argument("--people", type=int, default=Soak.people)
    parser.add_argument("--seed", type=int, default=Soak.seed)
    parser.add_argument("--folder", type=Path, help="where everything is kept; default: a temporary folder")
    parser.add_argument("--picture", type=Path, help="an SVG with memory, descriptors and progress")
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, as do its children
    soak = Soak(asked.samples, asked.minutes, asked.kills, asked.people, seed=asked.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary) / "soak"
        outcome = asyncio.run(run(soak, folder.absolute()))
        checks = check(outcome)
        print(table(outcome, checks))  # noqa: T201 - a command
        if asked.picture is not None:
            asked.picture.write_text(draw(outcome.records.rows), encoding="utf-8")
    sys.exit(any(each.held is False for each in checks))


if __name__ == "__main__":
    main()
