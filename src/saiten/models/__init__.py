"""Models: chats and embedders, and the layers around them (cache, retries, limits, prices, budget)."""

from saiten.models.budget import Account, Book, Budget, Budgeted, Price, PriceTable
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.cache import CachedChat, CachedEmbedder
from saiten.models.layers import Layer, LayeredChat, LayeredEmbedder, Load
from saiten.models.limits import Limiter, Limits
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.retries import Retries, Retrying
from saiten.models.scripted import ScriptedChat
from saiten.models.stack import layers, stack_chat, stack_embedder
from saiten.models.store import Store

__all__ = [
    "Account",
    "Book",
    "Budget",
    "Budgeted",
    "BuiltinEmbedder",
    "CachedChat",
    "CachedEmbedder",
    "Layer",
    "LayeredChat",
    "LayeredEmbedder",
    "Limiter",
    "Limits",
    "Load",
    "OpenAICompatibleChat",
    "OpenAICompatibleEmbedder",
    "Price",
    "PriceTable",
    "Retries",
    "Retrying",
    "ScriptedChat",
    "Store",
    "layers",
    "stack_chat",
    "stack_embedder",
]
