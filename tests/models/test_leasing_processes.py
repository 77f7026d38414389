"""Leases of real processes, one of which is killed."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from saiten.models.lessor import Allowance, LeaseRequest, Lessor

MOST = 600


@pytest.mark.slow
async def test_processes_make_the_calls_of_the_budget_though_one_is_killed_with_a_lease(tmp_path):
    """The others make all that it did not, and end because the budget is spent."""
    lessor = Lessor({"models": Allowance(max_calls=MOST)}, 3)
    log, lost, asked = tmp_path / "calls", 0, 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal lost, asked
        answering: set[asyncio.Task[None]] = set()
        worker = ""

        async def answer(number: int, wanted: LeaseRequest) -> None:
            nonlocal asked
            lease = await lessor.lease(wanted)
            writer.write(json.dumps([number, asdict(lease)]).encode() + b"\n")
            if wanted.worker == "victim" and lease.calls:
                asked += 1
                if asked == 3:
                    os.kill(processes["victim"].pid, signal.SIGKILL)

        try:
            while line := await reader.readline():
                number, fields = json.loads(line)
                worker = fields["worker"]
                task = asyncio.create_task(answer(number, LeaseRequest(**fields)))
                answering.add(task)
                task.add_done_callback(answering.discard)
        except ConnectionError:
            pass
        lost += lessor._budgets["models"].held.get(worker, 0)
        await lessor.gone(worker)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    script = Path(__file__).with_name("leasing_worker.py")
    processes = {
        name: await asyncio.create_subprocess_exec(sys.executable, str(script), name, str(port), str(log))
        for name in ("victim", "second", "third")
    }
    try:
        async with asyncio.timeout(60):
            codes = {name: await process.wait() for name, process in processes.items()}
    finally:
        for process in processes.values():
            if process.returncode is None:
                process.kill()
        server.close()
    assert codes == {"victim": -signal.SIGKILL, "second": 0, "third": 0}
    assert lost
    assert MOST <= len(log.read_text().splitlines()) <= MOST + lost
