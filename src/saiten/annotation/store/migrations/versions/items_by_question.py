"""Add an index of items by question."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_saiten_items_project_id_topic", "saiten_items", ["project_id", "topic"])
