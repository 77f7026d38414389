"""Add the tables of decisions and pre-labels."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "saiten_decisions",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Integer, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_decisions"),
        sa.ForeignKeyConstraint(["item_id"], ["saiten_items.id"], name="fk_saiten_decisions_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["saiten_people.id"], name="fk_saiten_decisions_person_id"),
    )
    op.create_index("ix_saiten_decisions_item_id", "saiten_decisions", ["item_id"])
    op.create_table(
        "saiten_prelabels",
        sa.Column("item_id", sa.Integer, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_saiten_prelabels"),
        sa.ForeignKeyConstraint(["item_id"], ["saiten_items.id"], name="fk_saiten_prelabels_item_id"),
    )
