"""The tasks of judges: one file per family, each task a frozen dataclass next to the type of its reply."""
