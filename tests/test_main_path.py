"""The code stays easy to read: the main path in `docs/architecture.md` is true and short, and files and functions are small."""

import ast
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import median

from saiten.cli import COMMANDS

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


def test_files_commands_and_functions_stay_small_and_no_class_name_occurs_twice():
    """Files: median at most 90 lines, each at most 400; a command at most 120, a function at most 80."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    lengths = {path: len(text.splitlines()) for path, text in texts.items()}
    nodes = [(path, node) for path, text in texts.items() for node in ast.walk(ast.parse(text))]
    functions = [(path, node) for path, node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    commands = [ROOT / "src" / f"{module.replace('.', '/')}.py" for module, _ in COMMANDS.values()]
    classes = Counter(node.name for _, node in nodes if isinstance(node, ast.ClassDef))
    assert median(lengths.values()) <= 90
    assert [path for path, lines in lengths.items() if lines > 400] == []
    assert [path for path in commands if lengths[path] > 120] == []
    assert [(path, node.name) for path, node in functions if node.end_lineno - node.lineno >= 80] == []
    assert [name for name, times in classes.items() if times > 1] == []
