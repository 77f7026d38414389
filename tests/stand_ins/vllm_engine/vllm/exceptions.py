"""The errors of requests."""


class VLLMValidationError(Exception):
    """A request that cannot be answered, or a parameter that is invalid."""
