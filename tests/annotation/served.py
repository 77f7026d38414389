"""`saiten annotate` as users start it: its output is read for links; it is killed and restarted on the same port."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

_SAITEN = "from saiten.cli import main; main()"
_TALKATIVE = (
    "import logging; logging.basicConfig(level=logging.DEBUG); "
    f"logging.getLogger('sqlalchemy').setLevel(logging.DEBUG); {_SAITEN}"
)
_LINK = re.compile(r"(.+): http://127\.0\.0\.1:(\d+)/join/(\S+)")


def answers(number: int, *, length: int = 1) -> Iterable[Mapping[str, Any]]:
    """Rows to annotate; the first word of each answer identifies it."""
    for n in range(number):
        text = " This is a sentence of the answer." * length
        yield {
            "id": f"item {n}",
            "question": f"Question {n}?",
            "answer": f"<{n}>{text}",
            "reference": f"The reference of {n}.",
            "contexts": [f"A context of {n}.{text}"],
        }


class ServedProject:
    """A project and the process that serves it."""

    def __init__(
        self,
        folder: Path,
        database: str,
        rows: Iterable[Mapping[str, Any]],
        *options: str,
        talkative: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`options` are for the first start, which makes the project; if `talkative`, every library logs all it can."""
        self._environment = environment
        self._program = _TALKATIVE if talkative else _SAITEN
        self.folder = folder
        self.database = database
        self.tokens: dict[str, str] = {}
        """By name; the admin's is new at each start."""
        self.port = 0
        self.output: list[bytes] = []
        """The lines on standard error, from all starts."""
        data = folder / "answers.jsonl"
        with data.open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
        self.start(str(data), *options)

    def start(self, *options: str) -> None:
        """Start the server and wait until it serves."""
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                self._program,
                "annotate",
                *options,
                "--db",
                self.database,
                "--port",
                str(self.port),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={**self._environment, "PYTHONUTF8": "1"},
        )
        for line in self.process.stderr:
            self.output.append(line)
            if found := _LINK.fullmatch(line.decode().rstrip()):
                self.tokens[found[1]], self.port = found[3], int(found[2])
            if b"Ctrl-C stops" in line:
                break
        else:
            raise RuntimeError(b"".join(self.output).decode())
        self._reader = Thread(target=self.output.extend, args=[self.process.stderr], daemon=True)
        self._reader.start()

    def cpu_seconds(self) -> float:
        """The CPU time that the server has used since it was started; Linux only."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Kill it with SIGKILL, with no chance to finish anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Stop it with Ctrl-C; returns the exit status."""
        return self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        status = self.process.wait(60)
        self._reader.join()
        self.process.stderr.close()
        return status
