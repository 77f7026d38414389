"""The database behind the annotation page: who is to grade what, and what they said."""

from saiten.models.networks import require

require("the annotation page", "annotate", "sqlalchemy", "alembic")

from saiten.annotation.store.failures import (  # noqa: E402 - first it is told what is missing
    NoSuchProject,
    NotTheirs,
    SaveConflict,
    ShutOut,
    StoreUnavailable,
)
from saiten.annotation.store.progress import ItemCounts  # noqa: E402
from saiten.annotation.store.store import Store  # noqa: E402

__all__ = ["ItemCounts", "NoSuchProject", "NotTheirs", "SaveConflict", "ShutOut", "Store", "StoreUnavailable"]
