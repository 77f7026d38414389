"""The built-in questions, each once, and the texts with the answers."""

from importlib.resources import files
from pathlib import Path

from saiten.demo.samples import load_demo
from saiten.records import Language, Sample


def demo_questions(language: Language | None = None) -> list[Sample]:
    """Return the 24 questions of a language, or all 48 with references, grouped by text (`ja handbook`, …)."""
    questions: dict[str, Sample] = {}
    for one in load_demo(language):
        sample = one.sample
        identity = sample.id.rpartition("-")[0]
        questions.setdefault(
            identity,
            Sample(
                identity,
                sample.question,
                reference=sample.reference,
                alternatives=sample.alternatives,
                group=f"{sample.language} {sample.group}",
                language=sample.language,
            ),
        )
    return list(questions.values())


def corpus(language: Language | None = None) -> Path:
    """Return the folder with the texts of one language, or of both."""
    folder = Path(str(files("saiten.demo") / "corpus"))
    return folder if language is None else folder / language
