"""The first tables: the revision of the oldest databases. New ones are created from the schema."""

revision = "0001"
down_revision = None
