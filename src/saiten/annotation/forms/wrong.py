"""What is wrong with what somebody said, in the language of their page."""

from typing import Any

from saiten.annotation.forms.words import words
from saiten.records import Language


class Wrong(ValueError):
    """What a person can mend: its sentence stands in `texts.toml`, under `wrong`, in both languages.

    A payload that no page of ours sends is a plain ValueError, in English.
    """

    def __init__(self, why: str, **values: Any) -> None:
        """`why`: the key of the sentence; `values` fill its gaps, a function with what it says for the language."""
        self.why = why
        self.values = values
        super().__init__(self.told("en"))

    def told(self, language: Language) -> str:
        """The sentence."""
        sentence: str = words("wrong", language)[self.why]
        return sentence.format(**{key: each(language) if callable(each) else each for key, each in self.values.items()})
