"""Arranges a page's words on lines, as a browser would: white space is collapsed, blocks start new lines."""

import re

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
        self._parts: list[str] = []
        self._gap = 0  # line ends due before the next word
        self._space = ""  # white space due before it, if no line ends
        self._glued = False  # the next word directly follows an item's marker
        self._rows: list[tuple[int, int]] = []  # cells so far, and the number of parts when the row began
        self._lists: list[int | None] = []
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
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        self._write("-" if number is None else f"{number}.")
        self._space, self._glued = " ", True
        self._tight += 1

    def close_item(self) -> None:
        """End a list item."""
        self._glued = False
        self._tight -= 1

    def open_list(self, first: int | None) -> None:
        """Begin a list, numbered from `first` or, with None, unnumbered."""
        self._lists.append(first)

    def close_list(self) -> None:
        """End a list."""
        self._lists.pop()

    def row(self) -> None:
        """Begin a table row."""
        self._rows.append((0, len(self._parts)))

    def cell(self) -> None:
        """Begin a cell, after a bar on the line of the previous one."""
        self._tight += 1
        if not self._rows:
            return
        cells, begun = self._rows[-1]
        self._rows[-1] = (cells + 1, begun)
        if not cells:
            return
        if len(self._parts) > begun:
            self._gap, self._space = 0, " "
        self._write("|")
        self._space, self._glued = " ", True

    def close_cell(self) -> None:
        """End a cell."""
        self._glued = False
        self._tight -= 1

    def close_row(self) -> None:
        """End a row."""
        self._rows.pop()

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
