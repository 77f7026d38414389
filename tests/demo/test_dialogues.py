"""The demo's dialogues: our RAG in both forms, without a model."""

from io import StringIO

from rich.console import Console

from saiten.cli.demo.dialogues import SHOWN, comparison, demo_dialogues, print_short
from saiten.demo.questions import corpus, demo_questions
from saiten.dialogue.reading import find_dialogue, read_dialogues
from saiten.runs import read_run


def test_every_question_is_asked_once():
    """24 a language, each with its reference, in four groups."""
    pairs = demo_questions()
    assert len(pairs) == len({pair.question for pair in pairs}) == 48
    assert all(pair.reference and pair.answer is None for pair in pairs)
    assert {pair.group for pair in pairs} == {"ja handbook", "ja manual", "en handbook", "en manual"}
    assert len(list(corpus().rglob("*.md"))) == 4


def test_both_forms_talk_about_the_built_in_texts(tmp_path):
    """To the end, without a leak, with evidence; compared over all and by group; and the same again asks nobody."""
    notes = Console(file=StringIO())
    runs = demo_dialogues(tmp_path, notes)
    for run in runs:
        found = list(read_dialogues(read_run(run)))
        assert len(found) == 48
        assert {dialogue.ended for dialogue in found} <= {"grade 5", "no question needed", "turn limit"}
        assert all(dialogue.evidence.passages for dialogue in found)
        assert sum(dialogue.leak.share or 0 for dialogue in found) == 0
        assert any(len(dialogue.history) > 1 for dialogue in found)
    overall, means, groups = comparison(runs)
    assert (len(overall.rows), len(means.rows), len(groups.rows)) == (4, 15, 12)
    asked = (runs[0] / "turns.jsonl").stat().st_size
    demo_dialogues(tmp_path, notes)
    assert (runs[0] / "turns.jsonl").stat().st_size == asked
    screen = Console(file=StringIO(), width=80)
    print_short(find_dialogue(read_run(runs[1]), SHOWN), screen)
    said = screen.file.getvalue()
    assert [said.count(f"{turn} asks") for turn in (1, 2, 3)] == [1, 1, 0]
    assert "grade 4.4" in said
    assert max(map(len, said.splitlines())) <= 80
