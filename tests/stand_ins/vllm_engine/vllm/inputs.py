"""Prompts."""


def tokens_input(prompt_token_ids, *, prompt=None, cache_salt=None):
    """A prompt of tokens."""
    return {"type": "token", "prompt_token_ids": prompt_token_ids}
