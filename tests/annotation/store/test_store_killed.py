"""A process that is killed while saving: what was acknowledged is stored."""

import random
import sqlite3

from sqlalchemy import select
from storing import new_items, settings_of
from workers import another_process, saves

from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import create_person
from saiten.annotation.store.project import open_project
from saiten.annotation.store.schema import acts


def test_what_was_acknowledged_is_there_however_often_the_process_is_killed(annotation_database, tmp_path):
    """SIGKILL at random moments, with eight threads saving: no acknowledged save is lost or changed, and the counters
    kept along with the answers still match them.
    """
    dice = random.Random(20261121)
    acknowledged = set()
    with open_project(annotation_database, settings_of()) as store:
        add_items(store, new_items(200))
        for number in range(8):
            create_person(store, f"P{number}", "annotator")
    for _ in range(5 if annotation_database.startswith("sqlite") else 2):
        with another_process(saves, annotation_database) as (process, output):
            said = [output.readline() for _ in range(dice.randrange(1, 60))]
            process.kill()
            said += output.readlines()
        acknowledged |= {line.decode().strip() for line in said}
        with open_project(annotation_database) as store, store.database.engine.connect() as connection:
            found = connection.execute(select(acts.c.save_id, acts.c.payload)).all()
            assert acknowledged <= {save_id for save_id, payload in found if save_id in payload}
            wrong = connection.exec_driver_sql(
                "SELECT count(*) FROM saiten_items i WHERE room <> needed - (SELECT count(*) FROM saiten_assignments a "
                "WHERE a.item_id = i.id AND a.state IN ('given', 'done'))"
            ).scalar_one()
            assert wrong == 0
            places, room = connection.exec_driver_sql(
                "SELECT (SELECT places FROM saiten_projects), (SELECT sum(room) FROM saiten_items)"
            ).one()
            assert places == room
    assert len(acknowledged) > 10
    if annotation_database.startswith("sqlite"):
        with sqlite3.connect(tmp_path / "labels.db") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.close()
