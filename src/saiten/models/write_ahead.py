"""SQLite's write-ahead log, which lets several processes read while one writes."""

import sqlite3
import time


def switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode, retrying while another process switches, which the busy time-out does not cover.

    A file that stays locked for four seconds keeps its slower but equally safe mode.

    Raises:
        sqlite3.OperationalError: the mode cannot be used here at all.
    """
    for patience in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(patience)
        else:
            return
