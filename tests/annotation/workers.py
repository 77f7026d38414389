"""Other processes that use a store: each forks from one that has already imported it, which saves the import.

with another_process(saves, url) as (process, output):     # `saves(tell, url)`, a function of this module
    output.readline()
    process.kill()
"""

import multiprocessing
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from storing import settings_of

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(
    ["saiten.annotation.store", "sqlalchemy.dialects.sqlite", "sqlalchemy.dialects.postgresql.psycopg"]
)


@contextmanager
def another_process(work, *arguments) -> Iterator[tuple]:
    """The process and its output lines, until it ends."""
    here, there = _FORKING.Pipe(duplex=False)
    process = _FORKING.Process(target=_call, args=(work, there, arguments))
    process.start()
    there.close()
    with os.fdopen(os.dup(here.fileno()), "rb") as output:
        here.close()
        try:
            yield process, output
        finally:
            process.kill()
            process.join()


def _call(work, there, arguments) -> None:
    work(partial(_tell, there.fileno()), *arguments)


def _tell(to, *words) -> None:
    """Write a line, at once and in one piece; the process ends if nobody is reading."""
    os.write(to, (" ".join(map(str, words)) + "\n").encode())


def saves(tell, url):
    """Eight annotators save until the process is killed, and print the ID of each acknowledged save."""
    from saiten.annotation.store.assignment import next_item
    from saiten.annotation.store.project import open_project
    from saiten.annotation.store.saving import save_annotation

    store = open_project(url)

    def work(person):
        while True:
            number = next_item(store, person).number
            for _ in range(20):
                save_id = str(uuid.uuid4())
                save_annotation(store, person, number, {"reason": "理由" * 50, "id": save_id}, save_id=save_id)
                tell(save_id)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 9)))


def works_off(tell, url, people):
    """These annotators answer until nothing is left, and print who answered what."""
    from saiten.annotation.store.assignment import next_item
    from saiten.annotation.store.project import open_project
    from saiten.annotation.store.saving import save_annotation

    with open_project(url) as store:

        def work(person):
            while (given := next_item(store, person)) is not None:
                save_annotation(store, person, given.number, {"by": person}, save_id=str(uuid.uuid4()))
                tell(person, given.item.id)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, people))


def opens(tell, url):
    """Open the database and print the identity of the project."""
    from saiten.annotation.store.project import open_project

    with open_project(url, settings_of()) as store:
        tell(store.identity)
