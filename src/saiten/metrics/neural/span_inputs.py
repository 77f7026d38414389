"""An answer with its question and contexts, as pairs of texts that fit into a token classifier's input."""

from collections.abc import Iterator
from dataclasses import dataclass

from saiten.models.classifiers import Classifier, plain
from saiten.models.text_windows import TextWindow, cut_pieces, windows_of
from saiten.records import Language
from saiten.text.sentences import split_sentences

CONTEXTS = "{contexts}"
QUESTION = "{question}"
TEMPLATE = f"{QUESTION}\n{CONTEXTS}"
"""The first text of a pair by default; the second one is the answer."""
MOST = 256
"""Maximum windows of the contexts; they are not read beyond."""


@dataclass(frozen=True, slots=True)
class SpanRequest:
    """An answer whose unsupported spans are wanted."""

    question: str
    answer: str
    contexts: tuple[str, ...]
    language: Language
    template: str = TEMPLATE

    def __len__(self) -> int:
        """Return the length in characters, by which requests are sorted."""
        return len(self.question) + len(self.answer) + sum(map(len, self.contexts))


@dataclass(frozen=True, slots=True)
class SpanInput:
    """One input of the network."""

    prompt: str
    answer: str
    start: int
    """Where this part of the answer starts, in characters."""
    tokens: int


@dataclass(frozen=True, slots=True)
class SpanInputs:
    """The inputs for one answer: each part of it with each window of the contexts."""

    inputs: tuple[SpanInput, ...]
    cut: bool
    """Whether the end of the contexts, or of the question, is not read."""


def inputs_of(request: SpanRequest, classifier: Classifier, window: int) -> SpanInputs:
    """Cut answer and contexts: the answer gets at most half of an input, the question a quarter."""
    room = window - classifier.around
    answer, contexts = plain(request.answer), "\n".join(numbered(request.contexts))
    question, question_cut = _question(request, classifier, room // 4)
    before, _, after = request.template.partition(CONTEXTS)
    before, after = before.replace(QUESTION, question), after.replace(QUESTION, question)
    (fixed,) = classifier.counts([f"{before}\n{after}"])
    inputs: list[SpanInput] = []
    cut = question_cut
    for part in _windows(answer, request.language, classifier, room // 2, overlap=0):
        left = max(1, room - part.tokens - fixed)
        read = list(_windows(contexts, request.language, classifier, left, overlap=left // 4))
        cut |= len(read) > MOST
        for seen in read[:MOST]:
            prompt = before + contexts[seen.start : seen.end].strip() + after
            text = answer[part.start : part.end]
            tokens = min(window, fixed + seen.tokens + part.tokens + classifier.around)
            inputs.append(SpanInput(prompt, text, part.start, tokens))
    return SpanInputs(tuple(inputs), cut)


def numbered(contexts: tuple[str, ...]) -> Iterator[str]:
    """Yield the contexts that are not blank, as `passage 1: …`."""
    for number, context in enumerate((plain(each) for each in contexts if each.strip()), 1):
        yield f"passage {number}: {context}"


def _question(request: SpanRequest, classifier: Classifier, most: int) -> tuple[str, bool]:
    question = plain(request.question).strip()
    pieces = cut_pieces(question, [0], classifier.counts, max(1, most)) if question else []
    return (question[: pieces[0].end], True) if len(pieces) > 1 else (question, False)


def _windows(text: str, language: Language, classifier: Classifier, room: int, *, overlap: int) -> Iterator[TextWindow]:
    starts = [sentence.start for sentence in split_sentences(text, language)]
    return windows_of(cut_pieces(text, starts, classifier.counts, max(1, room // 4)), room, overlap)
