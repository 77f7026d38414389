"""Alembic's environment: run the migrations on the given connection, in its transaction."""

from alembic import context

attributes = context.config.attributes
# all migrations run in one transaction, which SQLite's driver would commit at each step
context.configure(
    connection=attributes["connection"], version_table=attributes["version_table"], transactional_ddl=True
)
context.run_migrations()
