"""The store: one project of the annotation database, as the page and the command line see it.

Synchronous and safe in many threads; several processes may have the same database open. What a call wrote is on the
disk when it returns, and a call that raises wrote nothing, but for `StoreUnavailable`, after which nobody knows: then
the same is sent again, and is stored once.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Self

from saiten.annotation.records import (
    Assigned,
    Decision,
    Json,
    NewItem,
    Person,
    Progress,
    ProjectSettings,
    Role,
    Saved,
    Session,
    Settled,
)
from saiten.annotation.store import (
    assignment,
    decisions,
    earlier,
    hands,
    items,
    people,
    prelabels,
    progress,
    projects,
    saving,
    sessions,
    settled,
)
from saiten.annotation.store.database import Database
from saiten.annotation.store.json_text import to_text
from saiten.annotation.store.opening import open_database
from saiten.annotation.store.progress import ItemCounts

RELEASED_AFTER = timedelta(hours=24)


def _now() -> datetime:
    return datetime.now(UTC)


class Store:
    """People, items, who has which, and what they said."""

    def __init__(
        self,
        database: Database,
        project: int,
        identity: str,
        settings: ProjectSettings,
        *,
        release_after: timedelta = RELEASED_AFTER,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """For an open database; `Store.open` opens one."""
        self._database = database
        self._project = project
        self._shown = settings.prelabels == "shown"
        self._release_after = release_after
        self._clock = clock
        self.identity = identity
        """Drawn when the project was made; no other project, in whatever database, has the same."""
        self.settings = settings
        """As they were set when the project was made."""

    @classmethod
    def open(
        cls,
        url: str,
        settings: ProjectSettings | None = None,
        *,
        project: str = "default",
        release_after: timedelta = RELEASED_AFTER,
        clock: Callable[[], datetime] = _now,
    ) -> Self:
        """Open the project, or make it, and bring the database to this version's tables.

        Args:
            url: the path of a SQLite file, `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/DATABASE`.
            settings: of the project; None for one that is there.
            project: its name; a database may hold several.
            release_after: after so long an item that was given and not answered goes to others when nothing else is
                left for them, and the share of an annotator who is not seen to those who are.
            clock: tells the time, in UTC.

        Raises:
            BadInput: the project was made with other settings; the text names them.
            NoSuchProject: there is no such project or file, and there are no settings to make it with.
            ConfigurationError: the database cannot be used, or is of a newer saiten.
        """
        database = open_database(url, make=settings is not None)
        try:
            number = database.write(lambda c: projects.find_or_make(c, project, settings, clock()))
            identity, there = database.read(lambda c: projects.facts_of(c, number))
        except BaseException:
            database.close()
            raise
        return cls(database, number, identity, there, release_after=release_after, clock=clock)

    def close(self) -> None:
        """Let go of the file or the server; calls after this raise StoreUnavailable."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def add_items(self, new: Iterable[NewItem]) -> int:
        """How many were added; streams, all or nothing, those that are there already are passed over.

        Raises:
            BadInput: an item of a known key has another content; the text names it.
        """
        return self._database.write(lambda c: items.add_items(c, self._project, self.settings, new), tries=1)

    def add_prelabels(self, rows: Iterable[tuple[str, str, Json]]) -> int:
        """How many were added, of (item's key, who made it, payload); all or nothing.

        Raises:
            BadInput: there is no such item, it has another pre-label, or was given to somebody who was to be shown it.
        """
        return self._database.write(lambda c: prelabels.add_prelabels(c, self._project, self.settings, rows), tries=1)

    def create_person(self, name: str, role: Role) -> tuple[Person, str]:
        """Somebody new, and the token of their link; only its hash is kept, so it can be shown this once.

        Raises:
            BadInput: the name is taken, but for case, or is no name.
        """
        return self._database.write(lambda c: people.create_person(c, self._project, name, role, self._clock()))

    def new_token(self, person_id: int) -> str:
        """Another token; the old one and the person's sessions are over.

        Raises:
            BadInput: there is no such person.
        """
        return self._database.write(lambda c: people.renew_token(c, self._project, person_id))

    def set_active(self, person_id: int, active: bool) -> None:  # noqa: FBT001 - it is what the method is about
        """Let somebody take part again, or no more; then what they have not answered goes to others.

        Raises:
            BadInput: there is no such person.
        """
        self._database.write(lambda c: people.set_active(c, self._project, person_id, active=active))

    def people(self) -> list[Person]:
        """Everybody, in the order in which they were created."""
        return self._database.read(lambda c: people.all_people(c, self._project))

    def person_by_token(self, token: str) -> Person | None:
        """Whose link it is; None for a wrong or old one, and for somebody who takes part no more."""
        return self._database.read(lambda c: people.person_by_token(c, self._project, token))

    def begin_session(self, person_id: int) -> tuple[str, Session]:
        """The secret for the cookie, of which a hash is kept, and the session: until 30 days after its last use.

        Raises:
            BadInput: there is no such person, or they take part no more.
        """
        return self._database.write(lambda c: sessions.begin_session(c, self._project, person_id, self._clock()))

    def session(self, secret: str) -> Session | None:
        """Whose session it is; None for one that is over or never was."""
        now = self._clock()
        found = self._database.read(lambda c: sessions.find_session(c, self._project, secret, now))
        if found is None:
            return None
        session, seen = found
        if now - seen > sessions.TOUCHED_AFTER:
            self._database.write(lambda c: sessions.touch_session(c, secret, now))
        return session

    def end_session(self, secret: str) -> None:
        """Log out; nothing happens where nobody was logged in."""
        self._database.write(lambda c: sessions.end_session(c, secret))

    def next_item(self, person_id: int, *, after: int = 0) -> Assigned | None:
        """The first unanswered item in this person's hands with a number above `after`, or else a new one.

        None where nothing is left for them, or where five are in their hands already. `after` is for fetching ahead.

        Raises:
            BadInput: there is no such person, or they take part no more.
        """
        number = self._database.read(lambda c: assignment.open_number(c, self._project, person_id, after))
        if number is None:
            number = self._database.write(lambda c: assignment.give(c, self._rules(), person_id, after))
        return None if number is None else self.assigned_number(person_id, number)

    def share(self, person_id: int) -> int:
        """How many items this person will have got in the end, as things stand now."""
        return self._database.read(lambda c: assignment.share(c, self._rules(), person_id))

    def done(self, person_id: int) -> int:
        """How many items this person has answered."""
        return self._database.read(lambda c: progress.done(c, self._project, person_id))

    def assigned(self, person_id: int) -> list[Assigned]:
        """All items that this person got, by number, but for those that went to others meanwhile."""
        return self._database.read(lambda c: hands.assigned(c, self._project, person_id, prelabels_shown=self._shown))

    def assigned_number(self, person_id: int, number: int) -> Assigned | None:
        """The person's item of this number; None where there is none."""
        return self._database.read(
            lambda c: hands.assigned_number(c, self._project, person_id, number, prelabels_shown=self._shown)
        )

    def earlier(self, person_id: int, number: int, field: str) -> Assigned | None:
        """The item that this person answered last and whose content has the same `field` as their item `number`.

        None where there is none, or where theirs has no such field.
        """
        return self._database.read(lambda c: earlier.earlier(c, self._project, person_id, number, field))

    def save(
        self,
        person_id: int,
        number: int,
        payload: Json,
        *,
        save_id: str,
        unclear: bool = False,
        seconds: float | None = None,
    ) -> Saved:
        """Store what this person says about their item of this number; once, however often it is sent.

        Raises:
            NotTheirs: they have no item of this number.
            SaveConflict: something else was stored under this id; that stands, this is not stored.
            BadInput: the person takes part no more, or the payload is no JSON.
            StoreUnavailable: it may be stored or not; send it again.
        """
        act = saving.Act(save_id, "save", to_text(payload, "what was said"), unclear, seconds)
        return self._database.write(
            lambda c: saving.perform(c, self._project, person_id, number, act, now=self._clock())
        )

    def skip(self, person_id: int, number: int, *, save_id: str) -> Saved:
        """Pass over this person's item of this number, answered or not, so that somebody else gets it.

        Raises:
            As `save`.
        """
        act = saving.Act(save_id, "skip")
        return self._database.write(
            lambda c: saving.perform(c, self._project, person_id, number, act, now=self._clock())
        )

    def undo(self, person_id: int, *, save_id: str) -> Assigned | None:
        """Take back this person's latest save or skip that was not taken back; its item as it stands now.

        None where there is nothing to take back. The next undo takes back the one before.

        Raises:
            SaveConflict: something else was stored under this id; nothing is taken back.
            BadInput: the person takes part no more.
        """
        number = self._database.write(lambda c: saving.undo(c, self._project, person_id, save_id, self._clock()))
        return None if number is None else self.assigned_number(person_id, number)

    def progress(self) -> list[Progress]:
        """Of each annotator, in the order of their ids."""
        return self._database.read(lambda c: progress.progress(c, self._project))

    def item_counts(self) -> ItemCounts:
        """How many items there are, are finished, are untouched."""
        return self._database.read(lambda c: progress.item_counts(c, self._project))

    def acts(self) -> tuple[int, int]:
        """How many saves, skips and undos there were, and the number of the last: the same while nobody says more."""
        return self._database.read(lambda c: progress.acts_so_far(c, self._project))

    def settled(self) -> Iterator[Settled]:
        """Every item about which something was said or decided; streams, and may be left off in the middle."""
        last = 0
        while run := self._settled_after(last):
            yield from run
            last = run[-1].item.id

    def item_settled(self, item_id: int) -> Settled | None:
        """One item, whether anything was said or not; None where there is none of this number."""
        return self._database.read(
            lambda c: settled.settled_item(c, self._project, item_id, prelabels_shown=self._shown)
        )

    def decide(self, item_id: int, payload: Json, note: str, admin_id: int) -> None:
        """Store an admin's decision beside what annotators said; the latest counts, those before are kept.

        Raises:
            BadInput: there is no such item, or the person is no admin who takes part.
        """
        self._database.write(
            lambda c: decisions.decide(c, self._project, item_id, payload, note, admin=admin_id, now=self._clock())
        )

    def decisions(self, item_id: int) -> list[Decision]:
        """All decisions on an item, in the order in which they were made."""
        found = self._database.read(lambda c: decisions.decisions_on(c, self._project, [item_id]))
        return [decision for _, decision in found]

    def _settled_after(self, item: int) -> list[Settled]:
        return self._database.read(lambda c: settled.settled_after(c, self._project, item, prelabels_shown=self._shown))

    def _rules(self) -> assignment.Rules:
        return assignment.Rules(self._project, self.settings, self._release_after, self._clock())
