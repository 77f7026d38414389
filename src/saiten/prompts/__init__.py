"""Prompts: one TOML file per prompt, loaded, filled and digested here.

Filling is one pass: braces, placeholders and marks inside an input are left as they are and mean nothing.
"""

from saiten.prompts.files import Example
from saiten.prompts.library import BUILT_IN, Prompted, Prompts, names_for

__all__ = ["BUILT_IN", "Example", "Prompted", "Prompts", "names_for"]
