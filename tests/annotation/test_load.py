"""Many annotators at once over HTTP, on bad connections and with a server that is killed: counts only, no times.

`benchmarks/annotation.py` does the same with fifty of them, and with times.
"""

import asyncio
import random
import re

import psutil
import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from crowd import Crowd, exported, held_against, work_off
from served import ServedProject, answers
from sqlalchemy import event
from storing import new_id, new_items, settings_of
from storing import work_off as work_off_here

from saiten.annotation.forms import GradeForm
from saiten.annotation.live_agreement import LiveAgreement
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person
from saiten.annotation.store.progress import ItemCounts, item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import undo_last

NAMES = [f"P{number}" for number in range(10)]
_TOKEN = re.compile(rb"/join/([\w-]{43})")


@pytest.fixture
def served(tmp_path, annotation_database):
    """`served(items, names)`: a project and its server."""
    projects = []

    def serve(items, names=NAMES, *options):
        people = [part for name in names for part in ("--annotator", name)]
        projects.append(
            ServedProject(tmp_path, annotation_database, answers(items), "--form", "grade", *people, *options)
        )
        return projects[-1]

    yield serve
    for project in projects:
        if project.process.poll() is None:
            project.kill()


async def test_what_ten_annotators_save_at_once_is_stored_once_and_shared_evenly(served):
    """Some saves arrive twice at the same moment, some replies are never read: each is stored once, as sent;
    each item has its two annotators, each annotator as many items; and the log reports nothing.
    """
    project = served(25)
    crowd = Crowd(random.Random(20270301), sent_twice=0.3, cut=0.3)
    await work_off(project, crowd, NAMES)
    kept = held_against(await exported(project), crowd.acknowledged)
    assert (kept.rows, kept.lost, kept.double, kept.unasked) == (50, 0, 0, 0)
    assert (kept.per_item, kept.per_person) == ({2: 25}, {5: 10})
    assert crowd.counted["again"] > 5
    await asyncio.to_thread(project.stop)
    with open_project(project.database) as store:
        assert item_counts(store) == ItemCounts(total=25, finished=25, untouched=0)
        assert all(answered.revision == 1 for each in annotated_items(store) for _, answered in each.annotations)
    log = b"".join(project.output)
    assert set(_TOKEN.findall(log)) == {token.encode() for token in project.tokens.values()}
    assert log.splitlines()[-2].startswith(b"Ctrl-C stops"), log.decode()


async def test_a_crowd_adds_neither_threads_nor_files(served):
    """While thirty people work at once, the server has eight threads for requests and eight connections to the
    database: with forty threads, memory grew for as long as people saved.
    """
    names = [f"P{number}" for number in range(30)]
    project = served(60, names)
    await work_off(project, Crowd(random.Random(20270304)), names)
    process = psutil.Process(project.process.pid)
    assert process.num_threads() <= 8 + 3
    files = [each.path for each in process.open_files() if each.path.startswith(f"{project.database}")]
    assert len(files) <= 2 * 8 + 1, "two per connection, and one that all share"


@pytest.mark.slow
async def test_what_was_acknowledged_is_there_after_a_kill(served):
    """SIGKILL in the middle of saves, again and again: links and sessions stay valid, what the page resends is
    stored once, and nobody gets an item that is not theirs.
    """
    project = served(20, NAMES[:6])
    crowd = Crowd(random.Random(20270302), sent_twice=0.2, cut=0.1)
    dice = random.Random(20270303)

    async def kill_now_and_then():
        for enough in (6, 22):
            while len(crowd.acknowledged) < enough:  # noqa: ASYNC110 - nobody but the crowd could tell
                await asyncio.sleep(0.005)
            await asyncio.sleep(dice.uniform(0, 0.05))
            await asyncio.to_thread(project.kill)
            there = held_against(_rows(project), dict(crowd.acknowledged))
            assert (there.lost, there.double) == (0, 0)
            await asyncio.to_thread(project.start)

    await asyncio.gather(work_off(project, crowd, NAMES[:6]), kill_now_and_then())
    kept = held_against(await exported(project), crowd.acknowledged)
    assert (kept.rows, kept.lost, kept.double, kept.unasked) == (40, 0, 0, 0)
    assert kept.per_item == {2: 20}
    assert crowd.counted["away"] >= 2


def test_no_look_at_the_whole_project_sorts_it_for_each_run(tmp_path):
    """Twice the items take twice the time: SQLite walks through them by number and never sorts all of them."""
    with open_project(str(tmp_path / "labels.db"), settings_of()) as store:
        add_items(store, new_items(3))
        asked = []
        engine = store.database.engine
        event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2:4]))
        work_off_here(store, create_person(store, "Anna", "annotator")[0].id)
        asked.clear()
        assert len(list(annotated_items(store))) == 3
        walked = [each for each in asked if "FROM saiten_items" in each[0]]
        with engine.connect() as connection:
            plans = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {each[0]}", each[1]).all() for each in walked]
    steps = [line[-1] for plan in plans for line in plan]
    assert "SEARCH saiten_items USING INTEGER PRIMARY KEY (rowid>?)" in steps
    assert not [line for line in steps if "TEMP B-TREE" in line]


def test_a_project_takes_few_different_statements(tmp_path):
    """From the first item to the last, since each connection keeps its latest 128 statements in memory, and one for
    every number of open places would be a megabyte.
    """
    with open_project(str(tmp_path / "labels.db"), settings_of()) as store:
        add_items(store, new_items(100))
        persons = [create_person(store, name, "annotator")[0].id for name in NAMES[:4]]
        asked = set()
        event.listen(store.database.engine, "before_cursor_execute", lambda *args: asked.add(args[2]))
        for most in (30, 10**9):
            for person in persons:
                work_off_here(store, person, most)
        assert item_counts(store).finished == 100
    assert len(asked) < 80
    assert sum(map(len, asked)) < 60_000


def test_the_agreement_is_computed_once_while_nobody_says_more(tmp_path):
    """The figures are identical until a save, a skip or an undo changes them."""
    with open_project(str(tmp_path / "labels.db"), settings_of()) as store:
        add_items(store, new_items(4))
        for name in ("Anna", "Ben"):
            work_off_here(store, create_person(store, name, "annotator")[0].id)
        agreed = LiveAgreement(GradeForm(), store)
        before = agreed.figures()
        assert before
        assert agreed.figures() is before
        undo_last(store, 1, save_id=new_id())
        after = agreed.figures()
        assert after is not before
        assert {each.estimate.n for each in after} == {3}


def _rows(project):
    """What is in the database, as `exported` gives it."""
    with open_project(project.database) as store:
        return [
            {"annotator": person.name, "item": each.item.key, "reason": said.payload["reason"]}
            for each in annotated_items(store)
            for person, said in each.annotations
        ]
