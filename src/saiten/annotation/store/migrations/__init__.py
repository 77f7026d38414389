"""Alembic's environment (`env.py`) and the steps from one layout of the tables to the next (`versions/`)."""
