"""What Alembic runs: the steps on the connection that was handed over, in its transaction."""

from alembic import context

attributes = context.config.attributes
# what SQLite's driver would commit at each step, ours does not: the whole way is one transaction
context.configure(
    connection=attributes["connection"], version_table=attributes["version_table"], transactional_ddl=True
)
context.run_migrations()
