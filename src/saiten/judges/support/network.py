"""The network: statements and sources in, the best probability of support out, in batches across samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from saiten.errors import ConfigurationError
from saiten.judges.support.named import EXAMPLE, PREFIX, NamedNetwork
from saiten.judges.support.premises import Pairs, Places, Premise, PremiseCutter, SupportCheck
from saiten.models.batches import Batches
from saiten.models.class_labels import SupportLabel, support_label
from saiten.models.classifiers import Classifier, ClassifierSpec, find_classifier, load_classifier
from saiten.models.networks import held

_AT_ONCE = 64
"""Statements per batch; tokens decide how many windows share a forward pass."""
WINDOW = 512
"""Maximum tokens per window by default, unless the model reads fewer: most of these networks learned with that."""
_SHORTEST = 16
"""Minimum tokens per window."""
_LIKELY = 0.5
"""The probability from which a source supports a statement by itself."""
_DIGITS = 4
"""Decimals kept, since a batch's composition changes the ones after."""


@dataclass(frozen=True, slots=True)
class Found:
    """The support found for one statement."""

    p: float | None
    """The highest probability over all premises; None if the statement has no token."""
    places: Places = ()
    """Of the best premise."""
    statement_cut: bool = False
    sources_cut: bool = False


@dataclass(frozen=True, slots=True)
class SupportSpec:
    """The network and its settings, before its weights are loaded."""

    classifier: ClassifierSpec
    label: SupportLabel
    window: int | None
    """As given; None: the default."""


def find_support(named: NamedNetwork) -> SupportSpec:
    """Look up the network and its label of support.

    Raises:
        ConfigurationError: there is no such model, or the label is missing or unclear.
    """
    what = f"the judge {PREFIX}{named.model}"
    found = find_classifier("sequence", named.model, what)
    return SupportSpec(found, support_label(found.labels, named.support, what, EXAMPLE), named.window)


def support_network(spec: SupportSpec) -> "SupportNetwork":
    """Return the network, shared by the judges that use it in the same way."""
    return held(("support", spec), lambda: SupportNetwork(spec))


class SupportNetwork:
    """A classifier of pairs of texts, loaded for the first statement; works in a separate thread."""

    def __init__(self, spec: SupportSpec) -> None:
        self._spec = spec
        self._loaded: SupportClassifier | None = None
        self._batches: Batches[SupportCheck, Found] = Batches(self._work, size=_AT_ONCE, length=len, what="support")

    async def check(self, check: SupportCheck) -> Found:
        """Return the support for the statement; raises ConfigurationError if the model is unusable."""
        return await self._batches.of(check)

    def _work(self, checks: Sequence[SupportCheck]) -> list[Found]:
        loaded = self._loaded = self._loaded or SupportClassifier.of(self._spec)
        cutter = PremiseCutter(loaded.classifier, loaded.window)
        pairs = [cutter.pairs(check) for check in checks]
        waiting = [_Input(at, each.tokens + one.tokens, one) for at, each in enumerate(pairs) for one in each.premises]
        waiting.sort(key=lambda one: one.tokens, reverse=True)
        found: list[list[tuple[float, Places]]] = [[] for _ in pairs]
        while waiting:
            if not self._batches.awaited(checks):
                raise RuntimeError("nobody waits for it any more")
            size = max(1, loaded.classifier.at_once // waiting[0].tokens)
            some, waiting = waiting[:size], waiting[size:]
            probabilities = loaded.probabilities([(one.premise.text, pairs[one.at].statement) for one in some])
            for one, p in zip(some, probabilities, strict=True):
                found[one.at].append((p, one.premise.places))
        return [_found(each, read) for each, read in zip(pairs, found, strict=True)]


@dataclass(frozen=True, slots=True)
class _Input:
    at: int
    """The index of its statement."""
    tokens: int
    premise: Premise


def _found(pairs: Pairs, read: Sequence[tuple[float, Places]]) -> Found:
    """Return the best premise; the joined sources count only if they support the statement and no single one does."""
    if not pairs.statement:
        return Found(None)
    nothing: tuple[float, Places] = (0.0, ())
    best = max((one for one in read if len(one[1]) == 1), key=_rank, default=nothing)
    if best[0] < _LIKELY:
        best = max((best, *(one for one in read if len(one[1]) > 1 and one[0] >= _LIKELY)), key=_rank)
    return Found(*best, statement_cut=pairs.statement_cut, sources_cut=pairs.sources_cut)


def _rank(read: tuple[float, Places]) -> tuple[float, list[int]]:
    """Return the key by which the more probable premise wins, and of equal ones the first."""
    p, places = read
    return p, [-number for place in places for number in place]


@dataclass(frozen=True, eq=False)
class SupportClassifier:
    """The classifier as this judge uses it."""

    spec: SupportSpec
    classifier: Classifier
    window: int

    @classmethod
    def of(cls, spec: SupportSpec) -> "SupportClassifier":
        """Load it; raises ConfigurationError if that fails, or the window does not suit the model."""
        classifier = load_classifier(spec.classifier)
        longest = classifier.longest
        window = min(WINDOW, longest) if spec.window is None else spec.window
        if not _SHORTEST <= window <= longest:
            raise ConfigurationError(
                f"{spec.classifier.what} reads at most {longest} tokens at once; expected a window of {_SHORTEST} to "
                f"{longest} tokens, not {window}"
            )
        return cls(spec, classifier, window)

    def probabilities(self, texts: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability of support of each pair, from one forward pass."""
        torch = import_module("torch")
        encoded = self.classifier.pairs([premise for premise, _ in texts], [statement for _, statement in texts])
        with torch.inference_mode():
            logits = self.classifier.network(**encoded.to(self.classifier.network.device)).logits
            found = self.spec.label.probability(logits, independent=self.spec.classifier.independent)
        if not bool(found.isfinite().all()):
            raise ConfigurationError(
                f"{self.spec.classifier.what} gives values that are not numbers; its weights are damaged"
            )
        return [round(float(p), _DIGITS) for p in found.cpu()]
