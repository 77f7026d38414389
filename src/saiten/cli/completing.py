"""Values that the shell completes, in addition to those of a choice and to files."""

from collections.abc import Callable, Iterator, Mapping


def complete_metrics(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield metrics and presets with what they measure; in a list with commas, for its last name."""
    from saiten.metrics.catalog import ENTRIES, PRESETS

    before, comma, _ = incomplete.rpartition(",")
    for entry in ENTRIES:
        yield f"{before}{comma}{entry.title}", entry.en
    for preset, titles in PRESETS.items():
        yield f"{before}{comma}{preset}", ", ".join(titles)


def complete_model(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the built-in judge, and the providers with which the name of a model begins."""
    from saiten.models.providers import providers

    yield "offline", "compares words, numbers and names; needs no model"
    for provider in providers().values():
        if "chat" in provider.serves:
            yield f"{provider.name}:", "MODEL or MODEL@URL"


def complete_sections(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the names of the demo's sections with their titles."""
    from saiten.demo.steps import SECTIONS

    for section in SECTIONS:
        yield section.name, section.title


COMPLETIONS: Mapping[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "metric": complete_metrics,
    "metrics": complete_metrics,
    "judge": complete_model,
}
"""Option → its values that begin with what is typed so far, and a word on each."""
