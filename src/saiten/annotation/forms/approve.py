"""The form `approve`: people approve, edit or reject the questions of a test set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.annotation.forms.form import Form, InvalidPayload, Row, labels_by_aspect
from saiten.annotation.records import Json, NewItem
from saiten.choices import QUESTION_KINDS
from saiten.records import Label, Language
from saiten.testsets.items import SetItem, item_of
from saiten.testsets.people.decisions import CHOICES, outcome_of, text_digest
from saiten.words import Message, section

ASPECT = "approval"
_TEXTS = ("question", "reference")
_LONGEST = 50_000
"""Characters of an edited text."""


@dataclass(frozen=True)
class ApproveForm(Form):
    """Payload: `{"decision": "approve", "question": "…", "reference": "…", "reason": "…"}`.

    The texts are those that the annotator left: an approval with a changed text is an edit, and a rejection keeps the
    texts of the item.
    """

    title = "approve"
    reads = "questions"
    needs = ("question",)

    reason_required: bool = True
    """Whether a rejection requires a reason; an approval or an edit never does."""

    def items(self, rows: Iterable[Row]) -> Iterator[NewItem]:
        for row in rows:
            item = row if isinstance(row, SetItem) else item_of(row)
            yield NewItem(item.id, _content_of(item))

    @property
    def fields(self) -> tuple[str, ...]:
        return ("decision", *_TEXTS)

    def checked(self, content: Json, payload: Json) -> Json:
        decision = payload["decision"]
        if decision not in tuple(CHOICES):
            raise InvalidPayload("decision")
        if wrong := next((name for name in _TEXTS if not isinstance(payload[name], str)), None):
            raise ValueError(f"`{wrong}` must be a text")
        if decision == "reject":
            return {"decision": decision, **{name: content[name] for name in _TEXTS}}
        texts = {name: _left(payload[name], content[name]) for name in _TEXTS}
        changed = [name for name in _TEXTS if texts[name] != content[name]]
        if decision == "edit" and not changed:
            raise InvalidPayload("nothing_edited")
        for name in _TEXTS:
            title = _title(name)
            if not texts[name].strip():
                raise InvalidPayload("text_empty", name=title)
            if name in changed and len(texts[name]) > _LONGEST:
                raise InvalidPayload("text_long", name=title, n=len(texts[name]), most=_LONGEST)
        return {"decision": "edit" if changed else "approve", **texts}

    def needs_reason(self, payload: Json) -> bool:
        return self.reason_required and payload["decision"] == "reject"

    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        yield Label(key, float(payload["decision"] != "reject"), aspect=ASPECT)

    def exported(self, key: str, content: Json, payload: Json) -> Json:
        """Return the decision, the texts as the annotator left them, and the digest of those that were shown."""
        seen = text_digest(key, content["question"], content["reference"], content.get("history", ()))
        return {name: payload[name] for name in self.fields} | {"answer_digest": seen}

    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        label = labels_by_aspect(labels, [ASPECT]).get(ASPECT)
        if label is None or label.value not in (0, 1):
            return None
        decision = "approve" if label.value else "reject"
        return {"decision": decision, **{name: content[name] for name in _TEXTS}, "reason": ""}

    def rows(self, content: Json, payload: Json) -> Iterator[tuple[str, str | Message]]:
        """Yield the decision; the page shows the texts with their changes."""
        yield ASPECT, Message("form_approve", payload["decision"])

    def values(self, payload: Json) -> Json:
        accepts = payload["decision"] != "reject"
        outcome = outcome_of(payload["question"], payload["reference"], accepts=accepts)
        return dict(zip((ASPECT, *_TEXTS), outcome, strict=True))

    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        """Return `approval` where some accept and some reject, else the texts that differ."""
        differing = super().differences(payloads)
        return (ASPECT,) if ASPECT in differing else differing

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        words = self.words(language)
        return {name: words[f"{name}_title"] for name in (ASPECT, *_TEXTS)}

    def texts(self, language: Language) -> Mapping[str, object]:
        words, kinds = self.words(language), section("question_kind", language)
        choices = [{"value": each, "text": words[each], "means": words[f"{each}_means"]} for each in CHOICES]
        return {
            **super().texts(language),
            "choices": choices,
            "kinds": {kind: {"title": kinds[kind], "means": words[f"kind_{kind}"]} for kind in QUESTION_KINDS},
        }


def _content_of(item: SetItem) -> dict[str, Any]:
    """Return what is shown of an item, nothing about how it was made."""
    shown: dict[str, Any] = {"question": item.question, "reference": item.reference, "language": item.language}
    if item.history:
        shown["history"] = [[turn.question, turn.answer] for turn in item.history]
    if item.kind:
        shown["kind"] = item.kind
    shown["passages"] = [
        {
            "text": passage.text,
            "source": passage.source,
            "quotes": [list(quote) for quote in passage.quotes if quote[0] < quote[1] <= len(passage.text)],
        }
        for passage in item.passages
    ]
    return shown


def _left(text: str, shown: str) -> str:
    """Return the text that an annotator left, or the one shown if a page's text field alone made them differ."""
    plain = _plain(text)
    return shown if plain == _plain(shown) else plain


def _plain(text: str) -> str:
    """Return the text as a text field keeps it: with Unix line ends; and without NUL and white space at the ends."""
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").strip()


def _title(name: str) -> Any:
    """Return the function from a language to the title of a text, for a message."""
    return lambda language: section("form_approve", language)[f"{name}_title"]
