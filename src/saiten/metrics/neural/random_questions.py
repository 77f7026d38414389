"""Random questions: for each sample, one that is not its own, drawn deterministically."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType
from unicodedata import normalize

from saiten.data import BadRow
from saiten.data.columns import MISSING, SAMPLE_COLUMNS, Columns
from saiten.data.formats import read_rows
from saiten.data.values import as_language, as_text
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Language, Sample
from saiten.text.language import detect_language

SHIPPED = files(__package__) / "random_questions.jsonl"
"""The default questions: a hundred in each language."""


@dataclass(frozen=True)
class RandomQuestions:
    """Questions by language, without duplicates, in the order of the file."""

    by_language: Mapping[Language, tuple[str, ...]]

    @cached_property
    def digest(self) -> str:
        """Eight hex digits that change with the questions or their order."""
        return blake2b(repr(sorted(self.by_language.items())).encode(), digest_size=4).hexdigest()

    def draw(self, sample: Sample, seed: int) -> str | None:
        """Draw a question in the sample's language that is not its own; None if there is none.

        Depends only on seed, the sample's id and question, and the questions: not on other samples or their order.
        """
        questions = self.by_language.get(sample.language, ())
        own = self._positions[sample.language].get(_plain(sample.question), len(questions))
        others = len(questions) - (own < len(questions))
        if not others:
            return None
        drawn = blake2b(f"{seed}\0{sample.id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        at = int.from_bytes(drawn, "big") % others
        return questions[at + (at >= own)]

    @cached_property
    def _positions(self) -> Mapping[Language, Mapping[str, int]]:
        empty: dict[Language, Mapping[str, int]] = {"ja": {}, "en": {}}
        return empty | {
            language: {_plain(question): at for at, question in enumerate(questions)}
            for language, questions in self.by_language.items()
        }


def read_questions(file: str = "") -> RandomQuestions:
    """Read questions from a file in any format for samples, or those shipped; a ConfigurationError names the fault.

    The language is the row's, or else detected. Rows without a question are skipped.
    """
    return _read(Path(file)) if file else _shipped()


@cache
def _shipped() -> RandomQuestions:
    with as_file(SHIPPED) as shipped:
        return _read(shipped)


def _read(file: Path) -> RandomQuestions:
    found: dict[Language, dict[str, str]] = {}
    try:
        for question, language in _questions(file):
            found.setdefault(language, {}).setdefault(_plain(question), question)
    except BadInput as error:
        raise ConfigurationError(f"perplexity: the file of questions cannot be used: {error}") from error
    if not found:
        raise ConfigurationError(f"perplexity: there is no question in {file}")
    return RandomQuestions(
        MappingProxyType({language: tuple(questions.values()) for language, questions in found.items()})
    )


def _questions(file: Path) -> Iterator[tuple[str, Language]]:
    columns = Columns({name: SAMPLE_COLUMNS[name] for name in ("question", "language")}, {})
    rows = read_rows(file, None, wanted=columns.wanted, notify=_ignore)
    for row in columns.checked(rows, file.name, ("question",), _ignore):
        if isinstance(row, BadRow):
            raise BadInput(f"{row.where}: {row.reason}")
        question, language = (columns.find(row.fields, field) for field in ("question", "language"))
        try:
            text = "" if question is MISSING else (as_text(question) or "").strip()
            spoken = None if language is MISSING else as_language(language)
        except ValueError as error:
            raise BadInput(f"{row.where}: {error}") from error
        if text:
            yield text, spoken or detect_language(text)


def _ignore(_note: str) -> None:
    """Drop notes on skipped columns and rare encodings, which appear when the same file is read as data."""


def _plain(question: str) -> str:
    return "".join(normalize("NFKC", question).casefold().split())
