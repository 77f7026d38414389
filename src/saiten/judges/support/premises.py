"""A statement and the texts that may support it, as pairs that fit into the network's input."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saiten.models.classifiers import Classifier, plain
from saiten.models.text_windows import TextWindow, cut_pieces, windows_of
from saiten.records import Language
from saiten.text.sentences import split_sentences

MOST = 256
"""Maximum windows per statement; the texts are not read beyond."""
_CHARACTERS_PER_TOKEN = 16
"""More than any language has on average, so that only the beginning of an endless statement is tokenized."""

Places = tuple[tuple[int, int, int], ...]
"""Each as (index of the source, start, end) in characters."""


@dataclass(frozen=True, slots=True)
class SupportCheck:
    """A statement, and the texts that may support it."""

    statement: str
    sources: tuple[str, ...]
    language: Language

    def __len__(self) -> int:
        """Return the length in characters, by which checks are sorted."""
        return len(self.statement) + sum(map(len, self.sources))


@dataclass(frozen=True, slots=True)
class Premise:
    """A text that may support the statement, with its place in the sources."""

    text: str
    tokens: int
    places: Places
    """Its place in the sources; several if they are joined."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The premises for one statement."""

    statement: str
    """As the network reads it; "" if there is nothing to read."""
    tokens: int
    """Of the statement and the special tokens."""
    premises: tuple[Premise, ...]
    statement_cut: bool
    """Whether only the beginning of the statement is read."""
    sources_cut: bool
    """Whether the end of the sources is not read."""


class PremiseCutter:
    """Cuts the sources of statements into premises; keeps the pieces of each source for the next statement."""

    def __init__(self, classifier: Classifier, window: int) -> None:
        """`window`: maximum tokens per input, including the statement and special tokens."""
        self._classifier = classifier
        self._room = window - classifier.around
        self._pieces: dict[tuple[str, Language], list[TextWindow]] = {}

    def pairs(self, check: SupportCheck) -> Pairs:
        """Return the premises: the windows of each source, and all sources joined if they fit into one window.

        The statement has at most half of the input.
        """
        statement, tokens, cut = self._beginning(plain(check.statement).strip())
        if not tokens:
            return Pairs("", 0, (), statement_cut=False, sources_cut=False)
        sources = [plain(source) for source in check.sources]
        premises = list(self._premises(sources, self._room - tokens, check.language))
        kept = premises[:MOST]
        if (joined := _joined(sources, premises)) and joined.tokens <= self._room - tokens:
            kept.append(joined)
        taken = tokens + self._classifier.around
        return Pairs(statement, taken, tuple(kept), statement_cut=cut, sources_cut=len(premises) > MOST)

    def _premises(self, sources: Sequence[str], room: int, language: Language) -> Iterator[Premise]:
        for at, source in enumerate(sources):
            for window in windows_of(self._cut(source, language), room, room // 4):
                text = source[window.start : window.end]
                if text.strip():
                    end = window.start + len(text.rstrip())
                    start = window.start + len(text) - len(text.lstrip())
                    yield Premise(source[start:end], window.tokens, ((at, start, end),))

    def _cut(self, source: str, language: Language) -> list[TextWindow]:
        key = source, language
        if key not in self._pieces:
            starts = [sentence.start for sentence in split_sentences(source, language)]
            most = max(1, self._room // 4)
            self._pieces[key] = cut_pieces(source, starts, self._classifier.counts, most)
        return self._pieces[key]

    def _beginning(self, statement: str) -> tuple[str, int, bool]:
        """Return the statement, or as much of its beginning as half of the input holds, and its tokens."""
        most = self._room // 2
        text = statement[: most * _CHARACTERS_PER_TOKEN]
        (tokens,) = self._classifier.counts([text])
        if tokens > most:
            fits, exceeds = 0, len(text)
            while exceeds - fits > 1:
                middle = (fits + exceeds) // 2
                fits, exceeds = (
                    (middle, exceeds) if self._classifier.counts([text[:middle]])[0] <= most else (fits, middle)
                )
            text = text[:fits]
            (tokens,) = self._classifier.counts([text])
        return text, tokens, len(text) < len(statement)


def _joined(sources: Sequence[str], premises: Sequence[Premise]) -> Premise | None:
    """Return all sources as one premise, for statements that need two of them; None unless each is one window."""
    of = [premise.places[0][0] for premise in premises]
    if len(of) < 2 or len(set(of)) < len(of):
        return None
    tokens = sum(premise.tokens for premise in premises) + len(of) - 1
    places = tuple(premise.places[0] for premise in premises)
    return Premise("\n".join(premise.text for premise in premises), tokens, places)
