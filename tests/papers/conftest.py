from commands import saiten, somewhere

__all__ = ["saiten", "somewhere"]
