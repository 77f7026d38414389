"""Quantities in English sentences, with the preposition and what goes with it."""

import re
from typing import Literal, NamedTuple

Kind = Literal["money", "clock", "date", "percent", "temperature", "duration", "measure", "count"]

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DURATION = (
    "(?:working days?|business days?|calendar days?|school days?|seconds?|minutes?|hours?|days?|nights?|weeks?|"
    "months?|quarters?|years?|ms|s)"
)
_MEASURE = (
    "(?:litres?|liters?|millilitres?|ml|mL|kilograms?|kg|grams?|g|mg|tonnes?|tons?|kilometres?|kilometers?|km|miles?|"
    "metres?|meters?|m|"
    "centimetres?|centimeters?|cm|millimetres?|mm|inches|inch|feet|foot|kWh|kW|watts?|W|volts?|V|amps?|A|bar|dB|GB|MB|"
    "KB|TB|GiB|MiB|Hz|kHz|MHz|GHz|"
    "bytes|pixels|characters|tokens|words|lines|pages)"
)
_FEW = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    "a hundred|a thousand)"
)
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?(?: ?(?:million|billion|thousand|hundred))?|{_FEW})"
_AMOUNT = (
    rf"(?P<money>[£$€¥]\d[\d,]*(?:\.\d+)?(?:[mk]\b| (?:million|billion|thousand))?|{_NUMBER} (?:pounds|dollars|euros|"
    rf"yen|pence|cents)\b)"
    r"|(?P<clock>\d{1,2}:\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2}\.\d\d ?[ap]\.?m\b\.?|\d{1,2} ?[ap]\.?m\b\.?|noon|"
    r"midnight)(?![\d.])"
    rf"|(?P<date>\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:, \d{{4}})?(?!\d)|{_MONTH} \d{{4}})"
    rf"|(?P<percent>{_NUMBER} ?(?:%|percent\b|per cent\b))"
    rf"|(?P<temperature>{_NUMBER} ?°[CF]\b|{_NUMBER} degrees(?: Celsius| Fahrenheit)?)"
    rf"|(?P<duration>{_NUMBER} (?:full |consecutive |more )?(?P<period>{_DURATION})\b)"
    rf"|(?P<measure>{_NUMBER} ?(?P<unit>{_MEASURE})(?![\w-]))"
    rf"|(?P<count>{_NUMBER} (?P<noun>(?:(?!(?:and|or|of|in|on|to|for|is|are|was|were|at|by|with|from|per|a|the|as|"
    rf"than|times)\b)[a-z-]+ ){{0,2}}?[a-z-]+s\b))"
)
_LIMIT = (
    r"(?i:up to|at least|at most|at the most|no more than|not more than|more than|less than|fewer than|a maximum of|a "
    r"minimum of|about|around|"
    r"approximately|roughly|nearly|almost|over|only|exactly|the first|the last|the next|the following|the)"
)
_PREPOSITION = (
    r"(?:within|for|after|by|until|till|at|from|before|in|on|every|to|over|during|below|above|under|between|with|of)"
)
_TAIL = (
    r"(?: (?:ahead|beforehand|in advance|earlier|later|long|wide|high|deep|tall|thick|old|before|after)\b)?(?: (?:a|"
    r"per|each|every) (?:day|week|month|quarter|year|hour|minute|night|person|head|mile|page|user|item|order)\b)?"
)
_GAP = re.compile(
    rf"(?:\b(?P<preposition>{_PREPOSITION}) )?(?P<limit>(?:{_LIMIT} "
    rf"){{0,2}})(?P<amount>(?<![\w.,/#:-])(?:{_AMOUNT}))(?P<tail>{_TAIL})",
)


class QuantityPhrase(NamedTuple):
    """A quantity in a sentence, with the words that go with it."""

    start: int
    """Where its phrase starts: at the preposition, or at *up to*."""
    end: int
    amount_start: int
    amount_end: int
    kind: Kind
    preposition: str
    limit: str
    """*up to*, *at least*; "" if it is stated plainly."""
    noun: str
    """What is counted, or the unit; "" for money, times and dates."""
    tail: str
    """*ahead*, *long*, *per month*."""


def gaps(sentence: str) -> list[QuantityPhrase]:
    """Return the quantities of a sentence in order; a lone *one* is none."""
    found = []
    for match in _GAP.finditer(sentence):
        kind = next(name for name in Kind.__args__ if match[name])  # type: ignore[attr-defined]
        noun = match["period"] or match["unit"] or match["noun"] or ""
        noun = {"s": "seconds", "ms": "milliseconds"}.get(noun, noun)
        lone = match["amount"].startswith(("one ", "1 "))
        if (lone and (kind == "count" or match["preposition"] not in {"within", "for", "every"})) or noun in {
            "ones",
            "times",
        }:
            continue
        found.append(
            QuantityPhrase(
                match.start(), match.end(), match.start("amount"), match.end("amount"), kind,
                match["preposition"] or "", match["limit"].strip().lower(), noun, match["tail"].strip(),
            )
        )  # fmt: skip
    return found
