"""Opening the annotation database: what is accepted, what is refused, and with which messages."""

import _sqlite3
import ctypes
import logging
import os
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from storing import new_items, settings_of
from workers import another_process, opens

from saiten.annotation.records import NewItem
from saiten.annotation.store.annotations import annotated_item, assigned_item, assigned_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.database import NoSuchProject, StoreUnavailable
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import (
    all_people,
    begin_session,
    create_person,
    find_session,
    person_by_token,
    renew_token,
    set_active,
)
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation
from saiten.errors import BadInput, ConfigurationError


@pytest.mark.witness
def test_a_project_is_made_once_and_found_again(fresh_database):
    """When it is reopened, with the same settings or none, everything is as before."""
    with open_project(fresh_database, settings_of(overlap=0.5, seed=7)) as store:
        add_items(store, new_items(10))
        anna, token = create_person(store, "Anna", "annotator")
        identity = store.identity
    for settings in (None, settings_of(overlap=0.5, seed=7)):
        with open_project(fresh_database, settings) as store:
            assert store.settings == settings_of(overlap=0.5, seed=7)
            assert store.identity == identity
            assert person_by_token(store, token) == anna
            assert item_counts(store).total == 10


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"form": "correct"}, "form is 'grade', not 'correct'"),
        ({"per_item": 3}, "per_item is 2, not 3"),
        ({"overlap": 0.25}, "overlap is 1.0, not 0.25"),
        ({"seed": 1, "prelabels": "shown"}, "seed is 0, not 1; prelabels is 'hidden', not 'shown'"),
        ({"options": {"rubric": "別の基準"}}, "options.rubric is '基準', not '別の基準'"),
        ({"options": {}}, "options.rubric is '基準', not not set"),
    ],
)
def test_other_settings_are_refused_by_name(annotation_database, changes, message):
    """Opening a project with settings other than its own names those that differ."""
    open_project(annotation_database, settings_of()).close()
    with pytest.raises(BadInput) as caught:
        open_project(annotation_database, settings_of(**changes))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "changes", [{"per_item": 0}, {"overlap": 1.1}, {"overlap": -0.1}, {"overlap": float("nan")}, {"prelabels": "seen"}]
)
def test_settings_that_make_no_sense_are_refused(tmp_path, changes):
    """No project is made of them either."""
    with pytest.raises(BadInput):
        open_project(str(tmp_path / "x.db"), settings_of(**changes))
    with pytest.raises(NoSuchProject):
        open_project(str(tmp_path / "x.db"))


def test_several_projects_share_a_database_and_nothing_else(annotation_database):
    """The people, items and sessions of one are not visible in the other."""
    with (
        open_project(annotation_database, settings_of(), name="a") as first,
        open_project(annotation_database, settings_of(form="correct"), name="b") as second,
    ):
        add_items(first, new_items(3))
        anna, token = create_person(first, "Anna", "annotator")
        secret, _ = begin_session(first, anna.id)
        given = next_item(first, anna.id)
        assert all_people(second) == []
        assert item_counts(second).total == 0
        assert person_by_token(second, token) is None
        assert find_session(second, secret) is None
        assert assigned_items(second, anna.id) == []
        assert assigned_item(second, anna.id, given.number) is None
        assert annotated_item(second, given.item.id) is None
        for refused in (
            lambda: next_item(second, anna.id),
            lambda: save_annotation(second, anna.id, given.number, {}, save_id="x"),
            lambda: renew_token(second, anna.id),
            lambda: set_active(second, anna.id, active=False),
            lambda: begin_session(second, anna.id),
        ):
            with pytest.raises(BadInput):
                refused()
        assert find_session(first, secret).person == anna
        assert create_person(second, "Anna", "annotator")[0].id != anna.id
        assert first.identity != second.identity
    with pytest.raises(NoSuchProject, match="it has 'a', 'b'"):
        open_project(annotation_database, name="c")


@pytest.mark.parametrize("written", ["{path}", "sqlite:///{path}", "SQLite:///{path}"])
def test_a_file_is_given_by_its_path_or_as_a_url(tmp_path, written):
    """Either way the same file is meant; missing folders are created."""
    path = tmp_path / "新しい folder" / "100% labels.db"
    open_project(written.format(path=path), settings_of()).close()
    assert path.exists()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mysql://u:secret@host/db", "'mysql' databases are not supported"),
        ("postgresql+asyncpg://u:secret@host/db", "'postgresql+asyncpg' databases are not supported"),
        ("https://u:secret@host", "'https' databases are not supported"),
        ("sqlite://", "an in-memory database would lose"),
        ("sqlite:///:memory:", "an in-memory database would lose"),
        (":memory:", "an in-memory database would lose"),
        ("", "an in-memory database would lose"),
        ("sqlite:///x.db?mode=ro", "no parameters"),
        ("a\0b.db", "NUL character"),
        ("postgresql://u:secret@ho@st/db", "as %40"),
        ("postgresql://u:secret@host:port/db", "cannot be read"),
        ("postgresql://u:secret@127.0.0.1:1/db", "postgresql://***@127.0.0.1:1/db cannot be used"),
        ("postgresql://u:secret@127.0.0.1:1/db?passfile=secret", "postgresql://***@127.0.0.1:1/db cannot be used"),
        ("postgresql://127.0.0.1:1/db?password=secret", "postgresql://127.0.0.1:1/db cannot be used"),
        ("postgresql://127.0.0.1:1/db?nonsense=secret", "cannot be used"),
    ],
)
def test_other_addresses_are_refused_in_words_without_the_password(address, message):
    """One sentence on one line says what was wrong; anything that may be a password is left out."""
    with pytest.raises(ConfigurationError) as caught:
        open_project(address, settings_of())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_files_that_are_no_annotation_database_are_left_as_they_are(tmp_path):
    """A text, another program's database, a folder, a truncated file: the message names what it is."""
    text, other, cut = tmp_path / "text.db", tmp_path / "other.db", tmp_path / "cut.db"
    text.write_text("grade,reason\n5,good\n" * 100)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    open_project(str(cut), settings_of()).close()
    cut.write_bytes(cut.read_bytes()[:5000])
    for path, message in (
        (text, "not a saiten annotation database"),
        (other, "not a saiten annotation database"),
        (tmp_path, "is a folder"),
        (cut, "damaged"),
        (text / "below.db", "cannot be used"),
        (Path("/proc/labels.db"), "cannot be used"),
    ):
        before = path.read_bytes() if path.is_file() else b""
        with pytest.raises(ConfigurationError, match=message):
            open_project(str(path), settings_of())
        assert (path.read_bytes() if path.is_file() else b"") == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such permissions here")
@pytest.mark.slow
def test_a_read_only_folder_is_reported(tmp_path):
    """Neither a new file in it nor an existing one can be used, and the message says what is needed."""
    folder = tmp_path / "folder"
    there = folder / "there.db"
    open_project(str(there), settings_of()).close()
    code = textwrap.dedent("""
        import os, sys
        from saiten.annotation.records import ProjectSettings
        from saiten.annotation.store.database import NoSuchProject, StoreUnavailable
        from saiten.annotation.store.items import add_items
        from saiten.annotation.store.people import all_people, create_person, person_by_token
        from saiten.annotation.store.progress import item_counts
        from saiten.annotation.store.project import open_project
        from saiten.annotation.store.people import begin_session, find_session
        from saiten.errors import ConfigurationError
        if os.geteuid() == 0:
            os.setuid(65534)
        for name in sys.argv[1:]:
            try:
                open_project(name, ProjectSettings("grade", {"rubric": "基準"}))
            except ConfigurationError as error:
                print(error)
    """)
    for path, mode in ((tmp_path.parent, 0o755), (tmp_path, 0o755), (there, 0o444), (folder, 0o555)):
        path.chmod(mode)
    try:
        arguments = [sys.executable, "-c", code, str(there), str(folder / "new.db")]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o755)
    if "No module named" in done.stderr or "PermissionError" in done.stderr:
        pytest.skip("another user may not read the package here")
    lines = done.stdout.splitlines()
    assert [line for line in lines if "needs a writable folder" in line] == lines
    assert len(lines) == 2, done.stderr


@pytest.mark.slow
def test_a_wrong_password_and_a_missing_database_are_reported(postgres_server):
    """The server's message is shown on one line, without the password."""
    for address, message in (
        (postgres_server.url(password="wr0ng"), "password authentication failed"),
        (postgres_server.url("nowhere"), 'database "nowhere" does not exist'),
    ):
        with pytest.raises(ConfigurationError) as caught:
            open_project(address, settings_of())
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "wr0ng" not in str(caught.value)
        assert "pass word" not in str(caught.value)


def test_many_may_open_a_fresh_database_at_once(fresh_database):
    """All get the same project; none fails, and the tables are created once."""
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_project(fresh_database, settings_of()), range(8)))
    assert len({store.identity for store in stores}) == 1
    for store in stores:
        store.close()


def test_two_processes_may_open_a_fresh_database_at_once(fresh_database):
    """All get the same project; none fails."""
    with (
        another_process(opens, fresh_database) as (one, ones),
        another_process(opens, fresh_database) as (other, others),
    ):
        said = {*ones, *others}
        one.join()
        other.join()
    assert [one.exitcode, other.exitcode] == [0, 0]
    assert len(said) == 1


def test_after_closing_the_store_says_so(annotation_database):
    """A late call opens no connection again."""
    store = open_project(annotation_database, settings_of())
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable):
        all_people(store)


def test_a_missing_extra_is_reported():
    """Without SQLAlchemy or the PostgreSQL driver, the message says what to install."""
    code = textwrap.dedent("""
        import sys
        from saiten.errors import ConfigurationError
        for module in sys.argv[1:]:
            sys.modules[module] = None
            try:
                from saiten.annotation.store.database import NoSuchProject, StoreUnavailable
                from saiten.annotation.store.items import add_items
                from saiten.annotation.store.people import all_people, create_person, person_by_token
                from saiten.annotation.store.progress import item_counts
                from saiten.annotation.store.project import open_project
                from saiten.annotation.store.people import begin_session, find_session
                open_project("postgresql://127.0.0.1:1/x")
            except ConfigurationError as error:
                print(error)
            del sys.modules[module]
    """)
    missing = {"sqlalchemy": "annotate", "alembic": "annotate", "psycopg": "postgres"}
    done = subprocess.run([sys.executable, "-c", code, *missing], capture_output=True, text=True, check=True)
    for line, (module, extra) in zip(done.stdout.splitlines(), missing.items(), strict=True):
        assert f'needs {module}; install with: pip install "saiten[{extra}]"' in line


def test_the_core_loads_nothing_of_the_database():
    """Neither `import saiten` nor the command overview nor the records import SQLAlchemy."""
    code = textwrap.dedent("""
        import sys
        import saiten, saiten.cli, saiten.annotation.records
        print(sorted({name.partition(".")[0] for name in sys.modules} & {"sqlalchemy", "alembic", "psycopg"}))
    """)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_nothing_secret_is_logged(annotation_database, caplog):
    """However verbosely SQLAlchemy and Alembic log, the log contains no token, cookie or password."""
    with caplog.at_level(logging.DEBUG):
        store = open_project(annotation_database, settings_of())
        anna, token = create_person(store, "Anna", "annotator")
        secret, _ = begin_session(store, anna.id)
        person_by_token(store, token)
        find_session(store, secret)
        store.close()
    assert token not in caplog.text
    assert secret not in caplog.text
    assert "pass word" not in caplog.text
    assert "pass%20word" not in caplog.text


def test_a_connection_keeps_little_of_a_file_in_memory(tmp_path):
    """After everything was read, SQLite holds less than 600 kB for the connection, however large the file is."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    if not hasattr(library, "sqlite3_memory_used"):
        pytest.skip("this Python does not show the functions of its SQLite library")
    library.sqlite3_memory_used.restype = ctypes.c_int64
    with open_project(str(tmp_path / "labels.db"), settings_of()) as store:
        add_items(store, (NewItem(f"item {n}", {"answer": "text " * 2_000}) for n in range(300)))
        store.database.engine.dispose()
        before = library.sqlite3_memory_used()
        with store.database.engine.connect() as connection:
            connection.exec_driver_sql("SELECT sum(length(content)) FROM saiten_items").all()
            assert connection.exec_driver_sql("PRAGMA page_count").scalar_one() > 750  # 3 MB
            assert library.sqlite3_memory_used() - before < 600_000
