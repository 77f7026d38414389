"""Create the first tables: projects, people, items, assignments and acts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "saiten_projects",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("overlapping", sa.Integer, nullable=False),
        sa.Column("places", sa.Integer, nullable=False),
        sa.Column("made_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_projects"),
        sa.UniqueConstraint("name", name="uq_saiten_projects_name"),
    )
    op.create_table(
        "saiten_people",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_people"),
        sa.ForeignKeyConstraint(["project_id"], ["saiten_projects.id"], name="fk_saiten_people_project_id"),
        sa.UniqueConstraint("token_hash", name="uq_saiten_people_token_hash"),
        sa.UniqueConstraint("project_id", "folded", name="uq_saiten_people_project_id_folded"),
        sa.CheckConstraint("role IN ('admin', 'annotator')", name=op.f("ck_saiten_people_role")),
    )
    op.create_table(
        "saiten_workloads",
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("had", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.Column("bin_rank", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_saiten_workloads"),
        sa.ForeignKeyConstraint(["person_id"], ["saiten_people.id"], name="fk_saiten_workloads_person_id"),
    )
    op.create_table(
        "saiten_sessions",
        sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_saiten_sessions"),
        sa.ForeignKeyConstraint(["person_id"], ["saiten_people.id"], name="fk_saiten_sessions_person_id"),
    )
    op.create_index("ix_saiten_sessions_person_id", "saiten_sessions", ["person_id"])
    op.create_index("ix_saiten_sessions_seen_at", "saiten_sessions", ["seen_at"])
    op.create_table(
        "saiten_items",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("key_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("content_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("needed", sa.Integer, nullable=False),
        sa.Column("room", sa.Integer, nullable=False),
        sa.Column("bin", sa.SmallInteger, nullable=False),
        sa.Column("topic", sa.BigInteger, nullable=False),
        sa.Column("drawn", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_items"),
        sa.ForeignKeyConstraint(["project_id"], ["saiten_projects.id"], name="fk_saiten_items_project_id"),
        sa.UniqueConstraint("project_id", "key_hash", name="uq_saiten_items_project_id_key_hash"),
        sa.CheckConstraint("needed >= 1", name=op.f("ck_saiten_items_needed")),
        sa.CheckConstraint("room <= needed", name=op.f("ck_saiten_items_room")),
    )
    op.create_index(
        "ix_saiten_items_open",
        "saiten_items",
        ["project_id", "bin"],
        sqlite_where=sa.text("room > 0"),
        postgresql_where=sa.text("room > 0"),
    )
    op.create_table(
        "saiten_assignments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("given_at", moment, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("standing_id", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_assignments"),
        sa.ForeignKeyConstraint(["person_id"], ["saiten_people.id"], name="fk_saiten_assignments_person_id"),
        sa.ForeignKeyConstraint(["item_id"], ["saiten_items.id"], name="fk_saiten_assignments_item_id"),
        sa.UniqueConstraint("person_id", "item_id", name="uq_saiten_assignments_person_id_item_id"),
        sa.UniqueConstraint("person_id", "number", name="uq_saiten_assignments_person_id_number"),
        sa.CheckConstraint(
            "state IN ('given', 'done', 'skipped', 'released')", name=op.f("ck_saiten_assignments_state")
        ),
        sa.CheckConstraint("(state = 'done') = (standing_id IS NOT NULL)", name=op.f("ck_saiten_assignments_standing")),
    )
    op.create_index(
        "ix_saiten_assignments_person_id_state_number", "saiten_assignments", ["person_id", "state", "number"]
    )
    op.create_index("ix_saiten_assignments_item_id", "saiten_assignments", ["item_id"])
    op.create_index(
        "ix_saiten_assignments_given",
        "saiten_assignments",
        ["given_at"],
        sqlite_where=sa.text("state = 'given'"),
        postgresql_where=sa.text("state = 'given'"),
    )
    op.create_table(
        "saiten_acts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("save_id", sa.Text, nullable=False),
        sa.Column("assignment_id", sa.Integer),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer),
        sa.Column("undoes_id", sa.Integer),
        sa.Column("payload", sa.Text),
        sa.Column("unclear", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("seconds", sa.Float),
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saiten_acts"),
        sa.ForeignKeyConstraint(["person_id"], ["saiten_people.id"], name="fk_saiten_acts_person_id"),
        sa.ForeignKeyConstraint(["assignment_id"], ["saiten_assignments.id"], name="fk_saiten_acts_assignment_id"),
        sa.ForeignKeyConstraint(["undoes_id"], ["saiten_acts.id"], name="fk_saiten_acts_undoes_id"),
        sa.UniqueConstraint("undoes_id", name="uq_saiten_acts_undoes_id"),
        sa.UniqueConstraint("person_id", "save_id", name="uq_saiten_acts_person_id_save_id"),
        sa.UniqueConstraint("assignment_id", "revision", name="uq_saiten_acts_assignment_id_revision"),
        sa.CheckConstraint("kind IN ('save', 'skip', 'undo')", name=op.f("ck_saiten_acts_kind")),
        sa.CheckConstraint("(kind = 'save') = (payload IS NOT NULL)", name=op.f("ck_saiten_acts_payload")),
    )


def downgrade() -> None:
    """Refuse: it would delete annotations."""
    raise NotImplementedError
