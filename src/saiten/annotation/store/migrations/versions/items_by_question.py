"""An index by which the other answers to a question are found."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make it."""
    op.create_index("ix_saiten_items_project_id_topic", "saiten_items", ["project_id", "topic"])


def downgrade() -> None:
    """Not at all: what came with it in the settings is not known to an older saiten."""
    raise NotImplementedError
