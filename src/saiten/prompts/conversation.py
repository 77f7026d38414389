"""How a judge is shown the conversation before a question, for all prompts that show the question.

Each text is in a marked block of its own (`blocks`), so that none can pass for another turn or for the question. The
latest turns are shown, as many as fit into `MOST` characters; of a long text, the beginning.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from saiten.prompts.blocks import marked
from saiten.protocols import Task
from saiten.records import Language, Turn

CONVERSATION = "conversation"
"""The file of the words around it, and the mark of the whole."""
MARKS = (CONVERSATION, "user", "assistant")

MOST = 8000
"""Characters of a conversation that a judge is shown."""
MOST_OF_ONE = 2000
"""Characters of one text in it."""


@dataclass(frozen=True, slots=True)
class ConversationWords:
    """The words around a conversation in one language."""

    before: str
    """How to read the question."""
    question: str
    """The line before the question's own block."""
    omitted: str
    """The line in place of the turns that are left out."""
    cut: str
    """The end of a text that is cut."""


@cache
def words_in(language: Language) -> ConversationWords:
    """Load the words around a conversation."""
    content = tomllib.loads(files(__package__).joinpath(f"{CONVERSATION}.toml").read_text(encoding="utf-8"))
    return ConversationWords(**{name: text.strip("\n") for name, text in content[language].items()})


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said before a question, to be shown with it."""

    turns: tuple[Turn, ...]
    language: Language

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it; untrusted."""
        return tuple(text for turn in self.turns for text in (turn.question, turn.answer))

    def before(self, question: str, suffix: str) -> str:
        """Return the block of the question after the conversation, whose marks end in `suffix`."""
        words = words_in(self.language)
        shown, left = 0, MOST
        blocks: list[str] = []
        for turn in reversed(self.turns):
            texts = [(mark, text) for mark, text in zip(MARKS[1:], (turn.question, turn.answer), strict=True) if text]
            left -= sum(min(len(text), MOST_OF_ONE) for _, text in texts)
            if left < 0 and shown:
                break
            blocks[:0] = [marked(mark + suffix, _cut(text, words)) for mark, text in texts]
            shown += 1
        if shown < len(self.turns):
            blocks.insert(0, words.omitted.format(number=len(self.turns) - shown))
        said = marked(CONVERSATION + suffix, "\n".join(blocks))
        return f"{words.before}\n{said}\n{words.question}\n{question}"


def conversation_of(prompted: Any) -> Conversation | None:
    """Return what is shown before the question of a task; None outside of a conversation, and without a question."""
    if not isinstance(prompted, Task) or not prompted.conversation:
        return None
    question = getattr(prompted, "question", "")
    return Conversation(prompted.conversation, prompted.language) if question.strip() else None


def _cut(text: str, words: ConversationWords) -> str:
    over = len(text) - MOST_OF_ONE
    return text[:MOST_OF_ONE] + words.cut.format(number=over) if over > 0 else text
