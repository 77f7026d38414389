"""The model card of a tuned judge: description, training data, evaluation, and out-of-scope uses."""

import json
from collections.abc import Iterator

from saiten.judges.tuned import TunedJudge
from saiten.metrics.rubrics import read_rubric
from saiten.views.render import as_markdown
from saiten.views.strip_controls import strip_controls
from saiten.views.tables.tuned_judge import tuned_judge_tables

_HEADS = {
    "chat": "A causal language model with a LoRA adapter. It writes a reply in JSON, and the grade is read out of it.",
    "regression": "An encoder with a linear head. It predicts the grades themselves, and gives no reasons.",
}
_TASKS = {
    "rate_aspect": "rated on the aspect alone, without a reference (metric `aspects`)",
    "grade_answer": "graded 0 to 5 against a reference (metric `correctness`)",
    "decide_correct": "correct or not, against a reference (metric `accuracy`)",
}


def card(own: TunedJudge, folder: str) -> str:
    """Return the card in Markdown; texts from outside are rendered as inert code."""
    return "\n".join(_lines(own, folder)) + "\n"


def _lines(own: TunedJudge, folder: str) -> Iterator[str]:
    yield "---"
    yield f"base_model: {json.dumps(strip_controls(own.base))}"  # JSON is YAML
    yield f"library_name: {'peft' if own.head == 'chat' else 'transformers'}"
    yield "tags: [saiten, llm-as-a-judge]"
    yield "---"
    yield "\n# A judge made with `saiten tune judge`\n"
    fingerprint = f" (fingerprint {_code(own.base_fingerprint)})" if own.base_fingerprint else ""
    yield f"{_HEADS[own.head]} Base: {_code(own.base)}{fingerprint}.\n"
    yield "It was trained to grade answers to questions:\n"
    for one in own.aspects:
        scale = ", ".join(map(str, one.values)) if len(one.values) < 12 else f"{one.values[0]} to {one.values[-1]}"
        yield f"- {_code(one.name)}, one of {scale}: {_TASKS.get(one.task, one.task)}"
    yield "\n## Use\n"
    yield f"```sh\nsaiten score answers.jsonl -m {_metric(own)} --judge {_shell(f'hf:{folder}')} -o runs/mine\n```"
    yield "\n## Data\n"
    people = f"{own.annotators} annotators" if own.annotators else "unnamed annotators"
    yield (
        f"Grades by {people} of {own.items} answers to {own.questions} questions; several grades of one answer were "
        f"averaged, and the nearest grade of the scale was the target. Fingerprint of the examples: {_code(own.labels)}"
        + (f"; rubric: {_code(own.rubric)}" if own.rubric else "")
        + (f"; prompts: {_code(own.prompts)}" if own.prompts else "")
        + ".\n"
    )
    yield f"Settings: {', '.join(f'{key} {value}' for key, value in own.options.items() if value is not None)}."
    yield "\n## How well it agrees with people\n"
    learned = own.questions - own.held_out_questions
    yield (
        f"It learned from the answers to {learned} questions. The answers to the other {own.held_out_questions}, "
        "chosen at random and not used for anything else, were then graded by it as in `saiten score`, and its grades "
        "compared with people's mean grades.\n"
    )
    found = [own.held_out, *((own.base_held_out,) if own.base_held_out else ())]
    yield as_markdown(tuned_judge_tables(found, own.notes)).rstrip()
    yield "\n## Limits\n"
    yield (
        "- It imitates these people on questions and answers like these. For other domains, languages, systems or "
        "scales the figures above do not hold; label a few answers there and run `saiten meta-evaluate`."
    )
    yield "- Held-out answers may be by the same systems as the learned ones; a new system may fool it."
    yield "- Like every judge it can be misled by an answer written to mislead it; see `saiten probe`."
    yield "- With few held-out questions the intervals are wide: read them, not the figures alone."
    yield f"\nMade with saiten {own.saiten}."


def _metric(own: TunedJudge) -> str:
    name, _, digest = own.rubric.partition(":")
    aspects = "aspects" if digest in {"", read_rubric().digest} else _shell(f"aspects[rubric={name}.toml]")
    found = {"rate_aspect": aspects, "grade_answer": "correctness", "decide_correct": "accuracy"}
    return " -m ".join(dict.fromkeys(found.get(one.task, aspects) for one in own.aspects))


def _code(text: str) -> str:
    """Format as inline code that no character can end."""
    return "`" + " ".join(strip_controls(text).replace("`", "'").split()) + "`"


def _shell(text: str) -> str:
    plain = " ".join(strip_controls(text).replace("`", "'").split())
    return (
        plain if all(sign.isalnum() or sign in "-_./:@" for sign in plain) else "'" + plain.replace("'", "'\\''") + "'"
    )
