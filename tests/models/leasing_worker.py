"""A worker process: asks the lessor at a loopback port for leases, and writes a line for each call."""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from leasing_crowd import PRICED

from saiten.errors import BudgetSpent
from saiten.models.layers import Load
from saiten.models.leases import Leases, Listening
from saiten.models.lessor import Lease, LeaseRequest
from saiten.protocols import Completion
from saiten.records import Usage


async def main(worker: str, port: int, log: Path) -> None:
    """Make calls until the budget is spent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers: dict[int, asyncio.Future[Lease]] = {}

    async def read() -> None:
        while line := await reader.readline():
            number, lease = json.loads(line)
            answers.pop(number).set_result(Lease(**lease))

    reading = asyncio.create_task(read())
    numbers = iter(range(10**9))

    async def ask(wanted: LeaseRequest) -> Lease:
        number = next(numbers)
        answers[number] = asyncio.get_running_loop().create_future()
        writer.write(json.dumps([number, asdict(wanted)]).encode() + b"\n")
        return await answers[number]

    layer = Leases(worker, ask, Listening()).layer("models", "server", PRICED)
    with log.open("a", buffering=1) as lines:

        async def attempt() -> Completion:
            lines.write(f"{worker}\n")
            await asyncio.sleep(0.002)
            return Completion("x", Usage(1, 10, 10))

        async def many() -> None:
            while True:
                await layer.run(attempt, Load(10))

        ended = await asyncio.gather(*(many() for _ in range(4)), return_exceptions=True)
    assert all(isinstance(error, BudgetSpent) for error in ended), ended
    reading.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
