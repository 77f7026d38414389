from databases import annotation_database, postgres_server

__all__ = ["annotation_database", "postgres_server"]
