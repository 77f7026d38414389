from commands import data, kept, once, process, saiten, somewhere

__all__ = ["data", "kept", "once", "process", "saiten", "somewhere"]
