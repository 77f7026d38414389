"""A test set with questions of every kind in both languages, as `saiten questions` writes it."""

from pathlib import Path

from saiten.records import Turn
from saiten.runs.lines import to_line
from saiten.testsets.items import Checked, Decided, SetItem, SetPassage, item_to_json

HOURS = "In winter the museum closes at 16:00, in summer at 18:00."
DOCUMENTS = {
    "hours.md": f"# Museum\n{HOURS} Guided tours of the museum start at 11:00. On Mondays the museum is closed.\n",
    "library.md": "The library closes at 20:00.\n",
    "ja.md": "博物館は冬は16時、夏は18時に閉館します。館内ツアーは11時に始まります。\n",
}


def passage(text, source="hours.md", **more):
    """A passage with its place in its document."""
    start = DOCUMENTS[source].index(text)
    return SetPassage(text, source, start, start + len(text), "sha256:0", **more)


ITEMS = [
    SetItem(
        "single-1",
        "When does the museum close in winter?",
        "At 16:00.",
        "single",
        passages=(passage(HOURS, quotes=((0, 36),)),),
        made={"by": "openai:m", "persona": "a visitor", "difficulty": "easy"},
        checks=(Checked("wording", passed=True), Checked("closed_book", reason="it takes a model")),
        decisions=(Decided("approved", "anna", "2026-11-28T10:00:00+00:00"), Decided("approved", "ben")),
    ),
    SetItem(
        "several-1",
        "When does the museum close in summer, and when do its tours start?",
        "It closes at 18:00, and tours start at 11:00.",
        "several",
        passages=(passage(HOURS), passage("Guided tours of the museum start at 11:00.")),
        made={"by": "offline"},
    ),
    SetItem(
        "across-1",
        "Which closes first in winter, the museum or the library?",
        "The museum, at 16:00; the library closes at 20:00.",
        "across",
        passages=(passage(HOURS), passage("The library closes at 20:00.", "library.md")),
        decisions=(Decided("approved", "anna"), Decided("edited", "ben", adjudicated=True, reason="unclear")),
        original={"question": "Which closes first?", "reference": "The museum."},
    ),
    SetItem(
        "comparison-1",
        "=How do the hours of the museum differ in winter and summer?",
        "It closes at 16:00 in winter, and at 18:00 in summer.",
        "comparison",
        passages=(passage(HOURS),),
    ),
    SetItem(
        "unanswerable-1",
        "How much does a guided tour of the museum cost?",
        "The documents do not say how much a guided tour costs. They only say that tours start at 11:00.",
        "unanswerable",
        passages=(passage("Guided tours of the museum start at 11:00."),),
    ),
    SetItem(
        "unanswerable-2",
        "館内ツアーの料金はいくらですか。",
        "文書には、館内ツアーの料金についての記載がありません。",
        "unanswerable",
        "ja",
        (passage("館内ツアーは11時に始まります。", "ja.md"),),
    ),
    SetItem(
        "false_premise-1",
        "Until when is the museum open on Mondays?",
        "On Mondays the museum is closed.",
        "false_premise",
        passages=(passage("On Mondays the museum is closed."),),
        decisions=(Decided("rejected", "anna"),),
    ),
    SetItem(
        "follow_up-1",
        "And in summer?",
        "At 18:00.",
        "follow_up",
        passages=(passage(HOURS),),
        history=(Turn("When does the museum close in winter?", "At 16:00."),),
        made={"persona": "a visitor"},
    ),
    SetItem(
        "follow_up-2",
        "夏はどうですか。",
        "18時です。",
        "follow_up",
        "ja",
        (passage("博物館は冬は16時、夏は18時に閉館します。", "ja.md"),),
        (Turn("博物館は冬は何時に閉まりますか。", "16時です。"),),
    ),
]
SINGLE = [item for item in ITEMS if not item.history and item.id != "false_premise-1"]
"""Questions by themselves, without the rejected one."""
TALKS = [item for item in ITEMS if item.history]


def write_set(folder="testset", items=ITEMS):
    """Write the set as a folder, and return it."""
    Path(folder).mkdir()
    Path(folder, "questions.jsonl").write_bytes(b"".join(to_line(item_to_json(item)) for item in items))
    return Path(folder)
