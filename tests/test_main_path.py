"""The main path in `docs/architecture.md` is true and short enough to read in one sitting."""

import re
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_walk_from_the_command_to_one_score_is_at_most_six_files_and_900_lines():
    """Each file of the table exists and calls what the table gives as its next call."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.partition("## The main path")[2].partition("\n## ")[0]
    walk = re.findall(r"^\| `([\w/]+\.py)` \|.*\| `(\w+)` \|$", section, re.MULTILINE)
    files = {name: (ROOT / "src/saiten" / name).read_text(encoding="utf-8") for name, _ in walk}
    assert [next(iter(files)), list(files)[-1]] == ["cli/score.py", "judges/llm.py"]
    assert len(files) == len(walk) <= 6
    for name, called in walk:
        assert re.search(rf"\b{called}\(", files[name]), f"{name} does not call {called}"
    for (_, called), (following, _) in pairwise(walk):
        assert f"def {called}(" in files[following], f"{following} does not define {called}"
    assert sum(len(text.splitlines()) for text in files.values()) <= 900
