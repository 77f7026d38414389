"""Objects of other tools as rows: one file per tool, with tables from a type to the function that reads it.

Types are recognized by their package and name, so no tool is imported. Objects are only read: the declared fields of
pydantic models and dataclasses, and attributes that the tool documents.
"""
