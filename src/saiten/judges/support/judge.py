"""The support judge: checks with a classifier whether texts support statements; all else goes to the offline judge."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from saiten.executor import together
from saiten.judges.offline import OfflineJudge
from saiten.judges.support.named import PREFIX, NamedNetwork
from saiten.judges.support.network import WINDOW, Found, SupportNetwork, SupportSpec, find_support, support_network
from saiten.judges.support.premises import SupportCheck
from saiten.judges.support.reasons import Source, why
from saiten.models.networks import require
from saiten.protocols import Embedder, R, Task
from saiten.records import Language
from saiten.tasks.statements import Classification, ClassifyStatements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

CHECKED: frozenset[type[Task[Any]]] = frozenset({VerifyStatements, ClassifyStatements})
"""The tasks that ask of whole statements whether a text supports them, and nothing else."""


class SupportJudge:
    """Verifies and compares statements with a network for natural language inference, and otherwise judges offline.

    The network reads a premise (a window of a context, or of the other text) and a hypothesis (the statement), and the
    best premise counts. It is looked up when it is first described or used, and its weights are loaded on first use.
    """

    def __init__(self, named: NamedNetwork, embedder: Embedder | None = None) -> None:
        """`embedder` measures similarity.

        Raises:
            ConfigurationError: torch or transformers is not installed.
        """
        require(f"the judge {PREFIX}{named.model}", "neural", "torch", "transformers")
        self._named = named
        self._offline = OfflineJudge(embedder)

    @cached_property
    def _spec(self) -> SupportSpec:
        return find_support(self._named)

    @cached_property
    def _network(self) -> SupportNetwork:
        return support_network(self._spec)

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return network, label, window and threshold, and under `others` the judge of the remaining tasks.

        If none of the tasks is the network's, the description is that of the offline judge.

        Raises:
            ConfigurationError: there is no such model, or its label of support is unclear.
        """
        kinds = tuple(tasks)
        others = tuple(kind for kind in kinds if kind not in CHECKED)
        if len(others) == len(kinds):
            return self._offline.describe(others)
        parts = {
            "judge": f"{PREFIX}{self._spec.classifier.shown}",
            "support": str(self._spec.label),
            "window": str(self._spec.window or WINDOW),
            "threshold": f"{self._named.threshold:g}",
        }
        if others:
            offline = dict(self._offline.describe(others))
            parts |= {"others": offline.pop("judge"), **offline}
        return parts

    async def perform(self, task: Task[R]) -> R:
        """Return the reply to the task.

        Raises:
            CannotJudge: the offline judge cannot perform it.
            ConfigurationError: the network cannot be loaded.
        """
        if isinstance(task, VerifyStatements):
            verdicts = await self._verdicts(task.statements, task.contexts, "contexts", task.language)
            return cast("R", StatementVerdicts(verdicts=verdicts))
        if isinstance(task, ClassifyStatements):
            answer, reference = task.answer_statements, task.reference_statements
            found = await together(
                [
                    self._verdicts(answer, ("\n".join(reference),), "reference", task.language),
                    self._verdicts(reference, ("\n".join(answer),), "answer", task.language),
                ]
            )
            return cast("R", Classification(answer=found[0], reference=found[1]))
        return await self._offline.perform(task)

    async def preflight(self) -> None:
        """Load the network and process a minimal input."""
        await self._network.check(SupportCheck("a", ("a",), "en"))

    async def close(self) -> None:
        """Close the embedder; the network is released with its last judge."""
        await self._offline.close()

    async def _verdicts(
        self, statements: Sequence[str], sources: tuple[str, ...], source: Source, language: Language
    ) -> list[Verdict]:
        found = await together(
            self._network.check(SupportCheck(statement, sources, language)) for statement in statements
        )
        return [self._verdict(number, each, source, language) for number, each in enumerate(found, 1)]

    def _verdict(self, number: int, found: Found, source: Source, language: Language) -> Verdict:
        """Return the verdict, unclear if the statement was not read, or not to its end."""
        supported = found.p is not None and found.p >= self._named.threshold
        return Verdict(
            number=number,
            reason=why(found, source, language, supported=supported),
            verdict=supported,
            p=found.p,
            unclear=found.p is None or found.statement_cut,
            evidence=found.places if source == "contexts" else (),
        )
