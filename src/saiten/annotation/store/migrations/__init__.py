"""Alembic's environment (`env.py`) and the migrations (`versions/`)."""
