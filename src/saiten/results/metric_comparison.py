"""One metric on both sides of a comparison."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from saiten.results.paired_sides import Missing
from saiten.results.verdict import Verdict, verdict_of
from saiten.stats.paired import PairedComparison
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric on both sides."""

    metric: str
    pairs: PairedComparison
    """Second minus first, on the samples measured on both sides."""
    p_value: float | None
    """P-value of `pairs`, corrected for all tests made together."""
    of: int
    """Number of samples that could have been measured on both sides."""
    either: int
    """Number of samples with a score on either side."""
    one_sided: int
    """Number of samples with a value on one side only."""
    higher: bool | None
    """Whether higher is better; None if neither is, or if it is unknown."""
    missing: tuple[Counter[Missing], Counter[Missing]] = (Counter(), Counter())
    """Reasons for missing values on the first and the second side."""

    @property
    def difference(self) -> float | None:
        """Second minus first."""
        return self.pairs.difference

    @property
    def ci_low(self) -> float | None:
        """Lower end of the 95 % interval of the difference."""
        return self.pairs.low

    @property
    def ci_high(self) -> float | None:
        """Upper end of the 95 % interval of the difference."""
        return self.pairs.high

    @property
    def n(self) -> int:
        """Number of samples measured on both sides."""
        return self.pairs.n

    @property
    def verdict(self) -> Verdict:
        """Verdict on the second side."""
        return verdict_of(self.difference, self.p_value, self.n, self.of, higher=self.higher)

    @property
    def remarks(self) -> Message:
        """Remarks on the interval, and the reason if there is no verdict."""
        return joined([self.pairs.note, *self._why_unmeasured()])

    def _why_unmeasured(self) -> Iterator[Message]:
        if self.verdict != "unmeasured":
            return
        yield Message("remark", "measured_on_both", n=self.n, of=self.of)
        for side, missing in zip(("first_lacks", "second_lacks"), self.missing, strict=True):
            often = sorted(missing.items(), key=lambda pair: (-pair[1], pair[0]))
            yield from (Message("remark", side, n=n, status=Message("status", why)) for why, n in often)
