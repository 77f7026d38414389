"""The visible text of an HTML page, on lines as a browser would arrange it: blocks start new lines."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count as count_from

from selectolax.lexbor import LexborHTMLParser, LexborNode

from saiten.rag.knowledge.decoding import decoded
from saiten.rag.knowledge.documents import NoText, Pieces, tidied

_JAPANESE = "\u3000-\u30ff\u3400-\u9fff\uff00-\uff60"
_SPACE = re.compile(r"[ \t\n]+")
_UNSEEN_BREAK = re.compile(rf"(?<=[{_JAPANESE}])[ \t]*\n[ \t\n]*(?=[{_JAPANESE}])")
_IS_JAPANESE = re.compile(f"[{_JAPANESE}]")
_ONLY_BARS = re.compile(r"^[ |]*\|[ |]*$\n?", re.MULTILINE)
_LOOSE_END = re.compile(r"[ \t]+$", re.MULTILINE)


class PageLines:
    """Collects words, cells, items and line ends in the order of the page; `text()` returns the result."""

    def __init__(self) -> None:
        self.verbatim = 0
        """Above 0, white space is preserved."""
        self.lists: list[int | None] = []
        """The open lists, each with its next number or, if unnumbered, None."""
        self.rows: list[tuple[int, int]] = []
        """The open rows, each with its cells so far, and the number of parts when it began."""
        self._parts: list[str] = []
        self._gap = 0  # line ends due before the next word
        self._space = ""  # white space due before it, if no line ends
        self._glued = False  # the next word directly follows an item's marker
        self._tight = 0  # open cells and items, which contain no empty lines

    def words(self, text: str) -> None:
        """Add running text."""
        if self.verbatim:
            self._write(text)
            return
        body = text.strip(" \t\n")
        if not body:
            self._space = self._space or ("\n" if "\n" in text else " ") if text else self._space
            return
        before = text[: len(text) - len(text.lstrip(" \t\n"))]
        if before:
            self._space = "\n" if "\n" in before else " "
        self._write(_SPACE.sub(" ", _UNSEEN_BREAK.sub("", body)))
        after = text[len(text.rstrip(" \t\n")) :]
        self._space = "" if not after else "\n" if "\n" in after else " "

    def end(self, lines: int) -> None:
        """End a line or, with 2, a paragraph."""
        if self._glued or not lines:
            return
        self._gap = max(self._gap, 1 if self._tight else lines)
        self._space = ""

    def item(self) -> None:
        """Begin a list item."""
        number = self.lists[-1] if self.lists else None
        if number is not None:
            self.lists[-1] = number + 1
        self._write("-" if number is None else f"{number}.")
        self._space, self._glued = " ", True
        self._tight += 1

    def row(self) -> None:
        """Begin a table row."""
        self.rows.append((0, len(self._parts)))

    def cell(self) -> None:
        """Begin a cell, after a bar on the line of the previous one."""
        self._tight += 1
        if not self.rows:
            return
        cells, begun = self.rows[-1]
        self.rows[-1] = (cells + 1, begun)
        if not cells:
            return
        if len(self._parts) > begun:
            self._gap, self._space = 0, " "
        self._write("|")
        self._space, self._glued = " ", True

    def close(self) -> None:
        """End a cell or a list item."""
        self._glued = False
        self._tight -= 1

    def text(self) -> str:
        """Return the text so far."""
        return _LOOSE_END.sub("", _ONLY_BARS.sub("", "".join(self._parts)))

    def _write(self, words: str) -> None:
        if self._parts:
            if self._gap:
                self._parts.append("\n" * self._gap)
            elif self._space and not self._unseen(words):
                self._parts.append(" ")
        self._parts.append(words)
        self._gap, self._space, self._glued = 0, "", False

    def _unseen(self, words: str) -> bool:
        """Return whether the pending white space is a line break between two Japanese characters."""
        return (
            self._space == "\n" and bool(_IS_JAPANESE.match(self._parts[-1][-1:])) and bool(_IS_JAPANESE.match(words))
        )


_UNSEEN = frozenset(
    """
    head script style template noscript iframe object svg canvas audio video select datalist button textarea nav dialog
    rt rp
    """.split()  # noqa: SIM905 - a list of words is read as prose
)
"""Elements without text of the page itself; of ruby, the readings above the characters."""
_LINES = """
    div li tr dt dd caption figcaption summary legend center form body br
    """.split()  # noqa: SIM905 - the same
_PARAGRAPHS = """
    p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure hr section article main aside header footer address details
    fieldset
    """.split()  # noqa: SIM905 - the same
_GAPS = dict.fromkeys(_LINES, 1) | dict.fromkeys(_PARAGRAPHS, 2)  # the line breaks that separate an element
_CELLS = frozenset(("td", "th"))

_META = re.compile(rb"""<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{1,40})""", re.IGNORECASE)
_XML = re.compile(r"""\s*<\?xml\b""")
_XML_ENCODING = re.compile(rb"""\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_:.-]{1,40})""")
_STRETCH = 100_000
_META_WITHIN = 4096
_CLOSED_AT_ONCE = re.compile(r"<(script|style|title|textarea|iframe|noscript)\b([^<>]*)/>", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_CODECS = {
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("iso-8859-1", "us-ascii", "ascii", "latin1"), "cp1252"),
    "x-euc-jp": "euc_jp",
}
"""How browsers interpret these names (WHATWG Encoding Standard, section 4.2)."""
_KNOWN = frozenset(
    """
    utf-8 cp932 euc-jp euc_jp cp1252 windows-1252 iso-2022-jp iso-8859-15 windows-1250 windows-1251 koi8-r gb18030 gbk
    gb2312 big5 euc-kr
    """.split()  # noqa: SIM905 - the same
)


_MOST_NESTED = 20_000
_MOST_ATTRIBUTES = 10_000
"""The parser looks through all open elements at each new one, and through all attributes of a tag at each new one."""
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)")
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_ATTRIBUTE = re.compile(r"[^\s/]+")
_NOT_NESTED = frozenset(
    """
    html head body p li dt dd option optgroup tr td th thead tbody tfoot caption colgroup rt rp a button
    area base br col embed hr img input link meta param source track wbr
    """.split()  # noqa: SIM905 - the same
)
"""Elements that contain nothing, or that the next one of their kind closes, so that pages often leave them open."""


def html_pieces(data: bytes) -> Pieces:
    """Yield the title and the visible text of a page. Raises NoText."""
    page, note = decoded(data, _declared(data[:_META_WITHIN]))
    yield from _visible(page)
    return note


def visible_text(page: str) -> str:
    """Return the text of a page, as `html_pieces` reads it."""
    return "".join(_visible(page))


def _visible(page: str) -> Iterator[str]:
    """Yield the title, then what a browser would show, without scripts, navigation, form controls and hidden parts.

    Raises NoText for a page that would take minutes to parse.

    Blocks are on separate lines, paragraphs are separated by an empty line, cells of a row are joined (`a | b`), and
    items start with `-` or their number. A line break in the source between two Japanese characters is dropped, as it
    is invisible. Empty pieces signal progress.
    """
    page = tidied(page)
    _check(page)
    if _XML.match(page):
        page = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", page)  # HTML has no <script/>, and would swallow all that follows
    tree = LexborHTMLParser(page)
    lines = PageLines()
    if tree.root is not None:
        for _ in _walk(tree.root, lines):
            yield ""
    text = lines.text()
    title = tree.css_first("head > title")
    name = " ".join(title.text().split()) if title is not None else ""
    yield f"{name}\n\n{text}" if name and name not in text[:500] else text


def _check(page: str) -> None:
    """Raise NoText for a page with more open elements, or attributes of one tag, than any page of people."""
    depth = 0
    opened: Counter[str] = Counter()
    for found in _TAG.finditer(page):
        closing, name, rest = found.groups()
        name = name.lower()
        if len(rest) > _MOST_ATTRIBUTES and len(_ATTRIBUTE.findall(_QUOTED.sub("", rest))) > _MOST_ATTRIBUTES:
            raise NoText(f"has a tag with more than {_MOST_ATTRIBUTES:,} attributes; save it anew without them")
        drawn = rest.endswith("/") and (opened["svg"] or opened["math"])  # only there, a slash closes an element
        if name in _NOT_NESTED or drawn:
            continue
        if not closing:
            opened[name] += 1
            depth += 1
        elif opened[name]:
            opened[name] -= 1
            depth -= 1
        if depth > _MOST_NESTED:
            raise NoText(f"is nested more than {_MOST_NESTED:,} elements deep; save it anew, or as text")


def _declared(start: bytes) -> str | None:
    found = _META.search(start) or _XML_ENCODING.match(start)
    if not found:
        return None
    name = found[1].decode("ascii").lower()
    name = _CODECS.get(name, name)
    return name if name in _KNOWN else None


def _walk(root: LexborNode, lines: PageLines) -> Iterator[None]:
    """Visit every node without recursion, however deeply nested; yields regularly to signal progress."""
    node, depth = root, 0
    for count in count_from(1):
        if count % _STRETCH == 0:
            yield
        inside = _entered(node, lines)
        child = node.child if inside else None
        if child is not None:
            node, depth = child, depth + 1
            continue
        if inside:
            _left(node, lines)
        following = node.next if depth else None
        while following is None:
            above = node.parent if depth else None
            if above is None:
                return
            node, depth = above, depth - 1
            _left(node, lines)
            following = node.next if depth else None
        node = following


def _entered(node: LexborNode, lines: PageLines) -> bool:
    """Write the node's beginning; return whether to visit its children."""
    tag = node.tag or ""
    if tag == "-text":
        lines.words(node.text_content or "")
    if tag in _UNSEEN or tag.startswith(("-", "!")) or _hidden(node):
        return False
    lines.end(_GAPS.get(tag, 0))
    if tag in _CELLS:
        lines.cell()
    elif tag == "li":
        lines.item()
    elif tag == "tr":
        lines.row()
    elif tag in {"ol", "ul"}:
        lines.lists.append(_first_number(node) if tag == "ol" else None)
    elif tag == "pre":
        lines.verbatim += 1
    return True


def _left(node: LexborNode, lines: PageLines) -> None:
    tag = node.tag or ""
    if tag in _CELLS or tag == "li":
        lines.close()
    elif tag == "tr":
        lines.rows.pop()
    elif tag in {"ol", "ul"}:
        lines.lists.pop()
    elif tag == "pre":
        lines.verbatim -= 1
    if tag != "br":
        lines.end(_GAPS.get(tag, 0))


def _hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_NOT_SHOWN.search(attributes.get("style") or ""))


def _first_number(node: LexborNode) -> int:
    start = node.attributes.get("start") or ""
    return int(start) if start.isdecimal() and len(start) < 10 else 1
