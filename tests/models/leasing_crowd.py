"""Workers that share a lessor, all in one process."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from saiten.errors import BudgetSpent
from saiten.models.layers import Load
from saiten.models.leases import Leases, Listening
from saiten.models.lessor import Allowance, Lease, LeaseRequest, Lessor
from saiten.models.prices import Price, Quote
from saiten.protocols import Completion
from saiten.records import Usage

PRICED = Quote(Price(1e-9, 1e-9))


class Crowd:
    """Workers with a lessor; each call takes time and money."""

    def __init__(
        self,
        allowance: Allowance,
        workers: int,
        *,
        seconds: float = 0.05,
        cost: float = 0.0,
        loads: Sequence[int] = (20,),
    ) -> None:
        """`loads`: the tokens of each worker's calls, in turn."""
        self.lessor = Lessor({"models": allowance}, workers)
        self.seconds, self.cost, self.loads = seconds, cost, loads
        self.calls: list[tuple[float, int]] = []
        """When each call began, and by whom."""
        self.tokens: list[int] = []
        """What each call used."""
        self.asked: Counter[str] = Counter()
        self.spent = 0.0
        self.lost = 0
        """Calls that lost workers held: they may have been made."""
        self._dead: set[str] = set()
        self._at_work: dict[str, asyncio.Task[int]] = {}

    async def ask(self, wanted: LeaseRequest) -> Lease:
        """Ask as a process does: its question goes on without it, and its answer may reach nobody."""
        if wanted.worker in self._dead:
            await asyncio.Future()
        self.asked[wanted.worker] += 1
        return await asyncio.shield(self.lessor.lease(wanted))

    async def work(self, number: int, calls: int, at_once: int) -> int:
        """Let a worker make so many calls; return how many it could, 0 if it was killed."""
        self._at_work[str(number)] = task = asyncio.create_task(self._work(number, calls, at_once))
        await asyncio.wait([task])
        return 0 if task.cancelled() else task.result()

    async def kill(self, number: int, noticed_after: float) -> None:
        """End a worker at once; the lessor hears of it later."""
        worker = str(number)
        self._dead.add(worker)
        if worker in self._at_work:
            self._at_work[worker].cancel()
        await asyncio.sleep(noticed_after)
        self.lost += self.lessor._budgets["models"].held.get(worker, 0)
        await self.lessor.gone(worker)

    async def _work(self, number: int, calls: int, at_once: int) -> int:
        layer = Leases(str(number), self.ask, Listening()).layer("models", "server", PRICED)
        left = iter(range(calls))
        made = 0

        async def one() -> None:
            nonlocal made
            for index in left:
                tokens = self.loads[index % len(self.loads)]

                async def attempt(tokens: int = tokens) -> Completion:
                    self.calls.append((asyncio.get_running_loop().time(), number))
                    self.tokens.append(tokens)
                    await asyncio.sleep(self.seconds)
                    self.spent += self.cost
                    return Completion("x", Usage(1, tokens, 0, cost=self.cost))

                await layer.run(attempt, Load(tokens))
                made += 1

        ended = await asyncio.gather(*(one() for _ in range(at_once)), return_exceptions=True)
        errors = [error for error in ended if error is not None]
        assert all(isinstance(error, BudgetSpent) for error in errors), errors
        return made
