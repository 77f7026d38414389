"""Damaged versions of a healthy file: cut, flipped, of other types at every key, nested, doubled, in other encodings."""

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEEP = (3_000, 100_000)
_WRONG = (
    "null", "true", "-1", "1" + "0" * 30, '"x"', "[]", "{}", "[[1]]", '{"x": 1}', "0.5", "NaN", "-Infinity", "1e999",
    r'"\ud800"', "[[…]]",
)  # fmt: skip
"""Values of other types, as they are written; `[[…]]` is 3,000 levels deep."""
_PLACE = "\u0001PLACE\u0001"
_QUOTED = json.dumps(_PLACE)
_TEXTS = {"jsonl", "json", "csv", "tsv", "toml", "yaml", "py", "md", "html", "txt"}


@dataclass(frozen=True)
class Damage:
    """One damaged version: its name, its content, and whether other output without a word is right."""

    name: str
    content: bytes | None
    """None for another thing than a file, which `make` puts there."""
    changes: bool = False
    """Whether the file is still a valid one with other content."""

    def put(self, path: Path) -> None:
        """Put this version in place of the file."""
        path.unlink(missing_ok=True)
        if self.content is not None:
            path.write_bytes(self.content)
        elif self.name == "a folder":
            path.mkdir()
        elif self.name == "a dangling link":
            path.symlink_to("nowhere")


def damages_of(content: bytes, kind: str, *, thorough: bool) -> list[Damage]:
    """Return the damaged versions of a file of this kind (its suffix).

    Args:
        content: The healthy file.
        kind: Its suffix.
        thorough: Whether every key gets every wrong value, instead of a few by turns.
    """
    made = [
        Damage("missing", None),
        Damage("a folder", None),
        Damage("a dangling link", None),
        *_of_bytes(content, kind),
    ]
    if kind in _TEXTS:
        made += _of_text(content, kind)
    if kind == "json":
        made += _of_object(json.loads(content), _whole, thorough=thorough)
        made += _deep(_whole)
    if kind == "jsonl" and content:
        lines = content.splitlines(keepends=True)
        last = len(lines) - 1
        made += _of_object(json.loads(lines[last]), _in_line(lines, last), f"line {last + 1}: ", thorough=thorough)
        made += _deep(_in_line(lines, min(1, last)))
        made.append(Damage("the first line twice", lines[0] + content, changes=True))
    if kind in {"xlsx", "docx"}:
        made += _of_zip(content, thorough=thorough)
    if kind == "toml":
        made += _of_toml(content)
    if kind == "yaml":
        made += _of_yaml(content)
    return [each for each in made if each.content != content]


def _whole(text: str) -> bytes:
    return text.encode()


def _in_line(lines: list[bytes], at: int) -> Callable[[str], bytes]:
    return lambda text: b"".join([*lines[:at], text.encode() + b"\n", *lines[at + 1 :]])


def _of_bytes(content: bytes, kind: str) -> Iterator[Damage]:
    size = len(content)
    yield Damage("empty", b"")
    for part, end in {"a quarter": size // 4, "half": size // 2, "without its end": size - 3}.items():
        # a table has no end that could be missed, nor have lines
        yield Damage(f"cut to {part}", content[:end], changes=kind in {"csv", "tsv"} or content[:end].endswith(b"\n"))
    yield Damage("zeros", bytes(64))
    yield Damage("zeros within", content[: size // 2] + bytes(8) + content[size // 2 :])
    yield Damage("noise", random.Random(1).randbytes(512))
    yield Damage("a picture", b"\x89PNG\r\n\x1a\n" + bytes(200))
    for seed in range(6 if content else 0):
        drawn = random.Random(seed)
        flipped = bytearray(content)
        for _ in range(1 + seed % 3):
            flipped[drawn.randrange(size)] ^= 1 << drawn.randrange(8)
        yield Damage(f"flipped bits {seed}", bytes(flipped), changes=True)


def _of_text(content: bytes, kind: str) -> Iterator[Damage]:
    text = content.decode()
    middle = len(content) // 2
    yield Damage("UTF-16", text.encode("utf-16"))
    yield Damage("a byte order mark", b"\xef\xbb\xbf" + content)
    yield Damage(
        "no UTF-8 within", content[:middle] + b"\xff\xfe\x81" + content[middle:], changes=kind in "md html txt"
    )
    yield Damage("Windows line ends", content.replace(b"\n", b"\r\n"))
    yield Damage("a line of a megabyte", content + b"a" * (1 << 20), changes=True)
    yield Damage("a control character", content[:middle] + b"\x1b[31m\x07" + content[middle:], changes=True)


def _of_toml(content: bytes) -> Iterator[Damage]:
    for n in DEEP:
        yield Damage(f"lists {n} deep", content + b"\nx = " + b"[" * n + b"]" * n)
        yield Damage(f"tables {n} deep", b"x = " + b"{x=" * n + b"1" + b"}" * n + b"\n" + content)
    yield Damage("a long dotted key", content + b"\n[" + b"a." * 3_000 + b"a]\nx = 1")
    yield Damage("the file twice", content + content)


_ALIASES = "a: &a [x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


def _of_yaml(content: bytes) -> Iterator[Damage]:
    for n in DEEP:
        yield Damage(f"lists {n} deep", content + b"\nx: " + b"[" * n + b"]" * n)
    yield Damage("an alias bomb", _ALIASES.encode())
    yield Damage("a cycle", b"data: &a [*a]\n")
    yield Damage("a tag that runs code", b"data: !!python/object/apply:os.system ['true']\n")
    yield Damage("keys that are no texts", b"data: 1\n? [a, b]\n: 1\n1: 2\n")
    yield Damage("the file twice", content + content)


def _deep(written: Callable[[str], bytes]) -> Iterator[Damage]:
    for n in DEEP:
        yield Damage(f"lists {n} deep", written("[" * n + "]" * n))
        yield Damage(f"objects {n} deep", written('{"x":' * n + "1" + "}" * n))


def _of_object(value: Any, written: Callable[[str], bytes], prefix: str = "", *, thorough: bool) -> Iterator[Damage]:
    """Yield the JSON value with every key missing, of other types, and twice."""
    for name, wrong in (("null", "null"), ("a number", "7"), ("a text", '"x"'), ("a list", "[1]"), ("no key", "{}")):
        yield Damage(f"{prefix}{name} instead of all", written(wrong))
    for turn, place in enumerate(_places(value)):
        said = prefix + ".".join(map(str, place))
        with_place = json.dumps(_with(value, place, _PLACE))
        if isinstance(place[-1], str):
            yield Damage(f"{said} missing", written(json.dumps(_without(value, place))), changes=True)
            yield Damage(f"{said} twice", written(with_place.replace(_QUOTED, f'7,{json.dumps(place[-1])}:"other"')))
        for at, raw in enumerate(_WRONG):
            if thorough or (at - turn) % 5 == 0:
                wrong = "[" * 3_000 + "]" * 3_000 if raw == "[[…]]" else raw
                yield Damage(f"{said} = {raw}", written(with_place.replace(_QUOTED, wrong)), changes=True)


def _places(value: Any, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of values, at most three levels down; of a list or of alike texts only the first."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if isinstance(value, list) or (len(above) > 0 and all(isinstance(item, str) for _, item in inside)):
        inside = inside[:1]
    for key, item in inside:
        yield (*above, key)
        if len(above) < 2:
            yield from _places(item, (*above, key))


def _with(value: Any, place: tuple[str | int, ...], wrong: Any) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = wrong
    return changed


def _without(value: Any, place: tuple[str | int, ...]) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    return changed


_BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(f'<!ENTITY {b} "{f"&{a};" * 10}">'.encode() for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + b"]><x>&i;</x>"
)


def _of_zip(content: bytes, *, thorough: bool) -> Iterator[Damage]:
    """Yield an archive with each part missing, empty, cut, an XML bomb, or deep."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {each.filename: archive.read(each) for each in archive.infolist()}
    for name in parts if thorough else list(parts)[:8]:
        replaced = {
            "missing": None,
            "empty": b"",
            "cut": parts[name][: len(parts[name]) // 2],
            "a bomb": _BOMB,
            "nested": b"<x>" * 5_000 + b"</x>" * 5_000,
            "zeros": bytes(50),
        }
        for how, part in replaced.items():
            kept = {**parts, name: part}
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for each, inside in kept.items():
                    if inside is not None:
                        archive.writestr(each, inside)
            yield Damage(f"{name} {how}", packed.getvalue(), changes=True)
