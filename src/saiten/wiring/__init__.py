"""Assembly of everything chosen by name: judges, embedders, chat models, and their request stacks."""

from saiten.wiring.addresses import price_name, read_address
from saiten.wiring.judges import assemble_judge
from saiten.wiring.knowledge import OpenedLater, index_documents, knowledge_base_later, open_engine, open_knowledge_base
from saiten.wiring.models import Models, known_price
from saiten.wiring.systems import RagSettings, SystemSettings, assemble_rag, assemble_system, rag_over, ready

__all__ = [
    "Models",
    "OpenedLater",
    "RagSettings",
    "SystemSettings",
    "assemble_judge",
    "assemble_rag",
    "assemble_system",
    "index_documents",
    "knowledge_base_later",
    "known_price",
    "open_engine",
    "open_knowledge_base",
    "price_name",
    "rag_over",
    "read_address",
    "ready",
]
