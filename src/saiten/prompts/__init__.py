"""Prompts: one TOML file per prompt, loaded, filled and digested here.

Filling is one pass: braces, placeholders and marks inside an input are left as they are and mean nothing.
"""

from saiten.prompts.folder import find_prompts, presets
from saiten.prompts.library import BUILT_IN, Prompted, Prompts, names_for
from saiten.prompts.prompt import Example

__all__ = ["BUILT_IN", "Example", "Prompted", "Prompts", "find_prompts", "names_for", "presets"]
