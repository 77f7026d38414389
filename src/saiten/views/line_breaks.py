"""Where lines of a terminal end, also in Japanese."""

from rich.cells import cell_len
from rich.text import Text

_NOT_FIRST = frozenset("、。，．・：；？！」』）】〕〉》”’…‥ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%％,.:;?!)]}⟧⟩")
_NOT_LAST = frozenset("「『（【〔〈《“‘([{⟦⟨")

_ONE_MORE = "\t\ufe0f"
"""The second character turns the narrow sign before it into an emoji."""


def broken(text: Text, width: int) -> list[Text]:
    """Break the text into lines of at most `width` cells, keeping its own line ends, in linear time.

    rich breaks at spaces alone, so a Japanese sentence after a label would begin on a line of its own. Here a line may
    also end between full-width signs, but not before 。 or 」 nor after 「 (kinsoku). A no-break space is not broken
    and becomes a space.
    """
    lines: list[Text] = []
    for paragraph in text.split("\n", allow_blank=True):
        lines += _broken(paragraph, max(width, 2))
    return lines or [Text()]


def _broken(paragraph: Text, width: int) -> list[Text]:
    lines = paragraph.divide(_places(paragraph.plain, width))
    for line in lines:
        line.rstrip()
        line.plain = line.plain.replace("\xa0", " ")
    return list(lines)


def _places(plain: str, width: int) -> list[int]:
    """Return where lines begin, except the first."""
    places: list[int] = []
    line, used, chance = 0, 0, 0
    cells = 0  # from the beginning of the paragraph to the last chance
    so_far = 0
    wide_before = False
    for at, char in enumerate(plain):
        wide = 1 if char in _ONE_MORE else cell_len(char)
        if at > line and wide and _may_break(plain, at, wide > 1 or wide_before):
            chance, cells = at, so_far
        if used + wide > width and char != " ":
            if chance <= line:
                chance, cells = at, so_far
            places.append(chance)
            line, used = chance, so_far - cells
        used += wide
        so_far += wide
        wide_before = wide > 1 or (wide_before and not wide)
    return places


def _may_break(plain: str, at: int, next_to_wide: bool) -> bool:  # noqa: FBT001 - a private question
    before, after = plain[at - 1], plain[at]
    if before == " ":
        return after != " "
    if before in "⟧⟩" and after in "⟦⟨":
        return True
    return next_to_wide and after != " " and after not in _NOT_FIRST and before not in _NOT_LAST and before != "\xa0"
