"""A question made of one sentence."""

from typing import Literal, NamedTuple

Form = Literal["quantity", "name", "definition", "reason", "condition", "requirement", "heading", "cloze"]
"""`quantity`: asks for a number, a time or an amount · `name`: for a name · `definition`: what something is · `reason`:
why · `condition`: what to do in a case · `requirement`: what is needed · `heading`: a heading that is a question ·
`cloze`: the sentence with a gap."""


class Posed(NamedTuple):
    """A question with the form it was made by."""

    question: str
    form: Form
