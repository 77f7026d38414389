from databases import _file_with_tables, _schema_with_tables, annotation_database, fresh_database, postgres_server

__all__ = ["_file_with_tables", "_schema_with_tables", "annotation_database", "fresh_database", "postgres_server"]
