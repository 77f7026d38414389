"""The request for a second reply, after one that could not be used."""

from saiten.judges.faults import fault_in
from saiten.prompts import Prompts
from saiten.protocols import ChatMessage
from saiten.records import Language

_LONGEST_SHOWN = 2_000
"""Characters of its own bad reply that a model is shown again: beginning and end."""


def repair_messages(prompts: Prompts, language: Language, reply: str, fault: str) -> tuple[ChatMessage, ...]:
    """Return the messages to append to a request: the model's reply, unless it is blank, and what is wrong with it."""
    shown = reply
    if len(reply) > _LONGEST_SHOWN:
        half = _LONGEST_SHOWN // 2
        shown = f"{reply[:half]} … {reply[-half:]}"
    request = prompts.repair_request(language, fault_in(language, fault))
    return (ChatMessage("assistant", shown), request) if shown.strip() else (request,)
