"""What cannot be asked about: passages that say nothing, or nothing new."""

import pytest

from saiten.testsets.plan.askable import why_unasked
from saiten.testsets.plan.sections import Outline
from saiten.testsets.plan.vocabulary import NearCopies, Ties, Vocabulary


def reason(text):
    """Why a document of one passage is left out."""
    outline = Outline([(0, text)])
    return why_unasked(text, outline.prose(0, text), code=outline.has_code(0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was opened in 1998.",
        "この橋は1998年に開通した。",
        "# Leave\n\nEverybody has 26 days of paid leave.",
        "| model | width | noise |\n|---|---|---|\n| DX-40 | 60 cm, fits every kitchen | quiet, 44 dB |",
        "- Wear gloves.\n- Open the lid.\n- Wait 5 minutes.\n- Close it.\n- Press Start.",
        "See [the manual](manual.md) before you open the lid, and wait until the water has drained.",
        "詳しくは[取扱説明書](manual.md)をご覧のうえ、水が抜けるまで待ってからふたを開けてください。",
        "Run it once:\n\n```sh\npump --rinse\n```\n\nIt prints the pressure, which must stay below 8 bar.",
        "E1 … no water\nE2 … no drain\nE4 … leak protection\nE5 … heating\nE7 … door",
    ],
)
def test_what_says_something_is_kept(text):
    """Sentences, tables with words, lists of steps, links in a sentence, code with an explanation; both languages."""
    assert reason(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "short"),
        ("Fee: 300.", "short"),
        ("以上。", "short"),
        ("# Installation of the machine and its hoses\n\n## Before you begin", "short"),
        ("© 2024 ACME", "short"),
        ("```python\nimport saiten\nresult = saiten.evaluate(rows, metrics)\n```", "code"),
        ("# Example\n\n~~~\n{'question': 'When?', 'answer': 'In 1998, as the chronicle says.'}\n~~~", "code"),
        ("| 1998 | 0.23 | 11 |\n| 1999 | 0.27 | 12 |\n| 2000 | 0.31 | 14 |\n| the total of all the years | 12 |", "symbols"),
        ("-----+-----+-----\n 0101 | 1101 | 0x1F\n=================\nabcdefghijklmnopqrstuvwxyz", "symbols"),
        ("iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHw", "symbols"),
        ("- [Installation](install.md)\n- [First steps](first.md)\n- [Loading the baskets](load.md)", "links"),
        ("1. Introduction ........ 3\n2. Safety instructions ...... 5\n3. Installation ...... 12", "links"),
        ("はじめに……………………3\n安全上のご注意……………5\n設置のしかた……………12", "links"),
        ("Home\nProducts\nAbout us\nContact\nImprint\nPrivacy", "links"),
        ("ホーム\n製品情報\n会社概要\nお問い合わせ\n採用情報", "links"),
        ("https://example.com/a/long/address\nhttps://example.com/another/long/address", "links"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_left_out_with_a_reason(text, expected):
    """Headings alone, code alone, figures without words, encoded data, tables of contents, menus; both languages."""
    assert reason(text) == expected


LEAVE = (
    "Up to 5 unused days of leave are carried over into the next year. They have to be taken by 31 March; whatever is "
    "left on that day lapses and is not paid out. There is one exception: if leave in November was refused for "
    "operational reasons, these days can be taken until 30 June, with the approval of the department head."
)
LEAVE_JA = (
    "使い切れなかった有給休暇は翌年度まで繰り越せます。保有できる日数は、新しく付与される分を含めて40日が上限です。年度内に5日"
    "以上取得することは法律上の義務ですので、9月末の時点で取得が3日に満たない方には、上長が時季を指定することがあります。"
)


@pytest.mark.parametrize(
    ("one", "other", "copy"),
    [
        (LEAVE, LEAVE, True),
        (LEAVE, LEAVE.upper(), True),
        (LEAVE, LEAVE.replace("; ", ";\n").replace("whatever", "and whatever"), True),
        (LEAVE, LEAVE.replace("31 March", "15 March"), False),
        (LEAVE, LEAVE.replace("November", "December"), False),
        (LEAVE, LEAVE[: len(LEAVE) // 2], False),
        (LEAVE_JA, LEAVE_JA.replace("、", ","), True),
        (LEAVE_JA, LEAVE_JA.replace("40日", "60日"), False),
        (LEAVE_JA, LEAVE_JA.replace("上長", "社長"), False),
        (LEAVE_JA, LEAVE, False),
        ("", "", False),
    ],
)
def test_a_near_copy_says_the_same_in_the_same_words(one, other, copy):
    """Another spelling or layout is a copy; another number or name is not, and neither is a part."""
    vocabulary = Vocabulary()
    copies = NearCopies(vocabulary)
    assert not copies.is_copy(one, vocabulary.read(one))
    assert copies.is_copy(other, vocabulary.read(other)) == copy


def test_a_copy_is_found_among_thousands_of_pages_that_look_alike():
    """Pages of a template that differ in a name and a number are no copies; the one that repeats a page is."""
    vocabulary = Vocabulary()
    copies = NearCopies(vocabulary)
    pages = [f"{LEAVE} The model TK-{n} uses {n % 13} watts while it waits for commands." for n in range(2_000)]
    assert not any(copies.is_copy(page, vocabulary.read(page)) for page in pages)
    assert copies.is_copy(pages[1], vocabulary.read(pages[1]))


def ties_of(*texts):
    """The ties of passages with these texts."""
    vocabulary = Vocabulary()
    words = [vocabulary.read(text) for text in texts]
    return Ties(words, vocabulary)


def test_rare_words_tie_passages_and_everyday_words_do_not():
    """The booking of a named room ties two passages of a handbook; words like company and day do not."""
    ties = ties_of(
        "Osprey can be booked only with the approval of the office manager.",
        "Catering for Osprey is ordered when the room is booked, three days ahead.",
        "A company may change the number of days if it is necessary.",
        "The company is to be informed of the number of days.",
    )
    assert ties.tie(0, 1) > 0.5
    assert ties.shared(0, 1) == ["osprey", "booked"]
    assert ties.tie(2, 3) == 0
    assert ties.of(0, 0, 4).tolist() == pytest.approx([ties.tie(0, each) for each in range(4)])


def test_long_words_of_kanji_are_tied_by_their_parts():
    """年次有給休暇 and 特別休暇 are both 休暇."""
    ties = ties_of("年次有給休暇を付与します。", "特別休暇は有給です。", "交通費を精算します。", "会議室を予約します。")
    assert "休暇" in ties.shared(0, 1)
    assert ties.tie(0, 1) > ties.tie(0, 2)
