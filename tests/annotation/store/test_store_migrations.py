"""Migrations from one table layout to the next."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from storing import new_id, settings_of, work_off

from saiten.annotation.records import NewItem
from saiten.annotation.store import schema
from saiten.annotation.store.annotations import annotated_item, annotated_items, decide
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.engines import engine_of, read_address
from saiten.annotation.store.items import add_items, add_prelabels
from saiten.annotation.store.migrating import VERSION_TABLE
from saiten.annotation.store.people import create_person
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation
from saiten.errors import ConfigurationError


def engine_for(url):
    """An engine configured like the store's."""
    return engine_of(read_address(url))


def make_first_tables(connection):
    """Create the tables of the oldest databases, in the dialect of the database."""
    file = Path(__file__).with_name(f"first_tables_{connection.dialect.name}.sql")
    for statement in file.read_text("utf-8").split(";\n"):
        if statement:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize("earlier", [False, True])
def test_the_steps_lead_to_the_tables_that_the_code_knows(fresh_database, earlier):
    """New and migrated databases alike have the schema's tables, columns, types, indexes and constraints."""
    if earlier:
        engine = engine_for(fresh_database)
        with engine.execution_options(writes=True).begin() as connection:
            make_first_tables(connection)
        engine.dispose()
    open_project(fresh_database, settings_of()).close()
    engine = engine_for(fresh_database)
    with engine.connect() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True, "target_metadata": schema.metadata}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata) == []
    engine.dispose()


@pytest.mark.witness
def test_an_old_database_is_brought_up_to_date_with_all_that_is_in_it(fresh_database):
    """A database made and filled at the first revision opens, keeps every row, and supports what is new."""
    engine = engine_for(fresh_database)
    now = datetime(2026, 1, 2, tzinfo=UTC)
    with engine.execution_options(writes=True).begin() as connection:
        make_first_tables(connection)
        assert not connection.dialect.has_table(connection, "saiten_decisions")
        for table, row in (
            ("projects", {"id": 1, "name": "default", "identity": "i", "settings": '{"form":"grade","options":{"rubric":"基準"},"per_item":2,"overlap":1.0,"seed":0,"prelabels":"hidden"}', "size": 1, "overlapping": 1, "places": 1}),
            ("people", {"id": 1, "project_id": 1, "name": "Anna", "folded": "anna", "role": "annotator", "active": True, "token_hash": b"a" * 32}),
            ("people", {"id": 2, "project_id": 1, "name": "Boss", "folded": "boss", "role": "admin", "active": True, "token_hash": b"b" * 32}),
            ("workloads", {"person_id": 1, "had": 1, "last_number": 1, "bin_rank": 0}),
            ("workloads", {"person_id": 2, "had": 0, "last_number": 0, "bin_rank": 0}),
            ("items", {"id": 1, "project_id": 1, "key": "k", "key_hash": b"k" * 32, "content": '{"question":"何"}', "content_hash": b"c" * 32, "needed": 2, "room": 1, "bin": 3, "topic": 4, "drawn": 5}),
            ("assignments", {"id": 1, "person_id": 1, "item_id": 1, "number": 1, "state": "done", "revision": 1, "standing_id": 1}),
            ("acts", {"id": 1, "person_id": 1, "save_id": "s", "assignment_id": 1, "kind": "save", "revision": 1, "payload": '{"grade":4}', "unclear": False}),
        ):  # fmt: skip
            made = schema.metadata.tables[f"saiten_{table}"]
            moments = {column.name: now for column in made.columns if isinstance(column.type, schema.Moment)}
            connection.execute(made.insert().values(**row, **moments))
        if connection.dialect.name == "postgresql":  # inserting explicit numbers does not advance the sequence
            for table in ("people", "items", "assignments", "acts"):
                connection.execute(text(f"SELECT setval('saiten_{table}_id_seq', 100)"))
    engine.dispose()
    with open_project(fresh_database) as store:
        (settled,) = annotated_items(store)
        assert [(person.name, said.payload) for person, said in settled.annotations] == [("Anna", {"grade": 4})]
        decide(store, settled.item.id, {"grade": 3}, "", admin=2)
        add_prelabels(store, [])
        assert annotated_item(store, settled.item.id).decision.payload == {"grade": 3}
        ben, _ = create_person(store, "Ben", "annotator")
        assert work_off(store, ben.id) == [settled.item.id]


def test_a_database_of_a_newer_saiten_is_refused(fresh_database):
    """Nothing is touched, and the message says to update."""
    open_project(fresh_database, settings_of()).close()
    engine = engine_for(fresh_database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE saiten_version SET version_num = '9999'"))
    with pytest.raises(ConfigurationError, match=r"newer saiten \(its tables have revision 9999"):
        open_project(fresh_database, settings_of())
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM saiten_version")) == "9999"
    engine.dispose()


def test_a_step_that_fails_leaves_nothing_behind(fresh_database):
    """There is no half-made layout: the old contents are still there, and the next opening works."""
    engine = engine_for(fresh_database)
    with engine.execution_options(writes=True).begin() as connection:
        make_first_tables(connection)
        connection.execute(text("CREATE TABLE saiten_prelabels (in_the_way INTEGER)"))
    with pytest.raises(ConfigurationError, match=r"cannot be migrated.*saiten_prelabels"):
        open_project(fresh_database, settings_of())
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT version_num FROM saiten_version")) == "0001"
        assert not connection.dialect.has_table(connection, "saiten_decisions")
        connection.execute(text("DROP TABLE saiten_prelabels"))
    engine.dispose()
    with open_project(fresh_database, settings_of()) as store:
        add_items(store, [NewItem("k", {})])
        anna, _ = create_person(store, "Anna", "annotator")
        save_annotation(store, anna.id, next_item(store, anna.id).number, {}, save_id=new_id())
