"""An app of the user's in a file, whose objects are asked as systems under test."""

import json
from pathlib import Path

from saiten.cli import main
from saiten.dialogue.reading import read_dialogues
from saiten.records import Inquiry, Turn
from saiten.runs import read_run
from saiten.settings import CallSettings
from saiten.wiring import Models, assemble_retriever
from saiten.wiring.systems import SystemSettings, assemble_system

INQUIRY = Inquiry("Why?", "q1", (Turn("What?", "This."),), "s7", "en")


def asked(prefix, name, code, *, timeout=20.0, concurrency=8, **options):
    """The object as a system; `code` is the app."""
    Path("app.py").write_text(code, encoding="utf-8")
    options = {key.removesuffix("_"): value for key, value in options.items()}
    models = Models(CallSettings(timeout=timeout, concurrency=concurrency), {})
    return assemble_system(f"{prefix}:app.py:{name}", SystemSettings(options=options), models)


def searched(prefix, name, code, **calls):
    """The object as a retriever."""
    Path("app.py").write_text(code, encoding="utf-8")
    return assemble_retriever(f"{prefix}:app.py:{name}", Models(CallSettings(**calls), {}), k=2)


def conversed(prefix, name, code):
    """What the object answered in a dialogue of two turns."""
    Path("app.py").write_text(code, encoding="utf-8")
    reference = "It was opened in 1998 by the mayor of the town."
    Path("qa.jsonl").write_text(json.dumps({"id": "q1", "question": "When was it opened?", "reference": reference}))
    try:
        main(["converse", "qa.jsonl", "-s", f"{prefix}:app.py:{name}", "--max-turns", "2", "-o", "run", "-q"])
    except SystemExit as end:
        assert not end.code  # noqa: PT017 - the command ends well
    (dialogue,) = read_dialogues(read_run(Path("run")))
    return [turn.answer for turn in dialogue.history]
