from commands import data, process, saiten, somewhere

__all__ = ["data", "process", "saiten", "somewhere"]
