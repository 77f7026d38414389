"""The texts in the code that people read on the terminal, as templates: `make words` writes them into the catalogs.

A template is the English of a string or f-string with a name for each value: `{folder} has no sample {identity}`. Its
alternatives (`row{"" if n == 1 else "s"}`) become templates of their own, so that a translator sees whole sentences.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import saiten

ROOT = Path(saiten.__file__).parent
_MOST = 6
"""Maximum templates of one string; with more alternatives, these become templates of their own."""
_NOT_SHOWN = (
    # For programmers, in English.
    "__init__.py", "api", "mlflow", "protocols.py", "pytest_plugin.py", "stats", "testing",
    # For models, in the language of the sample.
    "demo/samples", "dialogue/refusing.py", "dialogue/revealing.py", "judges/encoder/texts.py", "judges/first_request.py", "judges/llm.py",
    "judges/offline", "judges/support/reasons.py", "models/chat_template.py", "rag/knowledge/opening.py", "rag/steps.py", "tasks", "text", "trust/probes/texts.py",
    # Of questions, in the language of the documents.
    "testsets/rules/asking.py", "testsets/offline/cloze.py", "testsets/offline/english", "testsets/offline/japanese",
    "testsets/rules/unseen.py", "testsets/rehearsing.py",
    # With words of their own, or for programs.
    "cli/metric_page.py",
    "annotation/forms", "annotation/store/order.py", "annotation/store/schema.py", "annotation/web/bodies.py", "annotation/web/middleware.py",
    "annotation/web/pages.py", "models/class_labels.py", "views/charts", "views/junit.py", "views/notebook.py",
    "views/page/sections.py", "views/tuned_judge_card.py",
)  # fmt: skip
"""Files whose texts the terminal does not show."""
_ERRORS_ONLY = (
    "judges/llm.py",
    "judges/offline",
    "models/class_labels.py",
    "rag/knowledge/opening.py",
    "tasks",
    "text",
    "views/charts",
    "views/junit.py",
)
"""Of these, only errors are shown."""
_QUIET_NAMES = {"_ABOUT", "_CODE", "_FORMAT_WORDS", "_GROUPS", "_LAYOUT", "_PROMPT", "_SENTENCE", "_START"}
"""Constants with texts of the help, of servers, for models, or for Python."""
_NO_SENTENCE = re.compile(
    r"(saiten )?(answer|compare|converse|experiment|meta-evaluate|metrics|probe|score|search|show|tune|annotate) [^#]*"
    r"|saiten [a-z ]+|curl .*|\w+ DEMO/.*|saiten score [^#]*|\s*saiten score answers.*|(bold|dim) \w+|<.*|# .*|\s*(CREATE|DELETE|INSERT|SELECT|WITH) .*|MODEL or MODEL@URL",
    re.DOTALL,
)
"""Commands, names of formats, markup, SQL, comments of files."""
_QUIET_CALLS = {
    "Message", "option", "Option", "Argument", "Typer", "Field", "compile", "sub", "fullmatch", "search", "execute",
    "cast", "text", "getLogger", "units_of", "removeprefix", "replace", "debug", "TypeVar", "ContextVar", "Literal", "split", "getattr", "field", "get", "info", "_Ending",
}  # fmt: skip
"""Calls whose arguments nobody reads, or which have words of their own."""
_QUIET_KEYWORDS = {
    "style",
    "header_style",
    "border_style",
    "description",
    "help",
    "pattern",
    "dtype",
    "color",
    "title_style",
}
_WORD = re.compile(r"(?<![\w/.$<-])(?:[A-Za-z][a-z']*|[A-Z]{2,})(?![\w/>])")
_SENTENCES = (
    re.compile(r"[A-Za-z'`)],? [a-z(`-]"),
    re.compile(r"(?:^|[\s(;,])[a-z']{2,}[,;:]? (?:\0|[A-Z]{2})|\0[,;:]? \(?[a-z']{2,}(?:[\s,;:)]|$)"),
)
"""Two words next to each other; a word next to a value or to an abbreviation."""


@dataclass(frozen=True)
class Text:
    """A template, and the file that has it."""

    template: str
    file: str


def texts_in_code(root: Path = ROOT) -> list[Text]:
    """Return the templates of all files, sorted by file and by place in it, each once."""
    found: dict[str, Text] = {}
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(_NOT_SHOWN) and not file.startswith(_ERRORS_ONLY):
            continue
        for template in _templates_of(ast.parse(path.read_text("utf-8")), errors_only=file.startswith(_ERRORS_ONLY)):
            found.setdefault(template, Text(template, file))
    return list(found.values())


def _templates_of(tree: ast.AST, *, errors_only: bool) -> Iterator[str]:
    for node in _shown_strings(tree, shown=not errors_only):
        for parts in _alternatives(node):
            template = _joined(parts)
            if is_prose(template):
                yield template


def _shown_strings(node: ast.AST, *, shown: bool) -> Iterator[ast.expr]:
    """Yield the outermost strings that may be shown, in order of their place."""
    if isinstance(node, ast.Raise):
        shown = True
    if _is_string(node):
        if shown:
            yield node
            yield from (inner for value in _unexpanded(node) for inner in _shown_strings(value, shown=True))
        return
    for child in _read_children(node):
        yield from _shown_strings(child, shown=shown)


def _read_children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children of a node without docstrings, annotations, and arguments that nobody reads."""
    if _is_quiet(node):
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "ops", "comparators", "slice"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or (isinstance(child, ast.Expr) and _is_string(child.value)):
                continue
            if isinstance(child, ast.keyword) and child.arg in _QUIET_KEYWORDS:
                continue
            if isinstance(node, ast.Compare) and _is_string(child):
                continue
            yield child


def _is_quiet(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _name_of(node.func) in _QUIET_CALLS
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(_name_of(target) in _QUIET_NAMES for target in targets)
    return isinstance(node, ast.Attribute) and _is_string(node.value)  # what `join` puts between others


def _is_string(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return any(_is_string(side) or _is_choice(side) for side in (node.left, node.right))
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_choice(node: ast.AST) -> bool:
    return isinstance(node, ast.IfExp) and (_is_string(node.body) or _is_string(node.orelse))


Part = tuple[str, str]
"""("text", literal) or ("value", source of the expression)."""


def _alternatives(node: ast.expr) -> list[tuple[Part, ...]]:
    """Return the parts of a string, once per alternative."""
    made = _spread(node, deep=True)
    return made if len(made) <= _MOST else _spread(node, deep=False)


def _spread(node: ast.expr, *, deep: bool) -> list[tuple[Part, ...]]:  # noqa: PLR0911 - one per kind of node
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [_filled_in_later(node.value)]
    if isinstance(node, ast.JoinedStr):
        pieces = [
            [(("text", str(each.value)),)] if isinstance(each, ast.Constant) else _spread(each, deep=deep)
            for each in node.values
        ]
        return [tuple(part for piece in chosen for part in piece) for chosen in product(*pieces)]
    if isinstance(node, ast.FormattedValue):
        if deep and node.conversion == -1 and node.format_spec is None and _is_choice(node.value):
            return _spread(node.value, deep=deep)
        return [(("value", _value_name(node.value)),)]
    if isinstance(node, ast.BinOp) and _is_string(node):
        return [left + right for left in _spread(node.left, deep=deep) for right in _spread(node.right, deep=deep)]
    if deep and _is_choice(node):
        assert isinstance(node, ast.IfExp)
        return [*_spread(node.body, deep=deep), *_spread(node.orelse, deep=deep)]
    return [(("value", _value_name(node)),)]


def _filled_in_later(text: str) -> tuple[Part, ...]:
    """Return the parts of a plain string, in which `{name}` is a place for `format`."""
    pieces = re.split(r"\{(\w+)(?:![rs])?\}", text)
    return tuple(("value", f"{each}\0{each}") if at % 2 else ("text", each) for at, each in enumerate(pieces))


def _unexpanded(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions in a string whose own strings are not in its templates."""
    deep = len(_spread(node, deep=True)) <= _MOST if isinstance(node, ast.expr) else True
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, ast.JoinedStr):
            waiting = [*(value for value in each.values if isinstance(value, ast.FormattedValue)), *waiting]
        elif isinstance(each, ast.BinOp) and _is_string(each):
            waiting = [each.left, each.right, *waiting]
        elif isinstance(each, ast.FormattedValue):
            waiting = [each.value, *waiting] if not _is_string(each.value) else waiting
            if _is_string(each.value):
                yield each.value
        elif _is_choice(each) and deep:
            assert isinstance(each, ast.IfExp)
            waiting = [each.body, each.orelse, *waiting]
        elif not _is_string(each):
            yield each


def _joined(parts: Sequence[Part]) -> str:
    """Return the template: different expressions have different names."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    made = ""
    for kind, content in parts:
        if kind == "text":
            made += content.replace("{", "{{").replace("}", "}}")
            continue
        name, source = content.split("\0")
        if source not in names:
            number = 2
            base = name
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            names[source] = name
            taken.add(name)
        made += f"{{{names[source]}}}"
    return made


def _value_name(node: ast.expr) -> str:
    return f"{_named_after(node) or 'value'}\0{ast.unparse(node)}"


def _named_after(node: ast.AST) -> str:  # noqa: PLR0911 - one per kind of node
    """Return the last name in an expression that says what its value is: `len(rows)` → rows."""
    match node:
        case ast.Name(id=name):
            return name.strip("_").lower()
        case ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call(func=ast.Name(id="map"), args=[_, inner]):
            return _named_after(inner)
        case ast.Call(
            func=ast.Attribute(value=inner, attr="strip" | "rstrip" | "lstrip" | "lower" | "upper" | "title")
        ):
            return _named_after(inner)
        case ast.Call(func=ast.Attribute(attr="fromkeys"), args=[inner, *_]):
            return _named_after(inner)
        case ast.Call(func=ast.Attribute(attr="join"), args=[inner, *_]) | ast.Call(func=ast.Name(), args=[inner, *_]):
            return _named_after(inner)
        case ast.Call(func=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.BinOp(left=inner):
            return _named_after(inner)
        case ast.BoolOp(values=[inner, *_]) | ast.IfExp(body=inner) | ast.UnaryOp(operand=inner):
            return _named_after(inner)
        case ast.GeneratorExp(generators=[one, *_]) | ast.ListComp(generators=[one, *_]):
            return _named_after(one.iter)
    return ""


def _name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_prose(template: str) -> bool:
    """Return whether a template has at least two words, next to each other or to a value."""
    if _NO_SENTENCE.fullmatch(template):
        return False
    literal = re.sub(r"\{\w+\}", "\0", template.replace("{{", "(").replace("}}", ")"))
    return len(_WORD.findall(literal)) >= 2 and any(each.search(literal) for each in _SENTENCES)
