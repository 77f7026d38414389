"""A PostgreSQL server that goes away and comes back."""

import threading

import pytest
from sqlalchemy import text
from storing import new_id, new_items, settings_of

from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.assignment import next_item
from saiten.annotation.store.database import StoreUnavailable
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person, find_session
from saiten.annotation.store.project import open_project
from saiten.annotation.store.saving import save_annotation

pytestmark = pytest.mark.slow  # PostgreSQL only


@pytest.fixture
def store(postgres_server):
    """A few items, and an annotator number 1."""
    with open_project(postgres_server.new_database(), settings_of()) as store:
        add_items(store, new_items(5))
        create_person(store, "Anna", "annotator")
        yield store


def test_connections_that_were_cut_while_nobody_used_them_are_replaced(store, postgres_server):
    """Users notice nothing."""
    number = next_item(store, 1).number
    assert postgres_server.cut_connections() > 0
    assert save_annotation(store, 1, number, {"grade": 1}, save_id="a").again is False


@pytest.mark.witness
def test_a_connection_cut_during_a_call_is_reported_and_the_next_call_works(store, postgres_server):
    """The connection is cut while the save waits for a lock: the page is asked to send again, and does."""
    number = next_item(store, 1).number
    engine = store.database.engine
    failed = []

    def save():
        try:
            save_annotation(store, 1, number, {"grade": 1}, save_id="a")
        except StoreUnavailable as error:
            failed.append(error)

    with engine.connect() as holder:
        holder.execute(text("SELECT id FROM saiten_people FOR UPDATE"))
        thread = threading.Thread(target=save)
        thread.start()
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name LIKE 'saiten%'"
        while not (found := postgres_server.tell(waiting)):
            assert thread.is_alive()
        postgres_server.tell(f"SELECT pg_terminate_backend({found[0][0]})")
        thread.join()
        holder.rollback()
    assert len(failed) == 1
    assert "try again" in str(failed[0])
    assert save_annotation(store, 1, number, {"grade": 1}, save_id="a").again is False


def test_a_server_that_is_away_is_reported_and_found_again(store, postgres_server):
    """Every call raises StoreUnavailable while the server is away; afterwards everything is as before."""
    number = next_item(store, 1).number
    save_annotation(store, 1, number, {"grade": 1}, save_id="a")
    postgres_server.stop()
    try:
        for away in (
            lambda: save_annotation(store, 1, number, {"grade": 2}, save_id="b"),
            lambda: next_item(store, 1),
            lambda: find_session(store, "x"),
            lambda: list(annotated_items(store)),
        ):
            with pytest.raises(StoreUnavailable):
                away()
    finally:
        postgres_server.start()
    assert save_annotation(store, 1, number, {"grade": 1}, save_id="a").again is True
    assert save_annotation(store, 1, number, {"grade": 2}, save_id="b").again is False
    assert save_annotation(store, 1, next_item(store, 1).number, {"grade": 1}, save_id=new_id()).revision == 1
