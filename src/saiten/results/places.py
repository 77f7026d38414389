"""The questions, systems and groups of all samples of a run, in 30 bytes each."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from saiten.digests import Digests, digest_here
from saiten.results.place import Place

Where = tuple[int, str | None, str | None]
"""A number for the question, the same for the same question in this process; the system, and the group."""


class Names:
    """Texts as numbers, in the order in which they came; None is 0."""

    def __init__(self) -> None:
        self.known: list[str | None] = [None]
        self._codes: dict[str | None, int] = {None: 0}

    def code(self, text: str | None) -> int:
        """Return the number of a text."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self.known)
            self.known.append(text)
        return code


class Places:
    """Where each sample belongs. Ids and questions are kept as hashes only."""

    def __init__(self, places: Iterable[tuple[str, Place]] = ()) -> None:
        """`places`: ids with their places."""
        self._numbers = Digests("Q")
        self._questions, self._systems, self._groups = array("q"), array("i"), array("i")
        self._names = Names()
        for identity, place in places:
            self.add(identity, place.question, place.system, place.group)

    @classmethod
    def of(cls, places: "Places | Mapping[str, Place]") -> "Places":
        """Return the places themselves, or those of a mapping."""
        return places if isinstance(places, Places) else cls(places.items())

    def __len__(self) -> int:
        return len(self._questions)

    def add(self, identity: str, question: str, system: str | None, group: str | None) -> None:
        """Set the place of a sample; `question` as in `Place`."""
        digest = digest_here(identity)
        values = hash(question), self._names.code(system), self._names.code(group)
        number = self._numbers.get(digest)
        if number is None:
            self._numbers.put(digest, len(self))
            self._questions.append(values[0])
            self._systems.append(values[1])
            self._groups.append(values[2])
        else:
            self._questions[number], self._systems[number], self._groups[number] = values

    def where(self, identity: str) -> Where:
        """Return the place of a sample; an unknown one is a question of its own."""
        number = self._numbers.get(digest_here(identity))
        if number is None:
            return hash(identity), None, None
        known = self._names.known
        return self._questions[number], known[self._systems[number]], known[self._groups[number]]

    def counted(self, by: Literal["system", "group"]) -> dict[str, int]:
        """Return the number of samples of each system or group, by name."""
        codes: Iterator[int] = iter(self._systems if by == "system" else self._groups)
        named = {self._names.known[code]: n for code, n in Counter(codes).items()}
        return dict(sorted((name, n) for name, n in named.items() if name is not None))
