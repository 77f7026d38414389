from commands import process, saiten, somewhere

__all__ = ["process", "saiten", "somewhere"]
