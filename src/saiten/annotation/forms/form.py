"""What a form is: items out of samples, a check of what came from the page, labels out of what was said."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from saiten.annotation.records import Json, NewItem
from saiten.records import Label, Language, Sample


@dataclass(frozen=True)
class Form(ABC):
    """One way to ask people; knows neither database nor page.

    What an annotator says is a JSON object, the *payload*. Offsets in it count characters (code points).
    """

    title: ClassVar[str]
    """As typed after --form."""
    reason_required: bool = False
    """Whether a reason in prose must be given."""

    shared: ClassVar[str | None] = None
    """The field of an item's content about which part of an answer is: where it is the same, that part holds again."""

    @classmethod
    @abstractmethod
    def from_options(cls, options: Json) -> Self:
        """The form as a project stores it; the inverse of `options`."""

    @property
    @abstractmethod
    def options(self) -> Json:
        """All that is needed to make an equal form again: rubrics by their text, not by a path."""

    @abstractmethod
    def items(self, samples: Iterable[Sample]) -> Iterator[NewItem]:
        """What is to be graded; streams, where the form does not have to group samples.

        Raises:
            BadInput: a sample lacks what the form shows; the text names the sample and the field.
        """

    @abstractmethod
    def check(self, content: Json, payload: Json) -> Json:
        """The payload in its one normal form, if it fits the item.

        Raises:
            ValueError: with a sentence for the annotator's page: what is missing or wrong.
        """

    @abstractmethod
    def labels(self, key: str, content: Json, payload: Json) -> Iterator[Label]:
        """What was said, as labels without annotator; `key` is the item's."""

    @abstractmethod
    def payload_of(self, content: Json, labels: Sequence[Label]) -> Json | None:
        """The payload that such labels stand for (pre-labels of a judge); None where they are not complete."""

    def carried_over(self, payload: Json) -> Json | None:
        """What an answer says about the shared field alone, for another item that has the same one; None: nothing."""
        return None

    @abstractmethod
    def differences(self, payloads: Sequence[Json]) -> tuple[str, ...]:
        """The aspects on which two or more annotators differ; empty where they agree. Reasons do not count."""

    def aspect_titles(self, language: Language) -> Mapping[str, str]:
        """Aspect → what people call it; those that the form itself has no title for are missing."""
        return {}

    @abstractmethod
    def texts(self, language: Language) -> Mapping[str, object]:
        """What the page says about the form: title, instructions, the rubric's grades and what each means."""
