"""Computes the figures of a data set in one pass over its samples, however many there are.

Texts are kept as digests of 8 bytes, and lengths as the number of texts of each length: about 200 bytes per
sample, the reader's ids included.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from saiten.data.rows import BadRow
from saiten.digests import Digests, digest_here
from saiten.rag.knowledge.documents import Document, Unread
from saiten.records import Language, Sample
from saiten.results.data_figures import (
    LONG,
    TELLING,
    DataFigures,
    DocumentFigures,
    FieldFigures,
    SystemAnswers,
    TextField,
)
from saiten.stats.lengths import lengths_of
from saiten.text.language import detect_language
from saiten.text.refusals import is_refusal
from saiten.text.tokenizers import tokenizer_for

CountTokens = Callable[[str, Language], int]

_ALWAYS: Sequence[TextField] = ("question", "answer", "reference", "contexts")
"""Fields that are shown even if no sample has them."""
_SHOWN: Sequence[TextField] = ("question", "answer", "reference", "alternative", "context", "contexts", "evidence")
_SEVERAL = 0
"""Instead of the digest of a question: several questions."""
_MOST_SYSTEMS = 255
"""A byte counts the systems per question."""


def describe_data(
    name: str,
    rows: Iterable[Sample | BadRow],
    *,
    tokens: bool = True,
    documents: DocumentFigures | None = None,
) -> DataFigures:
    """Return the figures of the samples; `rows` are read once.

    Args:
        name: What the data set is called in tables.
        rows: The samples, as `read_samples` yields them; rows that cannot be used are counted.
        tokens: Whether to count tokens, with the tokenizers of saiten's metrics. It takes most of the time: a second
            per million characters of Japanese, a twentieth of that for English.
        documents: The documents behind the data, by `describe_documents`.
    """
    counting = _DataCount(_count_tokens if tokens else None)
    for row in rows:
        if isinstance(row, BadRow):
            counting.leave_out(row)
        else:
            counting.add(row)
    return counting.figures(name, documents)


def describe_documents(documents: Iterable[Document | Unread], *, tokens: bool = True) -> DocumentFigures:
    """Return the figures of documents, which are read once; a document's language is that of its text."""
    count = _FieldCount()
    unread, notes = list[tuple[str, str]](), list[tuple[str, str]]()
    skipped = 0
    for document in documents:
        if isinstance(document, Document):
            text = document.text
            count.add(text, _count_tokens(text, detect_language(text)) if tokens else None)
            notes += [(document.source, document.note)] if document.note else []
        elif document.skipped:
            skipped += 1
        else:
            unread.append((document.source, document.reason))
    return DocumentFigures(count.figures("document"), tuple(unread), tuple(notes), skipped)


def _count_tokens(text: str, language: Language) -> int:
    return len(tokenizer_for(language).tokens(text))


@dataclass(slots=True)
class _FieldCount:
    """The texts of a field so far. Not frozen: it counts."""

    given: int = 0
    missing: int = 0
    empty: int = 0
    other_language: int = 0
    characters: Counter[int] = field(default_factory=Counter)
    tokens: Counter[int] = field(default_factory=Counter)

    def add(self, text: str, tokens: int | None) -> None:
        self.add_lengths(len(text), tokens, empty=_is_blank(text))

    def add_lengths(self, characters: int, tokens: int | None, *, empty: bool) -> None:
        self.given += 1
        self.empty += empty
        self.characters[characters] += 1
        if tokens is not None:
            self.tokens[tokens] += 1

    def figures(self, name: TextField) -> FieldFigures:
        lengths = lengths_of(self.characters), lengths_of(self.tokens)
        return FieldFigures(name, self.given, self.missing, self.empty, *lengths, self.other_language)


@dataclass(slots=True)
class _SystemCount:
    """The answers of a system so far. Not frozen: it counts."""

    samples: int = 0
    questions: int = 0
    missing: int = 0
    empty: int = 0
    declined: int = 0
    characters: int = 0
    tokens: int = 0

    def figures(self, name: str | None, *, tokens: bool) -> SystemAnswers:
        given = self.samples - self.missing
        characters = self.characters / given if given else None
        counted = self.tokens / given if given and tokens else None
        counts = self.samples, self.questions, self.missing, self.empty, self.declined
        return SystemAnswers(name, *counts, characters, counted)


@dataclass(slots=True)
class _DataCount:
    """The samples so far. Not frozen: it counts."""

    count_tokens: CountTokens | None
    samples: int = 0
    unusable: int = 0
    first_unusable: BadRow | None = None
    languages: Counter[Language] = field(default_factory=Counter)
    groups: set[str] = field(default_factory=set)
    systems: dict[str | None, _SystemCount] = field(default_factory=dict)
    fields: dict[TextField, _FieldCount] = field(default_factory=lambda: {name: _FieldCount() for name in _SHOWN})
    repeated_questions: int = 0
    repeated_answers: int = 0
    repeated_samples: int = 0
    long_answers: int = 0
    compared_answers: int = 0
    seen_questions: Digests = field(default_factory=Digests)
    """Question → number of systems that were asked it."""
    seen_pairs: Digests = field(default_factory=Digests)
    """Question and system → whether it was answered."""
    seen_answers: Digests = field(default_factory=lambda: Digests("Q"))
    """Answer → the question, or `_SEVERAL`."""
    seen_texts: Digests = field(default_factory=Digests)
    """Texts that belong to a question, with their field."""
    seen_samples: Digests = field(default_factory=Digests)
    seen_conversations: Digests = field(default_factory=Digests)

    def leave_out(self, row: BadRow) -> None:
        self.unusable += 1
        self.first_unusable = self.first_unusable or row

    def add(self, sample: Sample) -> None:
        self.samples += 1
        self.languages[sample.language] += 1
        if sample.group is not None:
            self.groups.add(sample.group)
        if sample.conversation is not None:
            self.seen_conversations.put(digest_here(sample.conversation))
        tokens = self._add_texts(sample)
        self._add_answer(sample, tokens)
        if _texts_alike(self.seen_samples, sample):
            self.repeated_samples += 1

    def _add_texts(self, sample: Sample) -> int | None:
        """Count all texts; return the tokens of the answer."""
        answer = self._add_one("answer", sample.answer, sample)
        asked = sample.asked or sample.id
        self._add_once("question", sample.question or None, sample, asked)
        self._add_once("reference", sample.reference, sample, asked)
        for text in sample.alternatives:
            self._add_once("alternative", text, sample, asked)
        for text in sample.evidence or ():
            self._add_once("evidence", text, sample, asked)
        together = self.fields["contexts"]
        if sample.contexts is None:
            together.missing += 1
        else:
            tokens = [self._add_one("context", text, sample) for text in sample.contexts]
            empty = all(map(_is_blank, sample.contexts))
            counted = None if self.count_tokens is None else sum(n or 0 for n in tokens)
            together.add_lengths(sum(map(len, sample.contexts)), counted, empty=empty)
        return answer

    def _add_once(self, name: TextField, text: str | None, sample: Sample, asked: str) -> None:
        """Count a text that belongs to the question, unless an earlier sample of the question has it."""
        if text is None or self.seen_texts.put(digest_here((name, asked, text))) is None:
            self._add_one(name, text, sample)

    def _add_one(self, name: TextField, text: str | None, sample: Sample) -> int | None:
        count = self.fields[name]
        if text is None:
            count.missing += 1
            return None
        tokens = None if self.count_tokens is None else self.count_tokens(text, sample.language)
        count.add(text, tokens)
        count.other_language += len(text) >= TELLING and detect_language(text) != sample.language
        return tokens

    def _add_answer(self, sample: Sample, tokens: int | None) -> None:
        count = self.systems.setdefault(sample.system, _SystemCount())
        count.samples += 1
        count.tokens += tokens or 0
        answer = sample.answer or ""
        answered = not _is_blank(answer)
        declined = answered and is_refusal(answer, sample.language)
        count.characters += len(answer)
        count.missing += sample.answer is None
        count.empty += sample.answer is not None and not answered
        count.declined += declined
        question = digest_here(sample.asked) if sample.question else 0
        if question:
            self._add_question(question, sample.system, count, answered=answered)
        if question and answered and not declined:
            self.repeated_answers += self._is_of_another(digest_here(answer), question)
        if answered:
            self._compare_with_reference(answer, sample.references)

    def _add_question(self, question: int, system: str | None, count: _SystemCount, *, answered: bool) -> None:
        pair = digest_here((question, system))
        before = self.seen_pairs.get(pair)
        if before is None:
            self.seen_questions.put(question, min((self.seen_questions.get(question) or 0) + 1, _MOST_SYSTEMS))
        else:
            self.repeated_questions += 1
        if not before:
            self.seen_pairs.put(pair, int(answered))
            count.questions += answered

    def _is_of_another(self, answer: int, question: int) -> bool:
        """Return whether an earlier sample gives this answer to another question."""
        before = self.seen_answers.get(answer)
        if before is None:
            self.seen_answers.put(answer, question)
            return False
        if before != question:
            self.seen_answers.put(answer, _SEVERAL)
            return True
        return False

    def _compare_with_reference(self, answer: str, references: Iterable[str]) -> None:
        longest = max((len(text) for text in references if not _is_blank(text)), default=0)
        if longest:
            self.compared_answers += 1
            self.long_answers += len(answer) > LONG * longest

    def figures(self, name: str, documents: DocumentFigures | None) -> DataFigures:
        with_tokens = self.count_tokens is not None
        named = sum(system is not None for system in self.systems)
        lacking = sum(n < min(len(self.systems), _MOST_SYSTEMS) for _, n in self.seen_questions.items())
        return DataFigures(
            name=name,
            samples=self.samples,
            unusable=self.unusable,
            first_unusable=self.first_unusable,
            questions=len(self.seen_questions),
            conversations=len(self.seen_conversations),
            languages=dict(self.languages.most_common()),
            groups=len(self.groups),
            systems=tuple(of.figures(system, tokens=with_tokens) for system, of in self.systems.items()),
            fields=tuple(self._fields()),
            repeated_questions=self.repeated_questions,
            repeated_answers=self.repeated_answers,
            repeated_samples=self.repeated_samples,
            partly_answered=lacking if named > 1 else 0,
            long_answers=self.long_answers,
            compared_answers=self.compared_answers,
            documents=documents,
        )

    def _fields(self) -> Iterator[FieldFigures]:
        for name, count in self.fields.items():
            if name in _ALWAYS or count.given:
                yield count.figures(name)


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def _texts_alike(seen: Digests, sample: Sample) -> bool:
    """Return whether an earlier sample has the same texts, system and group; note this one."""
    texts = (sample.asked, sample.answer, sample.contexts, sample.references, sample.evidence)
    return seen.put(digest_here((*texts, sample.system, sample.group))) is not None
