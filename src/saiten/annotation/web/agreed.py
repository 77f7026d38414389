"""The agreement so far, computed once for all who ask while nobody says anything new: it reads the whole project."""

from collections.abc import Sequence
from threading import Lock

from saiten.annotation.forms import Form
from saiten.annotation.live_agreement import Figure, live_agreement
from saiten.annotation.store import Store


class AgreementSoFar:
    """Of one project. Remembers the last figures; for many threads, of which one computes and the others wait."""

    def __init__(self, form: Form, store: Store) -> None:
        self._form = form
        self._store = store
        self._lock = Lock()
        self._mark: tuple[int, int] | None = None
        self._figures: Sequence[Figure] = ()

    def figures(self) -> Sequence[Figure]:
        """Those of `live_agreement`."""
        with self._lock:
            mark = self._store.acts()  # before anything is read: what is said meanwhile makes it old
            if mark != self._mark:
                self._figures = live_agreement(self._form, self._store.settled())
                self._mark = mark
            return self._figures
