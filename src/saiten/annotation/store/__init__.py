"""The database behind the annotation page: participants, items, assignments and annotations."""

from saiten.models.networks import require

require("the annotation page", "annotate", "sqlalchemy", "alembic")
