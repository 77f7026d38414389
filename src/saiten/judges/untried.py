"""A judge whose model cannot be reached before its first batch."""

from dataclasses import dataclass

from saiten.judges.llm import LLMJudge


@dataclass(frozen=True, slots=True)
class UntriedJudge(LLMJudge):
    """An LLM judge without a first small call to its model; the embedder still gets one."""

    async def preflight(self) -> None:
        if self.embedder is not None:
            await self.embedder.embed(["ok"])
